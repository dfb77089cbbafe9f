#include <fmt/format.h>

#include "compiler/frontend/analyze.h"
#include "compiler/frontend/lexer.h"
#include "compiler/frontend/parse.h"
#include "compiler/frontend/parser.h"

namespace heddle {

std::optional<EinsumProgram> parse_model(std::uint32_t file, Diagnostics& diag) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const std::size_t bytes = diag.sources().text(file).size();
  if (bytes > kMaxBytes) {
    diag.error("model-size", SourceRange{file, 0, 0},
               fmt::format("a model is at most {} bytes long, this file is {}", kMaxBytes, bytes));
    return std::nullopt;
  }
  const std::size_t before = diag.all().size();
  const std::vector<frontend::Token> tokens = frontend::lex(file, diag);
  frontend::ModelSyntax model = frontend::parse(tokens, diag);
  for (std::size_t n = before; n < diag.all().size(); ++n) {
    if (diag.all()[n].severity == Severity::kError) return std::nullopt;
  }
  return frontend::analyze(std::move(model), file, diag);
}

}  // namespace heddle
