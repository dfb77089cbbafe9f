#pragma once

#include "compiler/primitives/joining.h"

namespace heddle {

struct Intersect : Joining {
  static constexpr std::array kParams{operands(32)};
  static constexpr std::array kPorts{
      kCrdIn, kRefIn,
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates that all operands have"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, true, "their references"}};
  static constexpr PrimitiveSpec kSpec{.name = "intersect",
                                       .summary = "Keeps the coordinates that all operands have.",
                                       .params = kParams,
                                       .ports = kPorts};

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const int n = p[kN];
    const std::optional<Heads> at = heads(f, n);
    if (!at) return false;
    // Sides that lag advance alone.
    bool lagging = false;
    for (int i = 0; i < n; ++i) lagging = lagging || at->ahead_of(*f.head(i));
    if (lagging) {
      for (int i = 0; i < n; ++i) {
        if (!at->ahead_of(*f.head(i))) continue;
        f.pop(i);
        f.pop(n + i);
      }
      return true;
    }
    if (!aligned(f, n, *at)) return f.fault(Fault::kMisaligned);
    for (int o = 0; o <= n; ++o)
      if (!f.room(o)) return false;
    f.push(0, *f.head(0));
    for (int i = 0; i < n; ++i) f.push(1 + i, *f.head(n + i));
    for (int i = 0; i < 2 * n; ++i) f.pop(i);
    return true;
  }
};

}  // namespace heddle
