#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

/// Intersection that tells the scanner of each operand (scan_skip) what it waits for: for every
/// coordinate that it takes from an operand it sends that operand exactly one skip.
struct IntersectSkip {
  enum Param { kN };
  struct State {};

  static constexpr std::array kParams{ParamSpec{"n", 2, 16, 2, {}, "operands"}};
  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, true, "sorted coordinates of each operand"},
      PortSpec{"ref_in", Dir::kIn, Payload::kAny, true, "references of each operand"},
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
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    for (int i = 0; i <= p[kN]; ++i) n.give(n.renew(n.in(0), 0), i);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const int n = p[kN];
    const int first_skip = 1 + n;
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
    const auto lags = [&](int i) {
      return f.head(i)->is_val() && (any_control || f.head(i)->bits < greatest);
    };
    // Sides that lag advance alone, to where the greatest is; a coordinate lags every stop.
    bool lagging = false;
    for (int i = 0; i < n; ++i) {
      if (!lags(i)) continue;
      lagging = true;
      if (!f.room(first_skip + i)) return false;
    }
    if (lagging) {
      for (int i = 0; i < n; ++i) {
        if (!lags(i)) continue;
        f.push(first_skip + i, any_control ? stop(0) : val(greatest));
        f.pop(i);
        f.pop(n + i);
      }
      return true;
    }
    for (int i = 0; i < n; ++i)
      if (!any_val && (*f.head(i) != *f.head(0) || *f.head(n + i) != *f.head(0)))
        return f.fault(Fault::kMisaligned);
    const Token crd = *f.head(0);
    const int outputs = crd.is_stop() ? first_skip : first_skip + n;
    for (int o = 0; o < outputs; ++o)
      if (!f.room(o)) return false;
    f.push(0, crd);
    for (int i = 0; i < n; ++i) f.push(1 + i, *f.head(n + i));
    for (int o = first_skip; o < outputs; ++o) f.push(o, any_val ? val(crd.bits + 1) : crd);
    for (int i = 0; i < 2 * n; ++i) f.pop(i);
    return true;
  }
};

}  // namespace heddle
