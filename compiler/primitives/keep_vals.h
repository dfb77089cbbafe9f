#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

/// write_vals for a tensor that the graph itself reads while it is written: `row` says how far it
/// has come.
struct KeepVals {
  enum In { kVal };
  enum Out { kRow };
  enum Param { kDepth };
  enum Memory { kVals };
  enum Status { kCount };
  struct State {
    std::uint32_t count = 0;
    std::uint32_t rows = 0;
  };

  static constexpr std::array kParams{
      ParamSpec{"depth", 0, 8, 1, {}, "a row is this many fibers deep; 0: a value"}};
  static constexpr std::array kPorts{
      PortSpec{"val", Dir::kIn, Payload::kVal, false,
               "values in storage order; N is stored as zero"},
      PortSpec{"row", Dir::kOut, Payload::kRef, false, "the number of each row once it is stored"}};
  static constexpr std::array kMemories{MemorySpec{"vals", MemorySpec::Use::kWrite, "value array"}};
  static constexpr std::array kStatuses{RegisterSpec{"count", "values written"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "keep_vals",
      .summary = "Stores values one after the other and tells each row that is complete.",
      .params = kParams,
      .ports = kPorts,
      .memories = kMemories,
      .statuses = kStatuses};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* value = f.head(kVal);
    if (value == nullptr) return false;
    const bool outer = !in_element(*value, p[kDepth]);
    const bool row_ends = ends_element(*value, p[kDepth]);
    if ((outer || row_ends) && !f.room(kRow)) return false;
    if (value->is_element()) f.write(kVals, s.count++, value->is_val() ? value->bits : 0);
    if (row_ends) f.push(kRow, val(s.rows++));
    if (outer) f.push(kRow, inward(*value, p[kDepth]));
    if (value->is_done()) {
      f.status(kCount, s.count);
      s = {};
    }
    f.pop(kVal);
    return true;
  }
};

}  // namespace heddle
