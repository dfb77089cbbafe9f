// What the names of a model mean while it is analyzed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/syntax.h"

namespace heddle::frontend {

/// Tensors and sizes of the program so far.
class Names {
 public:
  explicit Names(EinsumProgram& program) : program_(program) {}

  SizeId size(const Name& name) {
    const auto [at, inserted] =
        sizes_.emplace(name.text, static_cast<SizeId>(program_.sizes.size()));
    if (!inserted) return at->second;
    Size size;
    size.name = name.text;
    size.bound_at = name.range;
    if (name.text[0] >= '0' && name.text[0] <= '9') {
      size.value = static_cast<std::uint32_t>(std::stoull(name.text));
      size.bound_by = "the number " + name.text;
    }
    program_.sizes.push_back(std::move(size));
    return at->second;
  }

  std::optional<SizeId> find_size(const std::string& name) const {
    const auto at = sizes_.find(name);
    return at == sizes_.end() ? std::nullopt : std::optional(at->second);
  }

  std::optional<TensorId> find_tensor(const std::string& name) const {
    const auto at = tensors_.find(name);
    return at == tensors_.end() ? std::nullopt : std::optional(at->second);
  }

  TensorId add_tensor(TensorDecl decl) {
    const auto id = static_cast<TensorId>(program_.tensors.size());
    tensors_.emplace(decl.name, id);
    program_.tensors.push_back(std::move(decl));
    return id;
  }

  std::vector<std::string> tensor_names() const {
    std::vector<std::string> names;
    for (const TensorDecl& decl : program_.tensors) names.push_back(decl.name);
    return names;
  }

 private:
  EinsumProgram& program_;
  std::map<std::string, SizeId> sizes_;
  std::map<std::string, TensorId> tensors_;
};

/// Where each tensor is defined by a statement, and how far the analysis has come.
struct Definitions {
  std::map<std::string, std::size_t> statement;  // name of the target -> number of the statement
  std::size_t current = 0;
  std::vector<SourceRange> targets;  // by number
};

}  // namespace heddle::frontend
