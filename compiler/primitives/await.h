#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Await {
  enum In { kRef, kRow };
  enum Out { kOut };
  struct State {
    std::uint32_t rows = 0;  // complete so far
  };

  static constexpr std::array kPorts{
      PortSpec{"ref", Dir::kIn, Payload::kRef, false, "rows to be read"},
      PortSpec{"row", Dir::kIn, Payload::kRef, false, "rows that are complete, in order"},
      PortSpec{"out", Dir::kOut, Payload::kRef, false, "each reference once its row is complete"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "await",
      .summary = "Holds a reference back until the row it names is complete.",
      .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kRef), kOut);
  }

  /// The end of `ref` takes what is left of `row`: later runs begin with row 0 again.
  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* ref = f.head(kRef);
    if (ref == nullptr) return false;
    const bool waits = ref->is_done() || (ref->is_val() && ref->bits >= s.rows);
    bool passes = !waits;
    if (waits) {
      const Token* row = f.head(kRow);
      if (row == nullptr) return false;
      if (ref->is_val() && row->is_control()) return f.fault(Fault::kOutOfRange);
      passes = ref->is_done() ? row->is_done() : ref->bits == s.rows;
    }
    if (passes && !f.room(kOut)) return false;
    if (waits) {
      f.pop(kRow);
      ++s.rows;
    }
    if (passes) {
      if (ref->is_done()) s = {};
      f.push(kOut, *ref);
      f.pop(kRef);
    }
    return true;
  }
};

}  // namespace heddle
