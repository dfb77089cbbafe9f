#include "testbench/stimulus.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "compiler/support/check.h"

namespace heddle {
namespace {

using Table = std::array<std::optional<StimulusRow>, kPrimitiveCount>;

/// Made by the first row, whichever file that is in.
Table& table() {
  static Table rows;
  return rows;
}

}  // namespace

void register_stimulus(PrimitiveId row, StimulusRow stimulus) {
  std::optional<StimulusRow>& entry = table()[static_cast<std::size_t>(row)];
  HEDDLE_CHECK(!entry, "two stimuli for '{}'", spec_of(row).name);
  entry = std::move(stimulus);
}

const StimulusRow* find_stimulus(PrimitiveId row) {
  const std::optional<StimulusRow>& entry = table()[static_cast<std::size_t>(row)];
  return entry ? &*entry : nullptr;
}

Stimulus make_stimulus(PrimitiveId row, const Params& params, std::uint64_t seed) {
  const StimulusRow* stimulus = find_stimulus(row);
  HEDDLE_CHECK(stimulus != nullptr, "no stimulus for '{}'", spec_of(row).name);
  // Blocks of a design get unrelated input, and a new row does not change that of the others.
  std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u;
  for (const char c : spec_of(row).name)
    mixed = mixed * 0xd1b54a32d192ed03u + static_cast<unsigned char>(c);
  for (const std::int32_t p : params.value)
    mixed = mixed * 0xd1b54a32d192ed03u + static_cast<std::uint64_t>(p);
  Maker maker(params, mixed);
  return stimulus->make(maker);
}

void Maker::choose_coordinates(std::uint64_t limit) {
  span_ = static_cast<std::uint64_t>(chance(10) ? 1 + below(60) : 1 + below(14));
  span_ = std::min(span_, limit);
  const std::uint64_t middle = 0x80000000u - span_ / 2;
  origin_ = one_of<std::uint64_t>({0, 0, 0, limit - span_, middle});
  if (origin_ + span_ > limit) origin_ = 0;
}

std::uint32_t Maker::word() {
  switch (below(4)) {
    case 0:
      return static_cast<std::uint32_t>(random_());
    case 1:
      return special(ValueType::kF32);
    default:
      return static_cast<std::uint32_t>(below(10));
  }
}

std::uint32_t Maker::number(int type) {
  const auto t = static_cast<ValueType>(type);
  const int kind = below(10);
  if (kind == 0) return special(t);
  if (kind == 1) return static_cast<std::uint32_t>(random_());
  const int small = below(19) - 9;
  if (t == ValueType::kI32) return static_cast<std::uint32_t>(small);
  const float scale = kind == 2 ? 0.37f : kind == 3 ? 1e-3f : 1.0f;
  return std::bit_cast<std::uint32_t>(static_cast<float>(small) * scale);
}

std::uint32_t Maker::term(int type) {
  const bool f32 = type == static_cast<int>(ValueType::kF32);
  if (f32 && alike_) return term_ = static_cast<std::uint32_t>(exponent_) << 23 | 0x7fffffu;
  if (!f32 || chance(20)) return number(type);
  if (chance(20)) return term_ ^= 0x80000000u;
  exponent_ = std::clamp(exponent_ + (chance(50) ? below(7) - 3 : below(61) - 30), 0, 254);
  const auto fraction = chance(30) ? 0x7fffffu : static_cast<std::uint32_t>(random_()) & 0x7fffffu;
  const std::uint32_t sign = chance(25) ? 0x80000000u : 0;
  return term_ = sign | static_cast<std::uint32_t>(exponent_) << 23 | fraction;
}

Stream Maker::shape(int depth) {
  Stream s{any(), done()};
  for (int d = 0; d < depth; ++d) s = nest(s, [&](Stream& out) { add_any(out); });
  return s;
}

Stream Maker::nest_coordinates(const Stream& parent) {
  return nest(parent, [&](Stream& out) {
    if (budget_ <= 0) return;
    const int density = style_ == 0 ? density_ / 3 : density_;
    for (std::uint64_t c = origin_; c < origin_ + span_; ++c)
      if (chance(density)) out.push_back(val(static_cast<std::uint32_t>(c)));
  });
}

int Maker::length() {
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

std::vector<std::uint32_t> Maker::words(std::uint32_t n) {
  std::vector<std::uint32_t> w(n);
  for (std::uint32_t& x : w) x = word();
  return w;
}

std::uint32_t Maker::special(ValueType type) {
  if (type == ValueType::kI32)
    return one_of<std::uint32_t>({0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu});
  return one_of<std::uint32_t>({0, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u,
                                0x7fc00000u, 0xffc00001u, 1, 0x807fffffu, 0x00800000u,
                                0x7f7fffffu});
}

void Maker::add_any(Stream& out) {
  for (int n = length(); n > 0; --n) out.push_back(any());
}

Stream counted(std::uint32_t n) {
  Stream s;
  for (std::uint32_t i = 0; i < n; ++i) s.push_back(val(i));
  s.insert(s.end(), {stop(0), done()});
  return s;
}

Stimulus make_joined(Maker& m) {
  m.choose_coordinates(kAnyWord);
  const int n = m.params[0];
  const Stream outer = m.shape(m.below(3));
  Stimulus s;
  for (int i = 0; i < n; ++i) s.streams.push_back(m.nest_coordinates(outer));
  for (int i = 0; i < n; ++i)
    s.streams.push_back(m.map_any(s.streams[static_cast<std::size_t>(i)]));
  return s;
}

}  // namespace heddle
