#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Union {
  enum Param { kN };
  struct State {};

  static constexpr std::array kParams{ParamSpec{"n", 2, 32, 2, {}, "operands"}};
  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, true, "sorted coordinates of each operand"},
      PortSpec{"ref_in", Dir::kIn, Payload::kAny, true, "references of each operand"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates that some operand has"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, true,
               "their references; N where an operand lacks one"}};
  static constexpr PrimitiveSpec kSpec{.name = "union",
                                       .summary = "Merges the coordinates of all operands.",
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
    bool any_val = false;
    std::uint32_t least = 0;
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      if (crd == nullptr || f.head(n + i) == nullptr) return false;
      if (!crd->is_val()) continue;
      if (!any_val || crd->bits < least) least = crd->bits;
      any_val = true;
    }
    for (int i = 0; i < n; ++i)
      if (!any_val && (*f.head(i) != *f.head(0) || *f.head(n + i) != *f.head(0)))
        return f.fault(Fault::kMisaligned);
    for (int o = 0; o <= n; ++o)
      if (!f.room(o)) return false;
    f.push(0, any_val ? val(least) : *f.head(0));
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      const bool takes = !any_val || (crd->is_val() && crd->bits == least);
      f.push(1 + i, takes ? *f.head(n + i) : empty());
      if (!takes) continue;
      f.pop(i);
      f.pop(n + i);
    }
    return true;
  }
};

}  // namespace heddle
