#include "compiler/fusion/order_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/fusion/loop_nests.h"

namespace heddle {
namespace {

/// The name of a kin's first index, as the user wrote it.
std::string kin_name(const FusedEinsum& einsum, int kin) {
  const auto found = std::find_if(einsum.indices.begin(), einsum.indices.end(),
                                  [&](const FusedIndex& i) { return i.kin == kin; });
  return found == einsum.indices.end() ? "" : found->name;
}

void add_levels(const FusedEinsum& einsum, const std::vector<IndexId>& indices,
                const TensorFormat& format, const std::string& name, std::vector<Precedence>& out) {
  const auto kin_at = [&](std::size_t level) {
    return einsum.at(indices[static_cast<std::size_t>(format.order[level])]).kin;
  };
  for (std::size_t l = 1; l < format.order.size(); ++l)
    if (kin_at(l - 1) != kin_at(l)) out.push_back({kin_at(l - 1), kin_at(l), name});
}

void each_reduction(const FusedExpr& e, const std::function<void(const FusedExpr&)>& visit) {
  if (e.kind == FusedExpr::Kind::kReduce) visit(e);
  for (const FusedExpr& arg : e.args) each_reduction(arg, visit);
}

/// Whether the declared levels of a result come in the loop order; else it is copied afterwards.
bool written_as_computed(const FusedEinsum& einsum, const FusedResult& result) {
  std::ptrdiff_t last = -1;
  for (const int mode : result.format->order) {
    const IndexId id = result.indices[static_cast<std::size_t>(mode)];
    const auto at = std::find(einsum.order.begin(), einsum.order.end(), id) - einsum.order.begin();
    if (at < last) return false;
    last = at;
  }
  return true;
}

std::string word(ReduceOp op) {
  return op == ReduceOp::kSum ? "sum" : op == ReduceOp::kMax ? "maximum" : "minimum";
}

/// The shortest chain of precedences that leads from one kin to another.
std::vector<Precedence> chain(const std::vector<Precedence>& all, int from, int to) {
  std::map<int, Precedence> reached;  // kin -> how it was reached
  std::vector<int> line{from};
  for (std::size_t n = 0; n < line.size(); ++n)
    for (const Precedence& p : all)
      if (p.before == line[n] && p.after != from && reached.emplace(p.after, p).second)
        line.push_back(p.after);
  std::vector<Precedence> found;
  if (reached.count(to) == 0) return found;
  for (int at = to; at != from; at = found.back().before) found.push_back(reached.at(at));
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<Precedence> precedences(const FusedEinsum& einsum, const std::vector<int>& wanted,
                                    const std::vector<TensorFormat>& stored) {
  std::vector<Precedence> all;
  for (std::size_t a = 0; a < wanted.size(); ++a)
    for (std::size_t b = a + 1; b < wanted.size(); ++b)
      all.push_back({wanted[a], wanted[b], "order"});
  for (const View& view : einsum.views)
    if (!view.identity && !view.permuted)
      add_levels(einsum, view.indices, stored[static_cast<std::size_t>(view.tensor)], view.name,
                 all);
  for (const FusedResult& result : einsum.results) {
    if (result.format && written_as_computed(einsum, result))
      add_levels(einsum, result.indices, *result.format, result.name, all);
    each_reduction(result.value, [&](const FusedExpr& e) {
      for (const IndexId id : e.nest) {
        if (id == e.index) break;
        if (e.reduce == ReduceOp::kSum && contains(free_of(einsum, e.args[0]), id)) continue;
        all.push_back({einsum.at(id).kin, einsum.at(e.index).kin,
                       fmt::format("{} over {}", word(e.reduce), einsum.at(e.index).name)});
      }
    });
  }
  return all;
}

std::string cycle_text(const FusedEinsum& einsum, const std::vector<Precedence>& all,
                       const View& view, const TensorFormat& stored) {
  std::vector<Precedence> own;
  for (std::size_t a = 0; a < stored.order.size(); ++a)
    for (std::size_t b = a + 1; b < stored.order.size(); ++b)
      own.push_back({einsum.at(view.indices[static_cast<std::size_t>(stored.order[a])]).kin,
                     einsum.at(view.indices[static_cast<std::size_t>(stored.order[b])]).kin,
                     view.name});
  std::vector<Precedence> shortest;
  for (const Precedence& p : own) {
    std::vector<Precedence> round = chain(all, p.after, p.before);
    if (round.empty() || (!shortest.empty() && round.size() + 1 >= shortest.size())) continue;
    round.push_back(p);
    shortest = std::move(round);
  }
  std::string text;
  for (const Precedence& p : shortest)
    text += fmt::format("{}{} before {} ({})", text.empty() ? "" : ", ", kin_name(einsum, p.before),
                        kin_name(einsum, p.after), p.because);
  return text;
}

std::vector<std::string> moved_reductions(const FusedEinsum& einsum,
                                          const std::vector<int>& wanted) {
  std::vector<std::string> remarks;
  const auto place = [&](IndexId id) {
    return std::find(wanted.begin(), wanted.end(), einsum.at(id).kin);
  };
  for (const FusedResult& result : einsum.results)
    each_reduction(result.value, [&](const FusedExpr& e) {
      for (const IndexId id : e.nest) {
        if (id == e.index) return;
        if (place(id) == wanted.end() || place(id) <= place(e.index)) continue;
        const std::string remark = fmt::format(
            "the order has '{0}' around '{1}', but the {2} over '{0}' runs inside of '{1}'",
            kin_name(einsum, einsum.at(e.index).kin), kin_name(einsum, einsum.at(id).kin),
            word(e.reduce));
        if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end())
          remarks.push_back(remark);
      }
    });
  return remarks;
}

}  // namespace heddle
