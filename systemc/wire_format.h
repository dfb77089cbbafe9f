// A RunResult as bytes, to hand it from one process to another of the same program.
#pragma once

#include <optional>
#include <string>

#include "compiler/sim/run.h"

namespace heddle::sc {

std::string to_bytes(const RunResult& result);
/// Nothing if `bytes` ends too early or is too long.
std::optional<RunResult> from_bytes(const std::string& bytes);

}  // namespace heddle::sc
