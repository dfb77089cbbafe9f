// A model as written to an EinsumProgram: names, ranks, types, schedules.
#pragma once

#include <optional>

#include "compiler/frontend/syntax.h"

namespace heddle::frontend {

std::optional<EinsumProgram> analyze(ModelSyntax model, std::uint32_t file, Diagnostics& diag);

}  // namespace heddle::frontend
