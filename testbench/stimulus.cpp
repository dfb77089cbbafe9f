#include "testbench/stimulus.h"

#include <algorithm>
#include <bit>
#include <random>

#include "compiler/support/check.h"

namespace heddle {
namespace {

constexpr std::uint64_t kAnyWord = std::uint64_t{1} << 32;

class Maker {
 public:
  Maker(const Params& p, std::uint64_t seed) : params(p), random_(seed) {
    style_ = below(4);
    absent_ = chance(30) ? 0 : below(60);
    density_ = 10 + below(90);
  }

  const Params& params;

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<int>(list.size())));
  }

  /// Coordinates of this stimulus are `span` numbers below `limit`.
  void choose_coordinates(std::uint64_t limit) {
    span_ = static_cast<std::uint64_t>(chance(10) ? 1 + below(60) : 1 + below(14));
    span_ = std::min(span_, limit);
    const std::uint64_t middle = 0x80000000u - span_ / 2;
    origin_ = one_of<std::uint64_t>({0, 0, 0, limit - span_, middle});
    if (origin_ + span_ > limit) origin_ = 0;
  }

  std::uint32_t word() {
    switch (below(4)) {
      case 0:
        return static_cast<std::uint32_t>(random_());
      case 1:
        return special(ValueType::kF32);
      default:
        return static_cast<std::uint32_t>(below(10));
    }
  }
  std::uint32_t number(int type) {
    const auto t = static_cast<ValueType>(type);
    const int kind = below(10);
    if (kind == 0) return special(t);
    if (kind == 1) return static_cast<std::uint32_t>(random_());
    const int small = below(19) - 9;
    if (t == ValueType::kI32) return static_cast<std::uint32_t>(small);
    const float scale = kind == 2 ? 0.37f : kind == 3 ? 1e-3f : 1.0f;
    return std::bit_cast<std::uint32_t>(static_cast<float>(small) * scale);
  }
  /// `token`, or N now and then.
  Token maybe(Token token) { return chance(absent_) ? empty() : token; }
  Token any() { return maybe(val(word())); }

  /// A stream around whose elements there are `depth` fibers.
  Stream shape(int depth) {
    Stream s{any(), done()};
    for (int d = 0; d < depth; ++d) s = nest(s, [&](Stream& out) { add_any(out); });
    return s;
  }
  Stream shape() { return shape(below(4)); }

  /// A fiber for each element of `parent`.
  template <class Fiber>
  Stream nest(const Stream& parent, Fiber fiber) {
    budget_ = style_ == 3 ? 120 : 50;
    Stream out;
    for (const Token t : parent) {
      if (t.is_element()) {
        const std::size_t before = out.size();
        fiber(out);
        budget_ -= static_cast<int>(out.size() - before);
        out.push_back(stop(0));
      } else {
        out.push_back(outward(t));
      }
    }
    return out;
  }
  void add_any(Stream& out) {
    for (int n = length(); n > 0; --n) out.push_back(any());
  }
  Stream nest_any(const Stream& parent) {
    return nest(parent, [&](Stream& out) { add_any(out); });
  }
  /// Ascending coordinates for each element of `parent`.
  Stream nest_coordinates(const Stream& parent) {
    return nest(parent, [&](Stream& out) {
      if (budget_ <= 0) return;
      const int density = style_ == 0 ? density_ / 3 : density_;
      for (std::uint64_t c = origin_; c < origin_ + span_; ++c)
        if (chance(density)) out.push_back(val(static_cast<std::uint32_t>(c)));
    });
  }

  /// The same stream with other elements.
  template <class Change>
  Stream map(const Stream& s, Change change) {
    Stream out = s;
    for (Token& t : out)
      if (t.is_element()) t = change(t);
    return out;
  }
  Stream map_any(const Stream& s) {
    return map(s, [&](Token) { return any(); });
  }
  Stream map_numbers(const Stream& s, int type) {
    return map(s, [&](Token) { return maybe(val(number(type))); });
  }

  int length() {
    if (budget_ <= 0) return 0;
    switch (style_) {
      case 0:
        return below(2);
      case 1:
        return below(4);
      case 2:
        return chance(40) ? 0 : below(6);
      default:
        return chance(20) ? below(40) : below(3);
    }
  }
  int fresh_length() {
    budget_ = 1;
    return length();
  }
  std::vector<std::uint32_t> words(std::uint32_t n) {
    std::vector<std::uint32_t> w(n);
    for (std::uint32_t& x : w) x = word();
    return w;
  }

 private:
  std::uint32_t special(ValueType type) {
    if (type == ValueType::kI32)
      return one_of<std::uint32_t>({0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu});
    return one_of<std::uint32_t>({0, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u,
                                  0xff800000u, 0x7fc00000u, 0xffc00001u, 1, 0x807fffffu,
                                  0x00800000u, 0x7f7fffffu});
  }

  std::mt19937_64 random_;
  int style_ = 0;
  int absent_ = 0;
  int density_ = 0;
  int budget_ = 0;  // elements that are still to be made
  std::uint64_t origin_ = 0;
  std::uint64_t span_ = 1;
};

