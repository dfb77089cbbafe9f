#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Intersect {
  enum Param { kN };
  struct State {};

  static constexpr std::array kParams{ParamSpec{"n", 2, 32, 2, {}, "operands"}};
  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, true, "sorted coordinates of each operand"},
      PortSpec{"ref_in", Dir::kIn, Payload::kAny, true, "references of each operand"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates that all operands have"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, true, "their references"}};
  static constexpr PrimitiveSpec kSpec{.name = "intersect",
                                       .summary = "Keeps the coordinates that all operands have.",
                                       .params = kParams,
                                       .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    for (int i = 0; i <= p[kN]; ++i) n.give(n.renew(n.in(0), 0), i);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const int n = p[kN];
    bool any_control = false, any_val = false;
    std::uint32_t greatest = 0;
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      if (crd == nullptr || f.head(n + i) == nullptr) return false;
      if (crd->is_val()) {
        any_val = true;
        if (crd->bits > greatest) greatest = crd->bits;
      } else {
        any_control = true;
      }
    }
    // Sides that lag advance alone; a coordinate lags every stop.
    bool lagging = false;
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      if (crd->is_val() && (any_control || crd->bits < greatest)) lagging = true;
    }
    if (lagging) {
      for (int i = 0; i < n; ++i) {
        const Token* crd = f.head(i);
        if (!crd->is_val() || (!any_control && crd->bits >= greatest)) continue;
        f.pop(i);
        f.pop(n + i);
      }
      return true;
    }
    for (int i = 0; i < n; ++i)
      if (!any_val && (*f.head(i) != *f.head(0) || *f.head(n + i) != *f.head(0)))
        return f.fault(Fault::kMisaligned);
    for (int o = 0; o <= n; ++o)
      if (!f.room(o)) return false;
    f.push(0, *f.head(0));
    for (int i = 0; i < n; ++i) f.push(1 + i, *f.head(n + i));
    for (int i = 0; i < 2 * n; ++i) f.pop(i);
    return true;
  }
};

}  // namespace heddle
