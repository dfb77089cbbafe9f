// One statement of the reference. Reductions inside it are evaluated first, into tensors over their
// free indices; then the rest, position by position (reference_loops.h).
#pragma once

#include <vector>

#include "compiler/einsum/reference_loops.h"

namespace heddle::reference {

/// `tensors`: by TensorId, those that the statement reads.
ReferenceTensor evaluate_statement(const EinsumProgram& program, const Statement& statement,
                                   const std::vector<const Store*>& tensors);

}  // namespace heddle::reference
