// What the rows that join operands have in common. An operand is a stream of sorted coordinates and
// one of references beside it: inputs 0 .. n-1 and n .. 2n-1. Output 0 has the joined coordinates,
// outputs 1 .. n have the references.
#pragma once

#include <optional>

#include "compiler/primitives/spec.h"

namespace heddle {

struct Joining {
  enum Param { kN };
  struct State {};

  static constexpr PortSpec kCrdIn{"crd_in", Dir::kIn, Payload::kCrd, true,
                                   "sorted coordinates of each operand"};
  static constexpr PortSpec kRefIn{"ref_in", Dir::kIn, Payload::kAny, true,
                                   "references of each operand"};
  static constexpr ParamSpec operands(int most) { return {"n", 2, most, 2, {}, "operands"}; }
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    for (int i = 0; i <= p[kN]; ++i) n.give(n.renew(n.in(0), 0), i);
  }

 protected:
  /// The heads of the coordinates.
  struct Heads {
    bool any_val = false;
    bool any_control = false;
    std::uint32_t least = 0xffffffffu;
    std::uint32_t greatest = 0;

    /// Whether an operand's head cannot match any more; a coordinate lags every stop.
    bool ahead_of(const Token& crd) const {
      return crd.is_val() && (any_control || crd.bits < greatest);
    }
  };

  /// Nothing if an operand has none yet.
  template <class Firing>
  static std::optional<Heads> heads(Firing& f, int n) {
    Heads heads;
    for (int i = 0; i < n; ++i) {
      const Token* crd = f.head(i);
      if (crd == nullptr || f.head(n + i) == nullptr) return std::nullopt;
      if (!crd->is_val()) {
        heads.any_control = true;
        continue;
      }
      heads.any_val = true;
      if (crd->bits < heads.least) heads.least = crd->bits;
      if (crd->bits > heads.greatest) heads.greatest = crd->bits;
    }
    return heads;
  }

  /// Where no operand has a coordinate, all are at the end of the same fiber.
  template <class Firing>
  static bool aligned(Firing& f, int n, const Heads& heads) {
    for (int i = 0; i < n && !heads.any_val; ++i)
      if (*f.head(i) != *f.head(0) || *f.head(n + i) != *f.head(0)) return false;
    return true;
  }
};

}  // namespace heddle
