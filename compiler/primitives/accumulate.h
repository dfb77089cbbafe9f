#pragma once

#include "compiler/primitives/reduce.h"
#include "compiler/primitives/scratch.h"

namespace heddle {

/// Values of a coordinate are combined in the order in which they come; sums of f32 are WideSums,
/// each rounded once, when its group ends.
struct Accumulate {
  enum In { kCrdIn, kValIn };
  enum Out { kCrd, kVal };
  enum Param { kOp, kType, kBits, kLevel };
  enum Memory { kSums };
  struct State {};

  static constexpr std::array kParams{
      ParamSpec{"op", 0, 2, 0, kReduceNames, "operation"},
      ParamSpec{"type", 0, 1, 0, kTypeNames, "type of the values"},
      ParamSpec{"bits", 1, 26, 10, {}, "coordinates are below 2^bits"},
      ParamSpec{"level",
                0,
                8,
                1,
                {},
                "level of the stop that ends a group; its inner fibers are merged"}};
  static constexpr std::array kPorts{
      PortSpec{"crd_in", Dir::kIn, Payload::kCrd, false, "groups of fibers"},
      PortSpec{"val_in", Dir::kIn, Payload::kVal, false, "their values"},
      PortSpec{"crd", Dir::kOut, Payload::kCrd, false, "one sorted fiber per group"},
      PortSpec{"val", Dir::kOut, Payload::kVal, false, "reduced values, in order of arrival"}};
  static constexpr std::array kMemories{
      MemorySpec{"sums", MemorySpec::Use::kScratch, "the group's values by coordinate"}};
  static constexpr PrimitiveSpec kSpec{.name = "accumulate",
                                       .summary = "Adds up the fibers of each group by coordinate.",
                                       .params = kParams,
                                       .ports = kPorts,
                                       .memories = kMemories,
                                       .overflows = true};
  static constexpr bool is_wide(const Params& p) {
    return is_wide_sum(p[kOp], static_cast<ValueType>(p[kType]));
  }
  static constexpr int latency(const Params& p, int out) {
    // The least coordinate is found in a tree, two cycles a level.
    const int levels = p[kBits] <= 10 ? 2 : p[kBits] <= 15 ? 3 : 4;
    const int lag = 2 * levels - 1;
    if (out != kVal) return lag + 1;
    return lag + (is_wide(p) ? kWideSumLatency + 1 : 2);
  }

  template <class Nests>
  static void nest(Nests& n, const Params& p) {
    auto nest = n.renew(n.in(kCrdIn), kCrd);
    for (int level = 0; level < p[kLevel]; ++level) nest = n.leave(std::move(nest), 1);
    n.give(nest, kCrd, kVal);
  }

  /// The word of a coordinate when a value is added.
  static std::uint64_t sum(const Scratch& sums, const Params& p, std::uint32_t crd,
                           std::uint32_t value) {
    const bool more = sums.present(crd);
    if (is_wide(p)) {
      WideSum wide(more ? sums.get(crd) : 0);
      wide.add(value);
      return wide.word();
    }
    return more ? apply(binary_of_reduction(p[kOp]), static_cast<ValueType>(p[kType]),
                        static_cast<std::uint32_t>(sums.get(crd)), value)
                : value;
  }

  template <class Firing>
  static bool step(State&, const Params& p, Firing& f) {
    const Token* crd = f.head(kCrdIn);
    const Token* value = f.head(kValIn);
    if (crd == nullptr || value == nullptr) return false;
    if (crd->is_element() != value->is_element() || (crd->is_control() && *crd != *value))
      return f.fault(Fault::kMisaligned);

    // An element, or the end of a fiber inside the group: nothing to emit yet.
    const auto level = static_cast<std::uint32_t>(p[kLevel]);
    if (crd->is_element() || (crd->is_stop() && crd->bits < level)) {
      if (crd->is_element() && value->is_val()) {
        if (crd->bits >> p[kBits] != 0) return f.fault(Fault::kOverflow);
        f.put(kSums, crd->bits, sum(f.scratch(kSums), p, crd->bits, value->bits));
      }
      f.pop(kCrdIn);
      f.pop(kValIn);
      return true;
    }

    if (!f.room(kCrd) || !f.room(kVal)) return false;
    if (crd->is_stop(level) && f.scratch(kSums).any()) {
      const std::uint32_t first = f.scratch(kSums).first();
      f.push(kCrd, val(first));
      const std::uint64_t word = f.scratch(kSums).get(first);
      f.push(kVal, val(is_wide(p) ? WideSum(word).rounded() : static_cast<std::uint32_t>(word)));
      f.erase(kSums, first);
      return true;
    }
    const Token control = inward(*crd, p[kLevel]);
    f.push(kCrd, control);
    f.push(kVal, control);
    f.pop(kCrdIn);
    f.pop(kValIn);
    return true;
  }
};

}  // namespace heddle