std::uint64_t power_of_two(int bits) { return std::uint64_t{1} << bits; }

Stimulus make_accumulate(Maker& m) {
  m.choose_coordinates(power_of_two(m.params[Accumulate::kBits]));
  Stream group = m.shape(m.below(3));
  for (int l = 0; l < m.params[Accumulate::kLevel]; ++l) group = m.nest_any(group);
  Stream crd = m.nest_coordinates(group);
  // Fibers need not be sorted here, and may name a coordinate twice.
  if (m.chance(40))
    for (std::size_t i = 1; i < crd.size(); ++i)
      if (crd[i].is_val() && crd[i - 1].is_val() && m.chance(50)) crd[i] = crd[i - 1];
  Stream value = m.map_numbers(crd, m.params[Accumulate::kType]);
  return {{crd, value}, {}, {{}}};
}

Stimulus make_alu(Maker& m) {
  const Stream s = m.shape();
  return {{m.map_numbers(s, m.params[Alu::kType]), m.map_numbers(s, m.params[Alu::kType])}, {}, {}};
}

Stimulus make_array(Maker& m) {
  const Stream ref = m.map(m.shape(), [&](Token) {
    return m.maybe(val(static_cast<std::uint32_t>(m.below(static_cast<int>(kLoadedWords)))));
  });
  return {{ref}, {}, {m.words(kLoadedWords)}};
}

Stimulus make_anything(Maker& m) { return {{m.shape()}, {m.word()}, {}}; }

Stimulus make_crd_drop(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream outer = m.nest_coordinates(m.shape(m.below(3)));
  Stream inner = outer;
  for (int d = 0; d < m.params[CrdDrop::kDepth]; ++d) inner = m.nest_any(inner);
  return {{outer, inner}, {}, {}};
}

Stimulus make_fill(Maker& m) {
  const int size = m.below(15);
  if (size > 0) m.choose_coordinates(static_cast<std::uint64_t>(size));
  const Stream outer = m.shape(m.below(3));
  const Stream crd = size > 0 ? m.nest_coordinates(outer) : m.nest(outer, [](Stream&) {});
  Stream in = m.map_any(crd);
  for (int d = 0; d < m.params[Fill::kDepth]; ++d) in = m.nest_any(in);
  return {{crd, in}, {static_cast<std::uint32_t>(size)}, {}};
}

Stimulus make_flatten(Maker& m) { return {{m.shape(2 + m.below(3))}, {}, {}}; }

Stimulus make_function(Maker& m) {
  return {{m.map_numbers(m.shape(), m.params[Function::kType])}, {}, {}};
}

Stimulus make_merge(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const int n = m.params[0];
  const Stream outer = m.shape(m.below(3));
  Stimulus s;
  for (int i = 0; i < n; ++i) s.streams.push_back(m.nest_coordinates(outer));
  for (int i = 0; i < n; ++i)
    s.streams.push_back(m.map_any(s.streams[static_cast<std::size_t>(i)]));
  return s;
}

Stimulus make_locate(Maker& m) {
  const int size = 1 + m.below(9);
  m.choose_coordinates(static_cast<std::uint64_t>(size));
  const Stream crd = m.nest_coordinates(m.shape());
  return {{crd, m.map_any(crd)}, {static_cast<std::uint32_t>(size)}, {}};
}

Stimulus make_mask(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream outer = m.shape(m.below(3));
  const Stream crd = m.nest_coordinates(outer);
  return {{crd, m.map_any(crd), m.nest_coordinates(outer)}, {}, {}};
}

Stimulus make_pack(Maker& m) {
  const int bits = m.params[Pack::kBits];
  m.choose_coordinates(power_of_two(32 - bits));
  const Stream outer = m.nest_coordinates(m.shape(m.below(3)));
  m.choose_coordinates(power_of_two(bits));
  const Stream inner = m.nest_coordinates(outer);
  return {{outer, inner, m.map_any(inner)}, {}, {}};
}

