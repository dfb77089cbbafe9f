// The arithmetic of the reference: values in f64 with a bound on how far an f32 evaluation of the
// same operations may be off, and presence. For i32 the values are exact and wrap; the bound is 0.
#pragma once

#include <cstdint>

#include "compiler/primitives/arithmetic.h"

namespace heddle {

/// An absent cell is exactly 0. An infinite bound means that nothing is known about the f32 result.
struct Cell {
  double value = 0;
  double bound = 0;
  bool present = false;
};

/// A number of the model, rounded once to the type; present everywhere.
Cell constant_cell(double value, ValueType type);

Cell apply_reference(UnaryOp op, ValueType type, const Cell& x);
Cell apply_reference(BinaryOp op, ValueType type, const Cell& x, const Cell& y);
Cell select_reference(const Cell& condition, const Cell& x, const Cell& y);

/// The sum of present terms, in whatever order they are added, one after the other in f32 or in
/// WideSums.
class SumCell {
 public:
  void add(const Cell& term, ValueType type);
  Cell result(ValueType type) const;

 private:
  double value_ = 0;
  double bound_ = 0;
  double magnitude_ = 0;  // of all terms together, their bounds included
  std::uint32_t terms_ = 0;
};

}  // namespace heddle
