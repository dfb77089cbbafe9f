#include "compiler/frontend/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::frontend {
namespace {

using Kind = ExprSyntax::Kind;

constexpr std::size_t kMaxNodes = 20000;  // of one statement after expansion
constexpr std::size_t kMaxImplicit = 64;  // implicit sums of one statement

bool contains(const std::vector<Name>& names, const std::string& text) {
  return std::ranges::any_of(names, [&](const Name& name) { return name.text == text; });
}

bool is_infix(const ExprSyntax& e, char op) { return e.kind == Kind::kInfix && e.op == op; }

/// The indices that a reduction hides from the outside; a macro hides none.
bool hides(const ExprSyntax& e, const std::string& index) {
  return e.kind == Kind::kReduce && !is_macro(e.name.text) && contains(e.indices, index);
}

void collect_free(const ExprSyntax& e, std::vector<std::string>& hidden, std::vector<Name>& found) {
  const auto note = [&](const Name& name) {
    if (std::ranges::find(hidden, name.text) == hidden.end() && !contains(found, name.text)) {
      found.push_back(name);
    }
  };
  if (e.kind == Kind::kAccess) std::ranges::for_each(e.access.indices, note);
  const std::size_t outer = hidden.size();
  if (e.kind == Kind::kReduce) {
    for (const Name& index : e.indices) {
      if (is_macro(e.name.text)) {
        note(index);
      } else {
        hidden.push_back(index.text);
      }
    }
  }
  for (const ExprSyntaxPtr& arg : e.args) collect_free(*arg, hidden, found);
  hidden.resize(outer);
}

ExprSyntaxPtr reduction(std::string name, std::vector<Name> indices, ExprSyntaxPtr body) {
  auto e = std::make_unique<ExprSyntax>();
  e->kind = Kind::kReduce;
  e->range = body->range;
  e->name = {std::move(name), body->range};
  e->indices = std::move(indices);
  e->args.push_back(std::move(body));
  return e;
}

class ImplicitSum {
 public:
  ImplicitSum(const Name& index, Diagnostics& diag) : index_(index), diag_(diag) {}

  // Precondition: `e` uses the index.
  bool place(ExprSyntaxPtr& e) const {
    switch (e->kind) {
      case Kind::kInfix:
        if (e->op == '*') return place_in_product(e);
        if (e->op == '/') return place_in_quotient(e);
        return std::ranges::all_of(
            e->args, [&](ExprSyntaxPtr& arg) { return !uses(*arg, index_.text) || place(arg); });
      case Kind::kReduce:
        if (contains(e->indices, index_.text)) return wrap(e);
        return place_in_arguments(e);
      case Kind::kNegate:
      case Kind::kCall:
        return place_in_arguments(e);
      default:
        return wrap(e);
    }
  }

 private:
  bool wrap(ExprSyntaxPtr& e) const {
    e->parenthesized = false;
    e = reduction("sum", {index_}, std::move(e));
    return true;
  }

  // a * b * c is one product; parentheses make smaller ones.
  void factors(ExprSyntaxPtr& e, bool top, std::vector<ExprSyntaxPtr*>& found) const {
    if (is_infix(*e, '*') && (top || !e->parenthesized)) {
      factors(e->args[0], false, found);
      factors(e->args[1], false, found);
    } else if (uses(*e, index_.text)) {
      found.push_back(&e);
    }
  }

  bool place_in_product(ExprSyntaxPtr& e) const {
    std::vector<ExprSyntaxPtr*> users;
    factors(e, true, users);
    const bool inside = users.size() == 1 && (*users[0])->kind != Kind::kAccess;
    return inside ? place(*users[0]) : wrap(e);
  }

  bool place_in_quotient(ExprSyntaxPtr& e) const {
    const bool above = uses(*e->args[0], index_.text);
    const bool below = uses(*e->args[1], index_.text);
    if (above && below) return wrap(e);
    if (above) return place(e->args[0]);
    if (e->args[1]->kind != Kind::kAccess) return place(e->args[1]);
    diag_.error("implicit-sum", e->args[1]->range,
                fmt::format("the index '{0}' occurs in a divisor only; write out the sum, "
                            "sum({0}: ...), where it is meant",
                            index_.text));
    return false;
  }

  bool place_in_arguments(ExprSyntaxPtr& e) const {
    ExprSyntaxPtr* user = nullptr;
    for (ExprSyntaxPtr& arg : e->args) {
      if (!uses(*arg, index_.text)) continue;
      if (user != nullptr) return wrap(e);
      user = &arg;
    }
    return place(*user);
  }

