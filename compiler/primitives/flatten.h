#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Flatten {
  enum In { kIn };
  enum Out { kOut };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "fibers of elements"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "the elements of all fibers of a level in one fiber"}};
  static constexpr PrimitiveSpec kSpec{.name = "flatten",
                                       .summary = "Joins the innermost fibers of each outer one.",
                                       .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    if (!in->is_stop(0)) {
      if (!f.room(kOut)) return false;
      f.push(kOut, inward(*in));
    }
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