Stimulus make_pick(Maker& m) {
  const int depth = m.below(4);
  Stream items = m.shape(depth), ref;
  std::uint32_t ordinal = 0;
  const int kept = m.below(101);
  for (const Token t : items) {
    if (t.is_control()) {
      ref.push_back(t);
    } else if (m.chance(kept) || depth == 0) {
      ref.push_back(m.maybe(val(ordinal)));
    }
    if (t.is_element()) ++ordinal;
  }
  for (int d = 0; d < m.params[Pick::kDepth]; ++d) items = m.nest_any(items);
  return {{ref, items}, {}, {}};
}

Stimulus make_reduce(Maker& m) {
  const Stream in = m.map_numbers(m.nest_any(m.shape(m.below(4))), m.params[Reduce::kType]);
  return {{in}, {static_cast<std::uint32_t>(m.below(6))}, {}};
}

Stimulus make_repeat(Maker& m) {
  const Stream in = m.shape();
  return {{in, m.nest_any(in)}, {}, {}};
}

Stimulus make_scan_compressed(Maker& m) {
  const Stream lo =
      m.map(m.shape(), [&](Token) { return val(static_cast<std::uint32_t>(m.below(40))); });
  const Stream hi = m.map(
      lo, [&](Token t) { return val(t.bits + static_cast<std::uint32_t>(m.fresh_length())); });
  return {{lo, hi}, {}, {m.words(kLoadedWords)}};
}

Stimulus make_scan_dense(Maker& m) {
  return {{m.shape()}, {static_cast<std::uint32_t>(m.below(6))}, {}};
}

/// Answers of some intersection: each asks for a coordinate beyond the last one, or ends the fiber.
Stimulus make_scan_skip(Maker& m) {
  std::vector<std::uint32_t> crds(kLoadedWords);
  const std::uint32_t origin = m.one_of<std::uint32_t>({0, 0, 0x7fffff80u, 0xfffff000u});
  const int gap = m.one_of<int>({1, 3, 30});
  for (std::uint32_t i = 0, c = origin; i < kLoadedWords; ++i) {
    crds[i] = c;
    c += static_cast<std::uint32_t>(1 + m.below(gap));
  }
  const Stream lo =
      m.map(m.shape(), [&](Token) { return val(static_cast<std::uint32_t>(m.below(40))); });
  const Stream hi = m.map(
      lo, [&](Token t) { return val(t.bits + static_cast<std::uint32_t>(m.fresh_length())); });
  const int jump = 1 + m.below(12);
  Stream skip;
  for (std::size_t f = 0; f < lo.size(); ++f) {
    if (!lo[f].is_val() || lo[f].bits == hi[f].bits) continue;
    for (std::uint32_t at = lo[f].bits; at < hi[f].bits;) {
      if (m.chance(8)) {
        skip.push_back(stop(0));
        break;
      }
      std::uint32_t wanted = crds[at] + 1;
      if (m.chance(50)) wanted += static_cast<std::uint32_t>(m.below(jump * gap));
      skip.push_back(val(wanted));
      while (at < hi[f].bits && crds[at] < wanted) ++at;
    }
  }
  skip.push_back(done());
  return {{lo, hi, skip}, {}, {crds}};
}

Stimulus make_segment(Maker& m) {
  const auto fibers = static_cast<int>(kLoadedWords) - 1 - m.below(2);
  const Stream ref = m.map(
      m.shape(), [&](Token) { return m.maybe(val(static_cast<std::uint32_t>(m.below(fibers)))); });
  return {{ref}, {}, {m.words(static_cast<std::uint32_t>(fibers) + 1)}};
}

Stimulus make_select(Maker& m) {
  const Stream s = m.shape();
  return {{m.map_numbers(s, m.params[Select::kType]), m.map_any(s), m.map_any(s)}, {}, {}};
}

Stimulus make_stream(Maker& m) { return {{m.shape()}, {}, {}}; }

Stimulus make_unpack(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream crd = m.nest_coordinates(m.shape(m.below(4)));
  return {{crd, m.map_any(crd)}, {}, {}};
}

Stimulus make_val_drop(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const Stream crd = m.nest_coordinates(m.shape());
  return {{crd, m.map_any(crd)}, {}, {}};
}

Stimulus make_write_compressed(Maker& m) {
  m.choose_coordinates(kAnyWord);
  return {{m.nest_coordinates(m.shape())}, {}, {{}, {}}};
}

