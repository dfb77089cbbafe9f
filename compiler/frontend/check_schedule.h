// The names of a schedule against the program: tensors that are fused, indices that are ordered.
#pragma once

#include "compiler/einsum/einsum_program.h"
#include "compiler/support/diagnostics.h"

namespace heddle::frontend {

void check_schedule(const Schedule& schedule, const EinsumProgram& program, Diagnostics& diag);

}  // namespace heddle::frontend
