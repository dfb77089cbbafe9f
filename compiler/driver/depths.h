// Depths of channels: given by the schedule, or found by running a region on its data.
#pragma once

#include "compiler/driver/pipeline.h"

namespace heddle {

/// Depths that the schedule gives, and for the others what balances paths.
void give_depths(CompiledRegion& region);

/// Finds the depths that are not given. `auto`: no cycle is lost against channels that are never
/// full, and none of the deep ones can have one place less. `min`: the same, but only a deadlock
/// counts. What cannot end on this data with the depths that are given is left alone.
void size_depths(CompiledRegion& region);

}  // namespace heddle
