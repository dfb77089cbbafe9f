#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Sink {
  enum In { kIn };
  struct State {};

  static constexpr std::array kPorts{
      PortSpec{"in", Dir::kIn, Payload::kAny, false, "a stream that nobody needs"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "sink", .summary = "Takes a stream that nobody needs.", .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State&, const Params&, Firing& f) {
    const Token* in = f.head(kIn);
    if (in == nullptr) return false;
    if (in->is_done()) f.finish();
    f.pop(kIn);
    return true;
  }
};

}  // namespace heddle
