#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct ValDrop {
  enum In { kCrdIn, kValIn };
  enum Out { kCrd, kVal };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, false, "coordinates"},
      PortSpec{"val_in", Dir::kIn, Payload::kAny, false, "their values or references"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates whose value is not N"},
      PortSpec{"val", Dir::kOut, Payload::kAny, false, "those values; computed zeros stay"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "val_drop", .summary = "Removes coordinates whose value is N.", .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.renew(n.in(kCrdIn), kCrd), kCrd, kVal);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* crd = f.head(kCrdIn);
    const Token* value = f.head(kValIn);
    if (crd == nullptr || value == nullptr) return false;
    if (crd->is_element() != value->is_element() || (crd->is_control() && *crd != *value))
      return f.fault(Fault::kMisaligned);
    if (!value->is_empty()) {
      if (!f.room(kCrd) || !f.room(kVal)) return false;
      f.push(kCrd, *crd);
      f.push(kVal, *value);
    }
    f.pop(kCrdIn);
    f.pop(kValIn);
    return true;
  }
};

}  // namespace heddle
