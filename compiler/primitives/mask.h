#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Mask {
  enum In { kCrdIn, kRefIn, kMask };
  enum Out { kCrd, kRef };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, false, "sorted coordinates"},
      PortSpec{"ref_in", Dir::kIn, Payload::kAny, false, "their references or values"},
      PortSpec{"mask", Dir::kIn, Payload::kCrd, false, "sorted coordinates to keep"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "coordinates present in the mask"},
      PortSpec{"ref", Dir::kOut, Payload::kAny, false, "their references or values"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "mask", .summary = "Keeps the coordinates present in a mask.", .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.renew(n.in(kCrdIn), kCrd), kCrd, kRef);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* crd = f.head(kCrdIn);
    const Token* ref = f.head(kRefIn);
    const Token* mask = f.head(kMask);
    if (crd == nullptr || ref == nullptr || mask == nullptr) return false;
    if (crd->is_val() && (!mask->is_val() || crd->bits < mask->bits)) {
      f.pop(kCrdIn);
      f.pop(kRefIn);
      return true;
    }
    if (mask->is_val() && (!crd->is_val() || mask->bits < crd->bits)) {
      f.pop(kMask);
      return true;
    }
    if (*crd != *mask || (crd->is_control() && *ref != *crd)) return f.fault(Fault::kMisaligned);
    if (!f.room(kCrd) || !f.room(kRef)) return false;
    f.push(kCrd, *crd);
    f.push(kRef, *ref);
    f.pop(kCrdIn);
    f.pop(kRefIn);
    f.pop(kMask);
    return true;
  }
};

}  // namespace heddle
