// A statement as written to one of the program: its indices and their sizes, operands, masks,
// functions and reductions, types.
#pragma once

#include <set>

#include "compiler/frontend/names.h"

namespace heddle::frontend {

/// Adds the statement to the program unless it has errors, and its target in any case. `read`
/// collects the tensors that statements use.
void analyze_statement(StatementSyntax syntax, EinsumProgram& program, Names& names,
                       const Definitions& definitions, std::set<TensorId>& read, Diagnostics& diag);

}  // namespace heddle::frontend
