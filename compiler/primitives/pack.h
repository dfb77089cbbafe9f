#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Pack {
  enum In { kOuter, kInner, kValIn };
  enum Out { kCrd, kVal };
  enum Param { kBits };
  struct State {};

  static constexpr std::array kParams{
      ParamSpec{"bits", 1, 26, 10, {}, "inner coordinates are below 2^bits"}};
  static constexpr std::array kPorts{
      PortSpec{"outer", Dir::kIn, Payload::kCrd, false, "outer coordinates"},
      PortSpec{"inner", Dir::kIn, Payload::kCrd, false, "an inner fiber for each"},
      PortSpec{"val_in", Dir::kIn, Payload::kVal, false, "values of the inner fibers"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "outer * 2^bits + inner, in one fiber"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "values"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "pack",
      .summary = "Joins two levels of coordinates into one, so that one accumulator serves both.",
      .params = kParams,
      .ports = kPorts,
      .overflows = true};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    n.give(n.pack(n.in(kInner), kCrd, p[kBits]), kCrd, kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* outer = f.head(kOuter);
    const Token* inner = f.head(kInner);
    const Token* value = f.head(kValIn);
    if (outer == nullptr || inner == nullptr || value == nullptr) return false;
    const bool inside = inner->is_element() || inner->is_stop(0);
    if (inner->is_element() != value->is_element() || (inner->is_control() && *inner != *value) ||
        (inside ? !outer->is_val() : *inner != outward(*outer)))
      return f.fault(Fault::kMisaligned);
    if (inner->is_stop(0)) {  // the fiber is over; the joined level has no stop for it
      f.pop(kOuter);
      f.pop(kInner);
      f.pop(kValIn);
      return true;
    }
    if (!f.room(kCrd) || !f.room(kVal)) return false;
    if (inner->is_val()) {
      if (inner->bits >> p[kBits] != 0 || outer->bits >> (32 - p[kBits]) != 0)
        return f.fault(Fault::kOverflow);
      f.push(kCrd, val((outer->bits << p[kBits]) | inner->bits));
      f.push(kVal, *value);
    } else {
      f.push(kCrd, *outer);
      f.push(kVal, *outer);
      f.pop(kOuter);
    }
    f.pop(kInner);
    f.pop(kValIn);
    return true;
  }
};

}  // namespace heddle
