// Depths of channels, found by running a region on its data.
#pragma once

#include "compiler/driver/pipeline.h"

namespace heddle {

/// Deepens channels until the region does not deadlock on its data, and further where that makes it
/// faster; says so in its remarks.
void size_depths(CompiledRegion& region);

}  // namespace heddle
