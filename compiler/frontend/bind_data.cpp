#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "compiler/frontend/lexer.h"
#include "compiler/frontend/parse.h"
#include "compiler/frontend/parser.h"
#include "compiler/frontend/suggest.h"
#include "compiler/tensor/tensor_io.h"

namespace heddle {
namespace {

constexpr double kMaxEntries = 1 << 26;    // of data that no file holds
constexpr double kMaxPositions = 1 << 28;  // of one tensor as stored, or evaluated for reference

class DataBinder {
 public:
  DataBinder(EinsumProgram& program, const DataOptions& options, Diagnostics& diag)
      : program_(program), options_(options), diag_(diag), before_(diag.all().size()) {}

  std::optional<std::map<TensorId, EntryList>> run() {
    for (const Statement& s : program_.statements) defined_.insert(s.target.tensor);
    size_options();
    data_options();
    format_options();
    unite_sizes();
    if (has_errors()) return std::nullopt;
    // A .tns file does not say its sizes, so the others go first.
    for (const bool tns : {false, true}) {
      for_inputs([&](TensorId id, TensorDecl& decl) {
        if (decl.binding.kind == Binding::Kind::kFile && is_tns(decl.binding.path) == tns) {
          read_file(id, decl);
        }
      });
    }
    check_indices();
    check_missing();
    if (has_errors()) return std::nullopt;
    for_inputs([&](TensorId id, TensorDecl& decl) {
      if (decl.binding.kind == Binding::Kind::kRandom ||
          decl.binding.kind == Binding::Kind::kConstant) {
        generate(id, decl);
      }
    });
    if (has_errors()) return std::nullopt;
    infer_formats();
    check_positions();
    if (has_errors()) return std::nullopt;
    return std::move(data_);
  }

 private:
  bool has_errors() const {
    return std::any_of(diag_.all().begin() + static_cast<std::ptrdiff_t>(before_),
                       diag_.all().end(),
                       [](const Diagnostic& d) { return d.severity == Severity::kError; });
  }

  template <typename Function>
  void for_inputs(Function function) {
    for (std::size_t n = 0; n < program_.tensors.size(); ++n) {
      const auto id = static_cast<TensorId>(n);
      if (defined_.count(id) == 0) function(id, program_.tensors[n]);
    }
  }

  static bool is_tns(const std::string& path) {
    return path.ends_with(".tns") || path.ends_with(".tns.gz");
  }

  static Place command_line(const std::string& option) {
    Place place;
    place.file = option;
    return place;
  }

  // --- options ---

  void size_options() {
    for (const auto& [name, value] : options_.sizes) {
      const auto size = std::ranges::find(program_.sizes, name, &Size::name);
      const std::string option = fmt::format("--size {}={}", name, value);
      if (size == program_.sizes.end() || is_number(name)) {
        std::vector<std::string> known;
        for (const Size& s : program_.sizes) {
          if (!is_number(s.name)) known.push_back(s.name);
        }
        diag_.error(
            "size-name", command_line(option),
            fmt::format("the model has no size '{}'{}", name, frontend::suggestion(name, known)));
        continue;
      }
      size->value = value;
      size->bound_by = option;
    }
  }

  static bool is_number(const std::string& name) {
    return !name.empty() && name[0] >= '0' && name[0] <= '9';
  }

  void data_options() {
    for (const auto& [name, path] : options_.files) {
      const std::string option = fmt::format("--data {}={}", name, path);
      std::vector<std::string> known;
      TensorDecl* found = nullptr;
      for_inputs([&](TensorId, TensorDecl& decl) {
        known.push_back(decl.name);
        if (decl.name == name) found = &decl;
      });
      const auto any = std::ranges::find(program_.tensors, name, &TensorDecl::name);
      if (found != nullptr) {
        found->binding.kind = Binding::Kind::kFile;
        found->binding.path = path;
        given_.insert(name);
      } else if (any != program_.tensors.end()) {
        diag_.error("data-name", command_line(option),
                    fmt::format("a statement defines '{}', so it takes no data", name));
        diag_.note(any->range, "defined here");
      } else {
        diag_.error(
            "data-name", command_line(option),
            fmt::format("the model has no tensor '{}'{}", name, frontend::suggestion(name, known)));
      }
    }
  }

  void format_options() {
    for (const auto& [name, format] : options_.formats) {
      const auto tensor = std::ranges::find(program_.tensors, name, &TensorDecl::name);
      if (tensor == program_.tensors.end()) {
        std::vector<std::string> known;
        for (const TensorDecl& decl : program_.tensors) known.push_back(decl.name);
        diag_.error(
            "format", command_line(fmt::format("--format {}={}", name, format)),
            fmt::format("the model has no tensor '{}'{}", name, frontend::suggestion(name, known)));
        continue;
      }
      const std::uint32_t file = diag_.sources().add("--format " + name, format);
      const auto wanted = frontend::parse_format(frontend::lex(file, diag_), name,
                                                 static_cast<int>(tensor->modes.size()), diag_);
      if (wanted)
        tensor->format = wanted;
      else
        diag_.note(tensor->range, "declared here");
    }
  }

