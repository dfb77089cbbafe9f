// Tokens to a ModelSyntax: recursive descent, one function per rule of the grammar in README.md.
#pragma once

#include <vector>

#include "compiler/frontend/lexer.h"
#include "compiler/frontend/syntax.h"

namespace heddle::frontend {

/// Reports every line that cannot be read, and goes on with the next.
ModelSyntax parse(const std::vector<Token>& tokens, Diagnostics& diag);

}  // namespace heddle::frontend
