#pragma once

#include "compiler/primitives/joining.h"

namespace heddle {

struct Union : Joining {
  static constexpr std::array kParams{operands(32)};
  static constexpr std::array kPorts{
      kCrdIn, kRefIn,
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates that some operand has"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, true,
               "their references; N where an operand lacks one"}};
  static constexpr PrimitiveSpec kSpec{.name = "union",
                                       .summary = "Merges the coordinates of all operands.",
                                       .params = kParams,
                                       .ports = kPorts};

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const int n = p[kN];
    const std::optional<Heads> at = heads(f, n);
    if (!at) return false;
    if (!aligned(f, n, *at)) return f.fault(Fault::kMisaligned);
    for (int o = 0; o <= n; ++o)
      if (!f.room(o)) return false;
    f.push(0, at->any_val ? val(at->least) : *f.head(0));
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      const bool takes = !at->any_val || (crd->is_val() && crd->bits == at->least);
      f.push(1 + i, takes ? *f.head(n + i) : empty());
      if (!takes) continue;
      f.pop(i);
      f.pop(n + i);
    }
    return true;
  }
};

}  // namespace heddle
