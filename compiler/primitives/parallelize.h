#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Parallelize {
  enum In { kIn };
  enum Param { kN, kDepth };
  struct State {
    std::int32_t lane = 0;
  };

  static constexpr std::array kParams{
      ParamSpec{"n", 2, 64, 2, {}, "lanes"},
      ParamSpec{"depth", 0, 8, 0, {}, "an element is this many fibers deep; 0: a token"}};
  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "elements, and stops around them"},
      PortSpec{"out", Dir::kOut, Payload::kAny, true, "each lane's elements, and all outer stops"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "parallelize",
      .summary = "Deals the elements of each fiber to lanes in turn.",
      .params = kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    if (in_element(*in, p[kDepth])) {
      if (!f.room(s.lane)) return false;
      f.push(s.lane, *in);
      if (ends_element(*in, p[kDepth])) s.lane = s.lane + 1 == p[kN] ? 0 : s.lane + 1;
    } else {
      for (int lane = 0; lane < p[kN]; ++lane)
        if (!f.room(lane)) return false;
      for (int lane = 0; lane < p[kN]; ++lane) f.push(lane, *in);
      s.lane = 0;
    }
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
