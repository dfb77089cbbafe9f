#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Fill {
  enum In { kCrd, kIn };
  enum Out { kOut };
  enum Param { kDepth };
  enum Register { kSize };
  struct State {
    std::uint32_t next = 0;  // the coordinate whose element comes next
  };

  static constexpr std::array kParams{
      ParamSpec{"depth", 0, 8, 0, {}, "an element is this many fibers deep; 0: a value"}};
  static constexpr std::array kPorts{
      PortSpec{"crd", Dir::kIn, Payload::kCrd, false, "the coordinates that are there"},
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "an element for each"},
      PortSpec{"out", Dir::kOut, Payload::kAny, false, "an element for each of 0 .. size-1"}};
  static constexpr std::array kRegisters{RegisterSpec{"size", "coordinates of a full fiber"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "fill",
      .summary =
          "Makes a level dense: inserts a zero or an empty element for each missing coordinate.",
      .params = kParams,
      .ports = kPorts,
      .registers = kRegisters};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    n.give(n.fill(n.in(kIn), p[kDepth]), kOut);
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const int depth = p[kDepth];
    const Token* crd = f.head(kCrd);
    if (crd == nullptr || !f.room(kOut)) return false;
    const std::uint32_t size = f.reg(kSize);
    if (crd->is_val() && crd->bits >= size) return f.fault(Fault::kOutOfRange);
    const bool missing = crd->is_val() ? s.next < crd->bits : crd->is_stop(0) && s.next < size;
    if (missing) {
      f.push(kOut, depth > 0 ? stop(static_cast<std::uint32_t>(depth - 1)) : val(0));
      ++s.next;
      return true;
    }
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    if (crd->is_val()) {
      if (!in_element(*in, depth)) return f.fault(Fault::kMisaligned);
      const bool last = ends_element(*in, depth);
      f.push(kOut, *in);
      f.pop(kIn);
      if (!last) return true;
      f.pop(kCrd);
      ++s.next;
      return true;
    }
    if (*in != outward(*crd, depth)) return f.fault(Fault::kMisaligned);
    f.push(kOut, *in);
    f.pop(kIn);
    f.pop(kCrd);
    s = {};
    return true;
  }
};

}  // namespace heddle