  const Name& index_;
  Diagnostics& diag_;
};

std::size_t nodes(const ExprSyntax& e) {
  std::size_t count = 1;
  for (const ExprSyntaxPtr& arg : e.args) count += nodes(*arg);
  return count;
}

ExprSyntaxPtr copy(const ExprSyntax& e) {
  auto c = std::make_unique<ExprSyntax>();
  c->kind = e.kind;
  c->parenthesized = e.parenthesized;
  c->op = e.op;
  c->number = e.number;
  c->access = e.access;
  c->name = e.name;
  c->indices = e.indices;
  c->range = e.range;
  for (const ExprSyntaxPtr& arg : e.args) c->args.push_back(copy(*arg));
  return c;
}

ExprSyntaxPtr infix(ExprSyntaxPtr left, char op, ExprSyntaxPtr right, SourceRange range) {
  auto e = std::make_unique<ExprSyntax>();
  e->kind = Kind::kInfix;
  e->op = op;
  e->args.push_back(std::move(left));
  e->args.push_back(std::move(right));
  e->range = range;
  return e;
}

ExprSyntaxPtr call(std::string name, ExprSyntaxPtr arg, SourceRange range) {
  auto e = std::make_unique<ExprSyntax>();
  e->kind = Kind::kCall;
  e->name = {std::move(name), range};
  e->args.push_back(std::move(arg));
  e->range = range;
  return e;
}

// The expansions. `m` is the macro; its argument has none left.

ExprSyntaxPtr softmax(const ExprSyntax& m) {
  const ExprSyntax& x = *m.args[0];
  ExprSyntaxPtr e =
      call("exp", infix(copy(x), '-', reduction("max", m.indices, copy(x)), m.range), m.range);
  ExprSyntaxPtr sum = reduction("sum", m.indices, copy(*e));
  return infix(std::move(e), '/', std::move(sum), m.range);
}

// y / sqrt(mean of y squared + eps)
ExprSyntaxPtr scaled(const ExprSyntax& m, const ExprSyntax& y) {
  ExprSyntaxPtr square = infix(copy(y), '*', copy(y), m.range);
  ExprSyntaxPtr mean = reduction("mean", m.indices, std::move(square));
  ExprSyntaxPtr root =
      call("rsqrt", infix(std::move(mean), '+', copy(*m.args[1]), m.range), m.range);
  return infix(copy(y), '*', std::move(root), m.range);
}

ExprSyntaxPtr rmsnorm(const ExprSyntax& m) { return scaled(m, *m.args[0]); }

// Mean first, then the mean of the squared differences: no cancellation for a large mean.
ExprSyntaxPtr layernorm(const ExprSyntax& m) {
  const ExprSyntax& x = *m.args[0];
  const ExprSyntaxPtr difference =
      infix(copy(x), '-', reduction("mean", m.indices, copy(x)), m.range);
  return scaled(m, *difference);
}

struct Macro {
  std::string_view name;
  std::size_t arguments;
  std::size_t copies;  // of the argument, at most
  ExprSyntaxPtr (*expand)(const ExprSyntax&);
};

constexpr Macro kMacros[] = {
    {"softmax", 1, 4, softmax},
    {"layernorm", 2, 6, layernorm},
    {"rmsnorm", 2, 3, rmsnorm},
};

const Macro* find_macro(const std::string& name) {
  const auto* found = std::ranges::find(kMacros, name, &Macro::name);
  return found == std::end(kMacros) ? nullptr : found;
}

}  // namespace

bool is_macro(const std::string& name) { return find_macro(name) != nullptr; }

bool uses(const ExprSyntax& e, const std::string& index) {
  if (e.kind == Kind::kAccess) return contains(e.access.indices, index);
  if (hides(e, index)) return false;
  if (e.kind == Kind::kReduce && contains(e.indices, index)) return true;
  return std::ranges::any_of(e.args, [&](const ExprSyntaxPtr& a) { return uses(*a, index); });
}

bool place_implicit_sums(ExprSyntaxPtr& value, const std::vector<Name>& bound, Diagnostics& diag) {
  std::vector<std::string> hidden;
  for (const Name& name : bound) hidden.push_back(name.text);
  std::vector<Name> missing;
  collect_free(*value, hidden, missing);
  if (missing.size() > kMaxImplicit) {
    diag.error("expression-size", value->range,
               fmt::format("{} indices are summed implicitly here, and {} is the most",
                           missing.size(), kMaxImplicit));
    return false;
  }
  bool good = true;
  for (const Name& index : missing) good = ImplicitSum(index, diag).place(value) && good;
  return good;
}

bool expand_macros(ExprSyntaxPtr& value, Diagnostics& diag) {
  for (ExprSyntaxPtr& arg : value->args) {
    if (!expand_macros(arg, diag)) return false;
  }
  if (value->kind != Kind::kReduce) return true;
  const Macro* macro = find_macro(value->name.text);
  if (macro == nullptr) return true;
  if (value->args.size() != macro->arguments) {
    diag.error("argument-count", value->name.range,
               fmt::format("'{}' takes {} argument{} after the indices, found {}", macro->name,
                           macro->arguments, macro->arguments == 1 ? "" : "s", value->args.size()));
    return false;
  }
  if (nodes(*value) * macro->copies > kMaxNodes) {
    diag.error("expression-size", value->range,
               fmt::format("'{}' makes this expression too large; name its argument in a "
                           "statement of its own",
                           macro->name));
    return false;
  }
  value->args[0]->parenthesized = true;
  ExprSyntaxPtr expanded = macro->expand(*value);
  expanded->parenthesized = true;
  value = std::move(expanded);
  return true;
}

}  // namespace heddle::frontend
