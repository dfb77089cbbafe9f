#pragma once

#include "compiler/primitives/parallelize.h"

namespace heddle {

/// Takes back what Parallelize dealt with the same parameters.
struct Serialize {
  enum Out { kOut };
  enum Param { kN, kDepth };
  struct State {
    std::int32_t lane = 0;
  };

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, true, "each lane's elements, and all outer stops"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "elements, and stops around them"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "serialize",
      .summary = "Takes the elements of each fiber back from lanes in turn.",
      .params = Parallelize::kParams,
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* in = f.head(s.lane);
    if (in == nullptr) return false;
    if (in_element(*in, p[kDepth])) {
      if (!f.room(kOut)) return false;
      const bool last = ends_element(*in, p[kDepth]);
      f.push(kOut, *in);
      f.pop(s.lane);
      if (last) s.lane = s.lane + 1 == p[kN] ? 0 : s.lane + 1;
      return true;
    }
    const Token outer = *in;
    for (int lane = 0; lane < p[kN]; ++lane) {
      const Token* other = f.head(lane);
      if (other == nullptr) return false;
      if (*other != outer) return f.fault(Fault::kMisaligned);
    }
    if (!f.room(kOut)) return false;
    f.push(kOut, outer);
    for (int lane = 0; lane < p[kN]; ++lane) f.pop(lane);
    s.lane = 0;
    return true;
  }
};

}  // namespace heddle
