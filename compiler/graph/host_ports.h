// The ports of every generated design beside its streams, the same in Verilog and SystemC. No block
// or channel may have such a name.
#pragma once

#include <array>

namespace heddle {

inline constexpr std::array kHostPorts{"clk",       "rst",       "load_valid",  "load_target",
                                       "load_addr", "load_data", "read_target", "read_addr",
                                       "read_data", "done",      "error"};

}  // namespace heddle
