#pragma once

#include "compiler/primitives/alu.h"

namespace heddle {

struct Select {
  enum In { kC, kA, kB };
  enum Out { kVal };
  enum Param { kType, kAbsent };
  struct State {};

  static constexpr std::array<std::string_view, 2> kAbsentNames{"zero", "all"};
  static constexpr std::array kParams{
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the condition"},
      ParamSpec{"absent", 0, 1, 0, kAbsentNames,
                "the result is N if: never, all operands are; N counts as zero otherwise"}};
  static constexpr std::array kPorts{
      PortSpec{"c", Dir::kIn, Payload::kVal, false, "condition"},
      PortSpec{"a", Dir::kIn, Payload::kVal, false, "result where the condition is not zero"},
      PortSpec{"b", Dir::kIn, Payload::kVal, false, "result where it is zero"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "c != 0 ? a : b"}};
  static constexpr PrimitiveSpec kSpec{.name = "select",
                                       .summary = "Chooses between two aligned value streams.",
                                       .params = kParams,
                                       .ports = kPorts};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params&) {
    n.give(n.in(kA), kVal);
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* c = f.head(kC);
    const Token* a = f.head(kA);
    const Token* b = f.head(kB);
    if (c == nullptr || a == nullptr || b == nullptr || !f.room(kVal)) return false;
    if (a->is_element() != c->is_element() || b->is_element() != c->is_element() ||
        (c->is_control() && (*a != *c || *b != *c)))
      return f.fault(Fault::kMisaligned);
    Token out = *c;
    if (c->is_element()) {
      // Both zeros of f32 are zero.
      const std::uint32_t magnitude = p[kType] == 0 ? c->bits << 1 : c->bits;
      const Token* chosen = c->is_val() && magnitude != 0 ? a : b;
      const bool all = c->is_empty() && a->is_empty() && b->is_empty();
      out = p[kAbsent] == 1 && all ? empty() : val(chosen->is_val() ? chosen->bits : 0);
    }
    f.push(kVal, out);
    f.pop(kC);
    f.pop(kA);
    f.pop(kB);
    return true;
  }
};

}  // namespace heddle