  // --- sizes: those that one index joins are one; `root` finds the common one ---

  struct Join {
    SizeId size;
    TensorId tensor;
    std::size_t mode;
    SourceRange range;
  };

  std::size_t root(SizeId id) {
    auto n = static_cast<std::size_t>(id);
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  template <typename Function>
  static void for_accesses(const Expr& e, Function& function) {
    if (e.kind == Expr::Kind::kAccess) function(e.access);
    if (e.where) function(*e.where);
    for (const ExprPtr& arg : e.args) for_accesses(*arg, function);
  }

  template <typename Function>
  static void for_accesses(const Statement& s, Function function) {
    function(s.target);
    for_accesses(*s.value, function);
    if (s.where) function(*s.where);
  }

  void unite_sizes() {
    parent_.resize(program_.sizes.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const Statement& s : program_.statements) {
      for_accesses(s, [&](const Access& access) {
        const TensorDecl& decl = program_.tensor(access.tensor);
        for (std::size_t n = 0; n < access.indices.size(); ++n) {
          const auto index = static_cast<std::size_t>(access.indices[n]);
          parent_[root(decl.modes[n])] = root(s.indices[index].size);
        }
      });
    }
  }

  /// The bound size of the group, own value first.
  const Size* known(SizeId id) {
    if (program_.size(id).value) return &program_.size(id);
    for (std::size_t n = 0; n < program_.sizes.size(); ++n) {
      const auto other = static_cast<SizeId>(n);
      if (root(other) == root(id) && program_.size(other).value) return &program_.size(other);
    }
    return nullptr;
  }

  std::string named(TensorId id, std::size_t mode) const {
    const TensorDecl& decl = program_.tensor(id);
    const std::string where =
        decl.binding.kind == Binding::Kind::kFile ? fmt::format(" ({})", decl.binding.path) : "";
    return fmt::format("mode {} of '{}'{}", mode, decl.name, where);
  }

  void bind_shape(TensorId id, const EntryList& list) {
    const TensorDecl& decl = program_.tensor(id);
    for (std::size_t mode = 0; mode < decl.modes.size(); ++mode) {
      Size& size = program_.size(decl.modes[mode]);
      if (!size.value) {
        size.value = list.shape[mode];
        size.bound_at = decl.binding.range;
        size.bound_by = named(id, mode);
      } else if (*size.value != list.shape[mode]) {
        diag_.error("size-clash", decl.binding.range,
                    fmt::format("size '{}' is {} in {}, but {} by {}", size.name, list.shape[mode],
                                named(id, mode), *size.value, size.bound_by));
        diag_.note(size.bound_at, "bound here");
      }
    }
  }

  // Every access of an index has to agree with every other; sizes that nothing else binds take the
  // value.
  void check_indices() {
    for (std::size_t n = 0; n < program_.sizes.size(); ++n) {
      Size& size = program_.sizes[n];
      const Size* other = size.value ? nullptr : known(static_cast<SizeId>(n));
      if (other == nullptr) continue;
      size.value = other->value;
      size.bound_at = other->bound_at;
      size.bound_by = fmt::format("size '{}', {}", other->name, other->bound_by);
    }
    for (const Statement& s : program_.statements) {
      std::vector<std::optional<Join>> first(s.indices.size());
      std::set<std::string> reported;  // once for all the reductions of one name
      for_accesses(s, [&](const Access& access) {
        const TensorDecl& decl = program_.tensor(access.tensor);
        for (std::size_t mode = 0; mode < access.indices.size(); ++mode) {
          const auto index = static_cast<std::size_t>(access.indices[mode]);
          const Join join{decl.modes[mode], access.tensor, mode, access.range};
          if (!program_.size(join.size).value) continue;
          // An undeclared target has its sizes from the indices themselves.
          if (access.tensor == s.target.tensor && !decl.declared) continue;
          if (!first[index]) {
            first[index] = join;
          } else if (reported.count(s.indices[index].written) == 0 &&
                     clash(s.indices[index], *first[index], join)) {
            reported.insert(s.indices[index].written);
          }
        }
      });
    }
  }

  bool clash(const IndexVar& index, const Join& a, const Join& b) {
    const std::uint32_t first = *program_.size(a.size).value;
    const std::uint32_t second = *program_.size(b.size).value;
    if (first == second) return false;
    diag_.error("size-clash", b.range,
                fmt::format("index '{}' has two sizes: {} and {} ({} vs {})", index.written,
                            named(a.tensor, a.mode), named(b.tensor, b.mode), first, second));
    for (const SizeId id : {a.size, b.size}) {
      const Size& size = program_.size(id);
      diag_.note(size.bound_at, fmt::format("{} by {}", *size.value, size.bound_by));
    }
    return true;
  }

  void check_missing() {
    for_inputs([&](TensorId, const TensorDecl& decl) {
      if (decl.binding.kind != Binding::Kind::kNone) return;
      diag_.error("missing-data", decl.range,
                  fmt::format("'{0}' has no data; bind some with '= file(...)', "
                              "'= random(...)' or '--data {0}=FILE'",
                              decl.name));
    });
    std::set<SizeId> reported;
    if (has_errors()) return;
    for (const TensorDecl& decl : program_.tensors) {
      for (const SizeId id : decl.modes) {
        if (program_.size(id).value || !reported.insert(id).second) continue;
        diag_.error("unbound-size", program_.size(id).bound_at,
                    fmt::format("nothing gives size '{0}'; write 'size {0} = ...' or "
                                "'--size {0}=...'",
                                program_.size(id).name));
      }
    }
  }

  // --- data ---

  void read_file(TensorId id, const TensorDecl& decl) {
    namespace fs = std::filesystem;
    const bool from_command_line = given_.count(decl.name) > 0;
    const fs::path path = from_command_line
                              ? fs::path(decl.binding.path)
                              : fs::path(program_.file).parent_path() / decl.binding.path;
    std::vector<std::uint32_t> shape;
    for (const SizeId mode : decl.modes) {
      const Size* size = known(mode);
      shape.push_back(size != nullptr ? *size->value : 0);
    }
    const SourceRange use = from_command_line ? decl.range : decl.binding.range;
    std::optional<EntryList> list =
        read_tensor(path, decl.type, static_cast<int>(shape.size()), shape, use, diag_);
    if (!list) return;
    bind_shape(id, *list);
    data_.emplace(id, std::move(*list));
  }

  void generate(TensorId id, const TensorDecl& decl) {
    const Binding& binding = decl.binding;
    std::vector<std::uint32_t> shape;
    for (const SizeId mode : decl.modes) shape.push_back(*program_.size(mode).value);
    const bool random = binding.kind == Binding::Kind::kRandom;
    const double density = random ? binding.density : 1;
    const double entries = static_cast<double>(dense_size(shape)) * density;
    if (entries > kMaxEntries) {
      diag_.error("data-size", binding.range,
                  fmt::format("'{}' would have about {:.0f} entries, and {:.0f} is the most that "
                              "Heddle makes",
                              decl.name, entries, kMaxEntries));
      return;
    }
    data_.emplace(id, random ? random_entries(shape, decl.type, density, binding.seed)
                             : constant_entries(shape, decl.type, binding.value));
  }

  static EntryList constant_entries(const std::vector<std::uint32_t>& shape, ValueType type,
                                    double value) {
    EntryList list;
    list.shape = shape;
    const auto count = static_cast<std::size_t>(dense_size(shape));
    const std::uint32_t bits = type == ValueType::kF32
                                   ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                   : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    list.vals.assign(count, bits);
    std::vector<std::uint32_t> at(shape.size(), 0);
    for (std::size_t n = 0; n < count; ++n) {
      list.crd.insert(list.crd.end(), at.begin(), at.end());
      for (std::size_t mode = shape.size(); mode-- > 0;) {
        if (++at[mode] < shape[mode]) break;
        at[mode] = 0;
      }
    }
    return list;
  }

  /// An input with no declared format is dense if its data has every entry, else compressed.
  void infer_formats() {
    for (const auto& [id, list] : data_) {
      TensorDecl& decl = program_.tensor(id);
      if (decl.format) continue;
      const int rank = list.rank();
      if (list.size() == dense_size(list.shape)) {
        decl.format = TensorFormat::dense(rank);
      } else {
        const auto csr = TensorFormat::named("csr", rank);
        decl.format = csr ? *csr : TensorFormat::compressed(rank);
      }
    }
  }

  void check_positions() {
    for (std::size_t n = 0; n < program_.tensors.size(); ++n) {
      const TensorDecl& decl = program_.tensors[n];
      const auto data = data_.find(static_cast<TensorId>(n));
      double positions = 1;
      for (std::size_t level = 0; level < decl.modes.size(); ++level) {
        const int mode = decl.format ? decl.format->order[level] : static_cast<int>(level);
        positions *= *program_.size(decl.modes[static_cast<std::size_t>(mode)]).value;
        if (data != data_.end() && decl.format->levels[level] == LevelKind::kCompressed) {
          positions = std::min(positions, static_cast<double>(data->second.size()));
        }
        if (positions > kMaxPositions) break;
      }
      if (positions <= kMaxPositions) continue;
      diag_.error("data-size", decl.range,
                  fmt::format("'{}' would have {:.0f} positions or more, and {:.0f} is the most "
                              "that Heddle stores",
                              decl.name, positions, kMaxPositions));
    }
  }

  EinsumProgram& program_;
  const DataOptions& options_;
  Diagnostics& diag_;
  std::size_t before_;
  std::set<TensorId> defined_;
  std::set<std::string> given_;  // bound by --data
  std::vector<std::size_t> parent_;
  std::map<TensorId, EntryList> data_;
};

}  // namespace

std::optional<std::map<TensorId, EntryList>> bind_data(EinsumProgram& program,
                                                       const DataOptions& options,
                                                       Diagnostics& diag) {
  return DataBinder(program, options, diag).run();
}

}  // namespace heddle
