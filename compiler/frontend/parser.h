// Tokens to a ModelSyntax: recursive descent, one function per rule of the grammar in README.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/lexer.h"
#include "compiler/frontend/syntax.h"

namespace heddle::frontend {

/// Reports every line that cannot be read, and goes on with the next.
ModelSyntax parse(const std::vector<Token>& tokens, Diagnostics& diag);

/// A format alone, of a tensor of so many modes; it is named in messages.
std::optional<TensorFormat> parse_format(const std::vector<Token>& tokens,
                                         const std::string& tensor, int rank, Diagnostics& diag);

}  // namespace heddle::frontend
