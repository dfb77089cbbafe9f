#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

/// write_compressed for a tensor that the graph itself reads while it is written: `row` says how
/// far it has come. The first entry of `seg` is therefore written first, in a firing of its own.
struct KeepCompressed {
  enum In { kCrd };
  enum Out { kRow };
  enum Param { kDepth };
  enum Memory { kSeg, kCrdArray };
  enum Status { kFibers, kCount };
  struct State {
    std::uint32_t fibers = 0;
    std::uint32_t count = 0;
    std::uint32_t rows = 0;
    bool started = false;
  };

  static constexpr std::array kParams{
      ParamSpec{"depth", 1, 8, 1, {}, "a row is this many fibers deep"}};
  static constexpr std::array kPorts{
      PortSpec{"crd", Dir::kIn, Payload::kCrd, false, "the coordinates of the level"},
      PortSpec{"row", Dir::kOut, Payload::kRef, false, "the number of each row once it is stored"}};
  static constexpr std::array kMemories{
      MemorySpec{"seg", MemorySpec::Use::kWrite, "segment array", kFibers, 1},
      MemorySpec{"crds", MemorySpec::Use::kWrite, "coordinate array", kCount}};
  static constexpr std::array kStatuses{
      RegisterSpec{"fibers", "fibers written; seg has one word more"},
      RegisterSpec{"count", "coordinates written"}};
  static constexpr PrimitiveSpec kSpec{
      .name = "keep_compressed",
      .summary = "Stores a compressed level and tells each row that is complete.",
      .params = kParams,
      .ports = kPorts,
      .memories = kMemories,
      .statuses = kStatuses};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params& p, Firing& f) {
    const Token* crd = f.head(kCrd);
    if (crd == nullptr) return false;
    if (!s.started) {
      f.write(kSeg, 0, 0);
      s.started = true;
      return true;
    }
    const bool outer = !in_element(*crd, p[kDepth]);
    const bool row_ends = ends_element(*crd, p[kDepth]);
    if ((outer || row_ends) && !f.room(kRow)) return false;
    if (crd->is_element()) f.write(kCrdArray, s.count++, crd->bits);
    if (crd->is_stop(0)) f.write(kSeg, ++s.fibers, s.count);
    if (row_ends) f.push(kRow, val(s.rows++));
    if (outer) f.push(kRow, inward(*crd, p[kDepth]));
    if (crd->is_done()) {
      f.status(kFibers, s.fibers);
      f.status(kCount, s.count);
      s = {};
    }
    f.pop(kCrd);
    return true;
  }
};

}  // namespace heddle
