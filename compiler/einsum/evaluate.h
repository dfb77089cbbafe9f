// The meaning of a program, evaluated densely in f64: the reference that every engine is compared
// with. It is written from the language's definition alone and shares no code with the lowering.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/einsum/einsum_program.h"

namespace heddle {

/// A dense value per position in declared mode order, with presence and a bound on the rounding
/// error that f32 evaluation in any order of summation may show (running error analysis: each f32
/// operation adds half an ulp, a sum of n terms n - 1 of them, functions their stated ulp). For i32
/// the values are exact (wrapped) and the bound is 0.
struct ReferenceTensor {
  std::vector<std::uint32_t> shape;
  std::vector<double> value;
  std::vector<double> bound;
  std::vector<bool>
      present;  // structurally: contributed to by a stored entry (language.md, section 2)
};

/// Evaluates every statement in order. `inputs` holds the data of each bound tensor.
std::map<TensorId, ReferenceTensor> evaluate(const EinsumProgram& program,
                                             const std::map<TensorId, EntryList>& inputs);

}  // namespace heddle
