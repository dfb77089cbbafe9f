#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Unpack {
  enum In { kCrdIn, kValIn };
  enum Out { kOuter, kInner, kVal };
  enum Param { kBits };
  struct State {
    std::uint32_t outer = 0;
    bool inside = false;
  };

  static constexpr std::array kParams{
      ParamSpec{"bits", 1, 26, 10, {}, "inner coordinates are below 2^bits"}};
  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, false, "joined coordinates, sorted"},
      PortSpec{"val_in", Dir::kIn, Payload::kVal, false, "their values"},
      PortSpec{"outer", Dir::kOut, Payload::kCrd, false, "outer coordinates"},
      PortSpec{"inner", Dir::kOut, Payload::kCrd, false, "an inner fiber for each"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "values of the inner fibers"}};
  static constexpr PrimitiveSpec kSpec{.name = "unpack",
                                       .summary = "Splits joined coordinates into two levels.",
                                       .params = kParams,
                                       .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.unpack_outer(n.in(kCrdIn), kOuter), kOuter);
    n.give(n.unpack(n.in(kCrdIn), kOuter, kInner), kInner, kVal);
  }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* crd = f.head(kCrdIn);
    const Token* value = f.head(kValIn);
    if (crd == nullptr || value == nullptr) return false;
    if (crd->is_element() != value->is_element() || (crd->is_control() && *crd != *value))
      return f.fault(Fault::kMisaligned);
    if (!f.room(kInner) || !f.room(kVal)) return false;
    const std::uint32_t outer = crd->bits >> p[kBits];
    if (s.inside && (!crd->is_val() || outer != s.outer)) {  // the open inner fiber is over
      f.push(kInner, stop(0));
      f.push(kVal, stop(0));
      s = {};
      return true;
    }
    if (!s.inside && !f.room(kOuter)) return false;
    if (crd->is_val()) {
      if (!s.inside) f.push(kOuter, val(outer));
      f.push(kInner, val(crd->bits & ((1u << p[kBits]) - 1)));
      f.push(kVal, *value);
      s = {outer, true};
    } else {
      f.push(kOuter, *crd);
      f.push(kInner, outward(*crd));
      f.push(kVal, outward(*crd));
    }
    f.pop(kCrdIn);
    f.pop(kValIn);
    return true;
  }
};

}  // namespace heddle
