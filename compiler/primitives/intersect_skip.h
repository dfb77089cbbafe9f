#pragma once

#include "compiler/primitives/joining.h"

namespace heddle {

/// Intersection that tells the scanner of each operand (scan_skip) what it waits for: for every
/// coordinate that it takes from an operand it sends that operand exactly one skip.
struct IntersectSkip : Joining {
  static constexpr std::array kParams{operands(16)};
  static constexpr std::array kPorts{
      kCrdIn, kRefIn,
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates that all operands have"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, true, "their references"},
      PortSpec{"skip", Dir::kOut, Payload::kCrd, true,
               "to each scanner: the least coordinate that can still match, or S0 when another "
               "fiber has ended"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "intersect_skip",
      .summary =
          "Keeps the coordinates that all operands have, and lets scan_skip skip the others.",
      .params = kParams,
      .ports = kPorts};

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const int n = p[kN];
    const int first_skip = 1 + n;
    const std::optional<Heads> at = heads(f, n);
    if (!at) return false;
    // Sides that lag advance alone, to where the greatest is.
    bool lagging = false;
    for (int i = 0; i < n; ++i) {
      if (!at->ahead_of(*f.head(i))) continue;
      lagging = true;
      if (!f.room(first_skip + i)) return false;
    }
    if (lagging) {
      for (int i = 0; i < n; ++i) {
        if (!at->ahead_of(*f.head(i))) continue;
        f.push(first_skip + i, at->any_control ? stop(0) : val(at->greatest));
        f.pop(i);
        f.pop(n + i);
      }
      return true;
    }
    if (!aligned(f, n, *at)) return f.fault(Fault::kMisaligned);
    const Token crd = *f.head(0);
    const int outputs = crd.is_stop() ? first_skip : first_skip + n;
    for (int o = 0; o < outputs; ++o)
      if (!f.room(o)) return false;
    f.push(0, crd);
    for (int i = 0; i < n; ++i) f.push(1 + i, *f.head(n + i));
    for (int o = first_skip; o < outputs; ++o) f.push(o, at->any_val ? val(crd.bits + 1) : crd);
    for (int i = 0; i < 2 * n; ++i) f.pop(i);
    return true;
  }
};

}  // namespace heddle
