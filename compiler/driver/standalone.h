// Directories that need nothing of Heddle: a design, its library, testbenches with data, a
// Makefile.
#pragma once

#include <vector>

#include "compiler/driver/emit.h"

namespace heddle {

/// The RTL of a region with self-checking testbenches. `expected` is what the result memories must
/// hold.
std::vector<OutputFile> standalone_verilog(const CompiledRegion& region, const RunResult& expected);
/// The same design as a SystemC module with a small sc_main.
std::vector<OutputFile> standalone_systemc(const CompiledRegion& region, const RunResult& expected);

}  // namespace heddle
