// The lines of a model in turn: declarations, sizes, statements (analyze_statement.h), outputs,
// schedules (check_schedule.h), and what nothing uses.
#include "compiler/frontend/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compiler/frontend/analyze_statement.h"
#include "compiler/frontend/check_schedule.h"
#include "compiler/frontend/suggest.h"

namespace heddle::frontend {
namespace {

class Analyzer {
 public:
  Analyzer(std::uint32_t file, Diagnostics& diag) : file_(file), diag_(diag), names_(program_) {
    program_.file = diag.sources().name(file);
  }

  std::optional<EinsumProgram> run(ModelSyntax model) {
    const std::size_t before = diag_.all().size();
    for (TensorSyntax& tensor : model.tensors) declare(std::move(tensor));
    for (const SizeSyntax& size : model.sizes) bind(size);
    collect_definitions(model);
    for (std::size_t n = 0; n < model.statements.size(); ++n) {
      definitions_.current = n;
      statement(std::move(model.statements[n]));
    }
    outputs(model.outputs);
    if (has_errors(before)) return std::nullopt;
    if (program_.statements.empty()) {
      diag_.error("empty-model", SourceRange{file_, 0, 0}, "this model computes nothing");
      return std::nullopt;
    }
    masks();
    schedules(std::move(model.schedules));
    if (has_errors(before)) return std::nullopt;
    warn_unused();
    return std::move(program_);
  }

 private:
  bool has_errors(std::size_t before) const {
    return std::any_of(diag_.all().begin() + static_cast<std::ptrdiff_t>(before), diag_.all().end(),
                       [](const Diagnostic& d) { return d.severity == Severity::kError; });
  }

  void redefined(const Name& name, SourceRange first, const std::string& message) {
    diag_.error("redefinition", name.range, message);
    diag_.note(first, "first here");
  }

  void declare(TensorSyntax tensor) {
    if (const auto known = names_.find_tensor(tensor.name.text)) {
      redefined(tensor.name, program_.tensor(*known).range,
                fmt::format("'{}' is declared twice", tensor.name.text));
      return;
    }
    TensorDecl decl;
    decl.name = tensor.name.text;
    decl.range = tensor.name.range;
    decl.type = tensor.type;
    decl.format = std::move(tensor.format);
    decl.binding = std::move(tensor.binding);
    decl.declared = true;
    for (const Name& mode : tensor.modes) {
      decl.modes.push_back(names_.size(mode));
      used_sizes_.insert(decl.modes.back());
    }
    const double value = decl.binding.value;
    if (decl.type == ValueType::kI32 && value != std::floor(value)) {
      diag_.error("type-constant", decl.binding.range,
                  fmt::format("{} is not an i32 number, and '{}' is of i32", value, decl.name));
    }
    names_.add_tensor(std::move(decl));
  }

  void bind(const SizeSyntax& syntax) {
    Size& size = program_.size(names_.size(syntax.name));
    if (size.value && *size.value != syntax.value) {
      diag_.error(
          "size-clash", syntax.name.range,
          fmt::format("size '{}' is {} here, but {} before", size.name, syntax.value, *size.value));
      diag_.note(size.bound_at, size.bound_by);
      return;
    }
    size.value = syntax.value;
    size.bound_at = syntax.name.range;
    size.bound_by = fmt::format("size {} = {}", syntax.name.text, syntax.value);
  }

  void collect_definitions(const ModelSyntax& model) {
    for (std::size_t n = 0; n < model.statements.size(); ++n) {
      const AccessSyntax& target = model.statements[n].target;
      definitions_.targets.push_back(target.range);
      definitions_.statement.emplace(target.tensor.text, n);
    }
  }

  void statement(StatementSyntax syntax) {
    const Name& name = syntax.target.tensor;
    const std::size_t first = definitions_.statement.at(name.text);
    if (first != definitions_.current) {
      redefined(name, definitions_.targets[first],
                fmt::format("'{}' is defined by two statements", name.text));
      return;
    }
    const auto declared = names_.find_tensor(name.text);
    if (declared && program_.tensor(*declared).binding.kind != Binding::Kind::kNone) {
      redefined(name, program_.tensor(*declared).binding.range,
                fmt::format("'{}' has data and is also defined by a statement", name.text));
      return;
    }
    analyze_statement(std::move(syntax), program_, names_, definitions_, read_, diag_);
  }

