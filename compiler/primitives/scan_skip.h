#pragma once

#include <algorithm>

#include "compiler/primitives/spec.h"

namespace heddle {

/// The scanner of a pair with intersect_skip. It never runs ahead of its skip tokens, so the
/// coordinates that it emits depend on the streams alone and not on when the tokens arrive.
struct ScanSkip {
  enum In { kLo, kHi, kSkip };
  enum Out { kCrd, kPos };
  enum Memory { kCrdArray };
  enum class Phase : std::uint8_t {
    kBetween,  // fibers
    kFirst,    // the first coordinate comes without a skip
    kSearch,   // for the coordinate that the skip asks for
    kEnded,    // all but the D of the skips has passed
  };
  /// Coordinates before `low` are less than what is searched; the one at `high` is not, and is kept
  /// unless it is the end of the fiber. `at` is the address whose word the next firing uses.
  struct State {
    Phase phase = Phase::kBetween;
    std::uint32_t at = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t step = 0;
    std::uint32_t kept = 0;
  };

  static constexpr std::array kPorts{
      PortSpec{"lo", Dir::kIn, Payload::kRef, false, "first position of each fiber"},
      PortSpec{"hi", Dir::kIn, Payload::kRef, false, "position after the last"},
      PortSpec{"skip", Dir::kIn, Payload::kCrd, false,
               "for each coordinate emitted: the least that may come next, or S0 to end the fiber; "
               "D at the end"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false,
               "the coordinates of each fiber that are not skipped"},
      PortSpec{"pos", Dir::kOut, Payload::kRef, false, "their positions"}};
  static constexpr std::array kMemories{
      MemorySpec{"crds", MemorySpec::Use::kRead, "coordinate array"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "scan_skip",
      .summary =
          "Enumerates the fibers of a compressed level, skipping what "
          "intersect_skip does not need.",
      .ports = kPorts,
      .memories = kMemories};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.enter(n.in(kLo), kCrd), kCrd, kPos);
  }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* skip = nullptr;
    if (s.phase == Phase::kSearch || s.phase == Phase::kEnded) {
      skip = f.head(kSkip);
      if (skip == nullptr) return false;
    }
    if (s.phase == Phase::kEnded) {
      if (!skip->is_done()) return f.fault(Fault::kMisaligned);
      f.pop(kSkip);
      s = {};
      return true;
    }
    const Token* lo = f.head(kLo);
    const Token* hi = f.head(kHi);
    if (lo == nullptr || hi == nullptr) return false;
    if (lo->kind != hi->kind) return f.fault(Fault::kMisaligned);
    if (s.phase == Phase::kBetween && lo->is_val() && lo->bits < hi->bits) {
      s = {Phase::kFirst, lo->bits, lo->bits, hi->bits, 0, 0};
      return true;
    }
    if (!f.room(kCrd) || !f.room(kPos)) return false;
    if (s.phase == Phase::kBetween) return end(s, lo->is_val() ? stop(0) : outward(*lo), f);
    if (skip != nullptr && !skip->is_val() && !skip->is_stop(0)) return f.fault(Fault::kMisaligned);
    if (skip != nullptr && (skip->is_stop() || s.low == hi->bits)) return end(s, stop(0), f);

    // The word in hand either is the one, or bounds the search from one side. Steps double until it
    // is bounded from both; then halves are shorter than steps.
    const std::uint32_t word = f.read(kCrdArray, s.at);
    if (word < (skip != nullptr ? skip->bits : 0)) {
      s.low = s.at + 1;
      if (s.low == s.high && s.high == hi->bits) return end(s, stop(0), f);
      if (s.low == s.high) return emit(s, s.kept, s.high, f);
      s.at = s.low + std::min(s.step, (s.high - s.low) / 2);
      s.step = 2 * s.step + 1;
      return true;
    }
    if (s.at == s.low) return emit(s, word, s.at, f);
    s.high = s.at;
    s.kept = word;
    s.at = s.low + std::min(s.step, (s.high - s.low) / 2);
    return true;
  }

 private:
  template <class Firing>
  static bool emit(State& s, std::uint32_t crd, std::uint32_t pos, Firing& f) {
    const std::uint32_t hi = f.head(kHi)->bits;
    f.push(kCrd, val(crd));
    f.push(kPos, val(pos));
    if (s.phase == Phase::kSearch) f.pop(kSkip);
    s = {Phase::kSearch, pos + 1, pos + 1, hi, 0, 0};
    return true;
  }
  template <class Firing>
  static bool end(State& s, Token token, Firing& f) {
    f.push(kCrd, token);
    f.push(kPos, token);
    f.pop(kLo);
    f.pop(kHi);
    if (s.phase == Phase::kSearch) f.pop(kSkip);
    s = {};
    if (token.is_done()) s.phase = Phase::kEnded;
    return true;
  }
};

}  // namespace heddle
