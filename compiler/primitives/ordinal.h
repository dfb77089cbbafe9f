#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Ordinal {
  enum In { kIn };
  enum Out { kRef };
  struct State {
    std::uint32_t next = 0;
  };

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "any stream"},
      PortSpec{"ref", Dir::kOut, Payload::kRef, false, "0, 1, 2, ... in place of its elements"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "ordinal", .summary = "Numbers the elements of a stream.", .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kIn), kRef);
  }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr || !f.room(kRef)) return false;
    f.push(kRef, in->is_element() ? val(s.next) : *in);
    f.pop(kIn);
    if (in->is_element()) ++s.next;
    if (in->is_done()) s = {};
    return true;
  }
};

}  // namespace heddle
