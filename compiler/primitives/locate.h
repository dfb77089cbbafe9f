#pragma once

#include "compiler/primitives/scan_dense.h"

namespace heddle {

struct Locate {
  enum In { kCrd, kRef };
  enum Out { kPos };
  enum Register { kSize };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"crd", Dir::kIn, Payload::kCrd, false, "coordinates to find"},
      PortSpec{"ref", Dir::kIn, Payload::kRef, false, "the fiber to find each in"},
      PortSpec{"pos", Dir::kOut, Payload::kRef, false, "positions ref * size + crd"}};
  static constexpr std::array kRegisters{RegisterSpec{"size", "coordinates per fiber"}};
  static constexpr PrimitiveSpec kSpec{.name = "locate",
                                       .summary = "Finds coordinates in a dense level.",
                                       .ports = kPorts,
                                       .registers = kRegisters};
  static constexpr int latency(const Params&, int) { return kPositionLatency; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kCrd), kPos);
  }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* crd = f.head(kCrd);
    const Token* ref = f.head(kRef);
    if (crd == nullptr || ref == nullptr || !f.room(kPos)) return false;
    if (crd->is_element() != ref->is_element() || (crd->is_control() && *crd != *ref))
      return f.fault(Fault::kMisaligned);
    Token pos = *ref;
    if (ref->is_val()) {
      if (crd->bits >= f.reg(kSize)) return f.fault(Fault::kOutOfRange);
      pos = val(ref->bits * f.reg(kSize) + crd->bits);
    }
    f.push(kPos, pos);
    f.pop(kCrd);
    f.pop(kRef);
    return true;
  }
};

}  // namespace heddle
