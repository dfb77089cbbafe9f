#pragma once

#include "compiler/primitives/spec.h"

namespace heddle {

struct WriteVals {
  enum In { kVal };
  enum Memory { kVals };
  enum Status { kCount };
  struct State {
    std::uint32_t count = 0;
  };

  static constexpr std::array kPorts{PortSpec{"val", Dir::kIn, Payload::kVal, false,
                                              "values in storage order; N is stored as zero"}};
  static constexpr std::array kMemories{MemorySpec{"vals", MemorySpec::Use::kWrite, "value array"}};
  static constexpr std::array kStatuses{RegisterSpec{"count", "values written"}};
  static constexpr PrimitiveSpec kSpec{.name = "write_vals",
                                       .summary = "Stores values one after the other.",
                                       .ports = kPorts,
                                       .memories = kMemories,
                                       .statuses = kStatuses};
  static constexpr int latency(const Params&, int) { return 1; }

  template <class Firing>
  static bool step(State& s, const Params&, Firing& f) {
    const Token* value = f.head(kVal);
    if (value == nullptr) return false;
    if (value->is_element()) {
      f.write(kVals, s.count, value->is_val() ? value->bits : 0);
      ++s.count;
    } else if (value->is_done()) {
      f.status(kCount, s.count);
      f.finish();
      s = {};
    }
    f.pop(kVal);
    return true;
  }
};

}  // namespace heddle
