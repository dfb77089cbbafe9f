#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct Array {
  enum In { kRef };
  enum Out { kVal };
  enum Param { kAbsent };
  enum Memory { kVals };
  struct State {};

  static constexpr std::array<std::string_view, 2> kAbsentNames{"empty", "zero"};
  static constexpr std::array kParams{
      ParamSpec{"absent", 0, 1, 0, kAbsentNames, "what N becomes: N or the value zero"}};
  static constexpr std::array kPorts{
      PortSpec{"ref", Dir::kIn, Payload::kRef, false, "positions"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "the values there"}};
  static constexpr std::array kMemories{MemorySpec{"vals", MemorySpec::Use::kRead, "value array"}};
  static constexpr PrimitiveSpec kSpec{.name = "array",
                                       .summary = "Loads values by position.",
                                       .params = kParams,
                                       .ports = kPorts,
                                       .memories = kMemories};
  static constexpr int latency(const Params&, int) { return 2; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kRef), kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* ref = f.head(kRef);
    if (ref == nullptr || !f.room(kVal)) return false;
    Token out = *ref;
    if (ref->is_val()) out = val(f.read(kVals, ref->bits));
    if (ref->is_empty() && p[kAbsent] == 1) out = val(0);
    f.push(kVal, out);
    f.pop(kRef);
    return true;
  }
};

}  // namespace heddle
