#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct WriteCompressed {
  enum In { kCrd };
  enum Memory { kSeg, kCrdArray };
  enum Status { kFibers, kCount };
  struct State {
    std::uint32_t fibers = 0;
    std::uint32_t count = 0;
  };

  static constexpr std::array kPorts{
      PortSpec{"crd", Dir::kIn, Payload::kCrd, false, "the coordinates of the level"}};
  static constexpr std::array kMemories{
      MemorySpec{"seg", MemorySpec::Use::kWrite, "segment array", kFibers, 1},
      MemorySpec{"crds", MemorySpec::Use::kWrite, "coordinate array", kCount}};
  static constexpr std::array kStatuses{
      RegisterSpec{"fibers", "fibers written; seg has one word more"},
      RegisterSpec{"count", "coordinates written"}};
  static constexpr PrimitiveSpec kSpec{.name = "write_compressed",
                                       .summary = "Stores a compressed level.",
                                       .ports = kPorts,
                                       .memories = kMemories,
                                       .statuses = kStatuses};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* crd = f.head(kCrd);
    if (crd == nullptr) return false;
    if (crd->is_element()) {
      f.write(kCrdArray, s.count, crd->bits);
      ++s.count;
    } else if (crd->is_stop(0)) {
      ++s.fibers;
      f.write(kSeg, s.fibers, s.count);
    } else if (crd->is_done()) {
      f.write(kSeg, 0, 0);
      f.status(kFibers, s.fibers);
      f.status(kCount, s.count);
      f.finish();
      s = {};
    }
    f.pop(kCrd);
    return true;
  }
};

}  // namespace heddle