  void outputs(const std::vector<Name>& names) {
    std::map<TensorId, SourceRange> seen;
    for (const Name& name : names) {
      const auto id = names_.find_tensor(name.text);
      if (!id || definitions_.statement.count(name.text) == 0) {
        std::vector<std::string> known;
        for (const Statement& s : program_.statements) {
          known.push_back(program_.tensor(s.target.tensor).name);
        }
        diag_.error("unknown-output", name.range,
                    fmt::format("no statement defines the output '{}'{}", name.text,
                                suggestion(name.text, known)));
      } else if (const auto [at, inserted] = seen.emplace(*id, name.range); !inserted) {
        redefined(name, at->second, fmt::format("the output '{}' is named twice", name.text));
      } else {
        program_.tensor(*id).output = true;
        program_.outputs.push_back(*id);
      }
    }
    if (!names.empty()) return;
    for (const Statement& s : program_.statements) {
      if (read_.count(s.target.tensor) > 0) continue;
      program_.tensor(s.target.tensor).output = true;
      program_.outputs.push_back(s.target.tensor);
    }
  }

  /// Where its own mask lacks an index, the order of loops decides which zeros a result stores. No
  /// mask may depend on that.
  void masks() {
    const std::set<TensorId> deciding = deciding_masks(program_);
    for (const Statement& s : program_.statements) {
      const TensorDecl& decl = program_.tensor(s.target.tensor);
      const std::optional<IndexId> lacking = lacking_in_mask(s);
      if (!lacking || deciding.count(s.target.tensor) == 0) continue;
      if (decl.format && decl.format->all_dense()) continue;
      diag_.error(
          "mask-entries", s.where->range,
          fmt::format("the entries of a mask are those of '{}', whose own mask lacks '{}': "
                      "they would depend on the order of loops; declare '{}' dense, or use "
                      "a mask that has all its indices",
                      decl.name, s.indices[static_cast<std::size_t>(*lacking)].written, decl.name));
    }
  }

  void schedules(std::vector<Schedule> schedules) {
    std::map<std::string, SourceRange> seen;
    for (const Schedule& schedule : schedules) {
      const auto [at, inserted] = seen.emplace(schedule.name, schedule.range);
      if (!inserted) {
        redefined({schedule.name, schedule.range}, at->second,
                  fmt::format("there are two schedules '{}'", schedule.name));
      }
      check_schedule(schedule, program_, diag_);
    }
    if (schedules.empty()) schedules.push_back({"default", {}, {}});
    program_.schedules = std::move(schedules);
  }

  void warn_unused() {
    for (std::size_t n = 0; n < program_.tensors.size(); ++n) {
      const TensorDecl& decl = program_.tensors[n];
      if (decl.output || read_.count(static_cast<TensorId>(n)) > 0) continue;
      const bool computed = definitions_.statement.count(decl.name) > 0;
      diag_.warning(
          computed ? "unused-statement" : "unused-tensor", decl.range,
          fmt::format("'{}' is {}", decl.name,
                      computed ? "neither read nor an output" : "declared but never read"));
    }
    for (std::size_t n = 0; n < program_.sizes.size(); ++n) {
      if (used_sizes_.count(static_cast<SizeId>(n)) > 0) continue;
      diag_.warning("unused-size", program_.sizes[n].bound_at,
                    fmt::format("no tensor has the size '{}'", program_.sizes[n].name));
    }
  }

  std::uint32_t file_;
  Diagnostics& diag_;
  EinsumProgram program_;
  Names names_;
  Definitions definitions_;
  std::set<TensorId> read_;
  std::set<SizeId> used_sizes_;
};

}  // namespace

std::optional<EinsumProgram> analyze(ModelSyntax model, std::uint32_t file, Diagnostics& diag) {
  return Analyzer(file, diag).run(std::move(model));
}

}  // namespace heddle::frontend