Stimulus make_write_vals(Maker& m) { return {{m.shape()}, {}, {{}}}; }

struct Entry {
  StimulusRow row;
  Stimulus (*make)(Maker&);
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {{"accumulate",
        {{{0, 0, 10, 1}}, {{0, 1, 6, 0}}, {{1, 0, 7, 2}}, {{2, 1, 1, 1}}, {{0, 0, 13, 0}}},
        {"crd_in:v val_in:v > ", "crd_in:v val_in:N > ", "crd_in:S val_in:S > ",
         "crd_in:T val_in:T > ", " > crd:v val:v", "crd_in:S val_in:S > crd:S val:S",
         "crd_in:T val_in:T > crd:S val:S", "crd_in:T val_in:T > crd:T val:T",
         "crd_in:D val_in:D > crd:D val:D"}},
       make_accumulate},
      {{"alu",
        {{{0, 0, 0}},
         {{1, 0, 1}},
         {{2, 0, 1}},
         {{3, 0, 2}},
         {{4, 0, 3}},
         {{5, 0, 0}},
         {{6, 0, 2}},
         {{7, 0, 0}},
         {{8, 0, 1}},
         {{9, 0, 3}},
         {{0, 1, 2}},
         {{1, 1, 3}},
         {{2, 1, 1}},
         {{3, 1, 0}},
         {{4, 1, 3}},
         {{6, 1, 0}}},
        {"a:v b:v > val:v", "a:N b:v > val:v", "a:v b:N > val:v", "a:N b:N > val:v",
         "a:N b:v > val:N", "a:v b:N > val:N", "a:N b:N > val:N", "a:S b:S > val:S",
         "a:T b:T > val:T", "a:D b:D > val:D"}},
       make_alu},
      {{"array",
        {{{0}}, {{1}}},
        {"ref:v > val:v", "ref:N > val:N", "ref:N > val:v", "ref:S > val:S", "ref:T > val:T",
         "ref:D > val:D"}},
       make_array},
      {{"constant",
        {{}},
        {"in:v > out:v", "in:N > out:v", "in:S > out:S", "in:T > out:T", "in:D > out:D"}},
       make_anything},
      {{"crd_drop",
        {{{1}}, {{2}}, {{3}}},
        {"outer_in:v inner_in:S > ", "outer_in:v inner_in:T > ",
         "outer_in:v inner_in:v > outer:v inner:v", "outer_in:v inner_in:N > outer:v inner:N",
         "outer_in:v inner_in:S > outer:v inner:S", "outer_in:v inner_in:T > outer:v inner:T",
         "inner_in:v > inner:v", "inner_in:N > inner:N", "inner_in:S > inner:S",
         "inner_in:T > inner:T", "outer_in:S inner_in:T > outer:S inner:T",
         "outer_in:T inner_in:T > outer:T inner:T", "outer_in:D inner_in:D > outer:D inner:D"}},
       make_crd_drop},
      {{"fill",
        {{{0}}, {{1}}, {{2}}, {{3}}},
        {" > out:v", " > out:S", " > out:T", "crd:v in:v > out:v", "crd:v in:N > out:N",
         "crd:v in:S > out:S", "crd:v in:T > out:T", "in:v > out:v", "in:N > out:N", "in:S > out:S",
         "in:T > out:T", "crd:S in:S > out:S", "crd:S in:T > out:T", "crd:T in:T > out:T",
         "crd:D in:D > out:D"}},
       make_fill},
      {{"flatten",
        {{}},
        {"in:v > out:v", "in:N > out:N", "in:S > ", "in:T > out:S", "in:T > out:T",
         "in:D > out:D"}},
       make_flatten},
      {{"fork",
        {{{2}}, {{3}}, {{5}}},
        {"in:v > out:v", "in:N > out:N", "in:S > out:S", "in:T > out:T", "in:D > out:D"}},
       make_stream},
      {{"function",
        {{{0, 0, 0}},
         {{1, 0, 1}},
         {{2, 0, 0}},
         {{3, 0, 1}},
         {{4, 0, 0}},
         {{5, 0, 1}},
         {{6, 0, 0}},
         {{7, 0, 1}},
         {{8, 0, 0}},
         {{9, 0, 1}},
         {{10, 0, 0}},
         {{0, 1, 1}},
         {{1, 1, 0}},
         {{2, 1, 1}}},
        {"in:v > val:v", "in:N > val:N", "in:N > val:v", "in:S > val:S", "in:T > val:T",
         "in:D > val:D"}},
       make_function},
      {{"intersect",
        {{{2}}, {{3}}, {{5}}},
        {"crd_in:v ref_in:v > ", "crd_in:v ref_in:N > ", "crd_in:v ref_in:v > crd:v ref:v",
         "crd_in:v ref_in:Nv > crd:v ref:Nv", "crd_in:v ref_in:N > crd:v ref:N",
         "crd_in:S ref_in:S > crd:S ref:S", "crd_in:T ref_in:T > crd:T ref:T",
         "crd_in:D ref_in:D > crd:D ref:D"}},
       make_merge},
      {{"intersect_skip",
        {{{2}}, {{3}}, {{5}}},
        {"crd_in:v ref_in:v > skip:v", "crd_in:v ref_in:N > skip:v", "crd_in:v ref_in:v > skip:S",
         "crd_in:v ref_in:N > skip:S", "crd_in:v ref_in:v > crd:v ref:v skip:v",
         "crd_in:v ref_in:Nv > crd:v ref:Nv skip:v", "crd_in:S ref_in:S > crd:S ref:S",
         "crd_in:T ref_in:T > crd:T ref:T", "crd_in:D ref_in:D > crd:D ref:D skip:D"},
        "skip"},
       make_merge},
      {{"locate",
        {{}},
        {"crd:v ref:v > pos:v", "crd:v ref:N > pos:N", "crd:S ref:S > pos:S", "crd:T ref:T > pos:T",
         "crd:D ref:D > pos:D"}},
       make_locate},
      {{"mask",
        {{}},
        {"crd_in:v ref_in:v > ", "crd_in:v ref_in:N > ", "mask:v > ",
         "crd_in:v ref_in:v mask:v > crd:v ref:v", "crd_in:v ref_in:N mask:v > crd:v ref:N",
         "crd_in:S ref_in:S mask:S > crd:S ref:S", "crd_in:T ref_in:T mask:T > crd:T ref:T",
         "crd_in:D ref_in:D mask:D > crd:D ref:D"}},
       make_mask},
      {{"ordinal",
        {{}},
        {"in:v > ref:v", "in:N > ref:v", "in:S > ref:S", "in:T > ref:T", "in:D > ref:D"}},
       make_stream},
      {{"pack",
        {{{10}}, {{1}}, {{26}}},
        {"inner:v val_in:v > crd:v val:v", "inner:v val_in:N > crd:v val:N",
         "outer:v inner:S val_in:S > ", "outer:S inner:T val_in:T > crd:S val:S",
         "outer:T inner:T val_in:T > crd:T val:T", "outer:D inner:D val_in:D > crd:D val:D"}},
       make_pack},
      {{"pick",
        {{{0}}, {{1}}},
        {"ref:N > out:N", "ref:N > out:S", "in:v > ", "in:N > ", "in:S > ", "in:v > out:v",
         "in:N > out:N", "ref:v in:v > out:v", "ref:v in:N > out:N", "ref:v in:S > out:S",
         "ref:S in:S > out:S", "ref:S in:T > out:T", "ref:T in:T > out:T", "ref:D in:D > out:D"}},
       make_pick},
      {{"reduce",
        {{{0, 0, 0, 0}},
         {{0, 0, 1, 1}},
         {{1, 0, 1, 0}},
         {{2, 0, 0, 1}},
         {{0, 1, 0, 1}},
         {{1, 1, 0, 1}},
         {{2, 1, 1, 0}},
         {{1, 0, 0, 1}},
         {{2, 0, 1, 0}},
         {{1, 1, 1, 0}}},
        {"in:v > ", "in:N > ", "in:S > val:v", "in:S > val:N", "in:T > val:S", "in:T > val:T",
         "in:D > val:D"}},
       make_reduce},
      {{"repeat",
        {{}},
        {"crd:v > out:v", "crd:v > out:N", "crd:N > out:v", "crd:N > out:N", "in:v crd:S > out:S",
         "in:N crd:S > out:S", "in:S crd:T > out:T", "in:T crd:T > out:T", "in:D crd:D > out:D"}},
       make_repeat},
      {{"scan_compressed",
        {{}},
        {" > crd:v pos:v", "lo:v hi:v > crd:S pos:S", "lo:S hi:S > crd:T pos:T",
         "lo:T hi:T > crd:T pos:T", "lo:D hi:D > crd:D pos:D"}},
       make_scan_compressed},
      {{"scan_dense",
        {{}},
        {" > crd:v pos:v", "ref:v > crd:S pos:S", "ref:N > crd:S pos:S", "ref:S > crd:T pos:T",
         "ref:T > crd:T pos:T", "ref:D > crd:D pos:D"}},
       make_scan_dense},
      {{"scan_skip",
        {{}},
        {" > crd:v pos:v", "skip:v > crd:v pos:v", "lo:v hi:v > crd:S pos:S",
         "lo:v hi:v skip:v > crd:S pos:S", "lo:v hi:v skip:S > crd:S pos:S",
         "lo:S hi:S > crd:T pos:T", "lo:T hi:T > crd:T pos:T", "lo:D hi:D > crd:D pos:D",
         "skip:D > "},
        "skip"},
       make_scan_skip},
      {{"segment",
        {{}},
        {"ref:v > lo:v hi:v", "ref:N > lo:v hi:v", "ref:S > lo:S hi:S", "ref:T > lo:T hi:T",
         "ref:D > lo:D hi:D"}},
       make_segment},
      {{"select",
        {{{0, 0}}, {{0, 1}}, {{1, 0}}, {{1, 1}}},
        {"c:v a:v b:v > val:v", "c:N a:v b:v > val:v", "c:v a:N b:v > val:v", "c:v a:v b:N > val:v",
         "c:N a:N b:N > val:N", "c:N a:N b:N > val:v", "c:S a:S b:S > val:S", "c:T a:T b:T > val:T",
         "c:D a:D b:D > val:D"}},
       make_select},
      {{"singleton",
        {{}},
        {" > crd:v", "in:v > crd:S", "in:N > crd:S", "in:S > crd:T", "in:T > crd:T",
         "in:D > crd:D"}},
       make_stream},
      {{"sink", {{}}, {"in:v > ", "in:N > ", "in:S > ", "in:T > ", "in:D > "}}, make_stream},
      {{"union",
        {{{2}}, {{3}}, {{5}}},
        {"crd_in:v ref_in:v > crd:v ref:v", "crd_in:v ref_in:v > crd:v ref:Nv",
         "crd_in:v ref_in:N > crd:v ref:N", "crd_in:v ref_in:Nv > crd:v ref:Nv",
         "crd_in:S ref_in:S > crd:S ref:S", "crd_in:T ref_in:T > crd:T ref:T",
         "crd_in:D ref_in:D > crd:D ref:D"}},
       make_merge},
      {{"unpack",
        {{{10}}, {{1}}, {{26}}},
        {"crd_in:v val_in:v > outer:v inner:v val:v", "crd_in:v val_in:N > outer:v inner:v val:N",
         "crd_in:v val_in:v > inner:v val:v", "crd_in:v val_in:N > inner:v val:N",
         " > inner:S val:S", "crd_in:S val_in:S > outer:S inner:T val:T",
         "crd_in:T val_in:T > outer:T inner:T val:T", "crd_in:D val_in:D > outer:D inner:D val:D"}},
       make_unpack},
      {{"val_drop",
        {{}},
        {"crd_in:v val_in:v > crd:v val:v", "crd_in:v val_in:N > ",
         "crd_in:S val_in:S > crd:S val:S", "crd_in:T val_in:T > crd:T val:T",
         "crd_in:D val_in:D > crd:D val:D"}},
       make_val_drop},
      {{"write_compressed", {{}}, {"crd:v > ", "crd:S > ", "crd:T > ", "crd:D > "}},
       make_write_compressed},
      {{"write_vals", {{}}, {"val:v > ", "val:N > ", "val:S > ", "val:T > ", "val:D > "}},
       make_write_vals},
  };
  return entries;
}

const Entry* find_entry(PrimitiveId row) {
  for (const Entry& e : table())
    if (e.row.row == spec_of(row).name) return &e;
  return nullptr;
}

}  // namespace

const StimulusRow* find_stimulus(PrimitiveId row) {
  const Entry* entry = find_entry(row);
  return entry == nullptr ? nullptr : &entry->row;
}

Stimulus make_stimulus(PrimitiveId row, const Params& params, std::uint64_t seed) {
  const Entry* entry = find_entry(row);
  HEDDLE_CHECK(entry != nullptr, "no stimulus for '{}'", spec_of(row).name);
  // Blocks of a design get unrelated input.
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(row);
  for (const std::int32_t p : params.value)
    mixed = mixed * 0xd1b54a32d192ed03u + static_cast<std::uint64_t>(p);
  Maker maker(params, mixed);
  return entry->make(maker);
}

}  // namespace heddle
