// Comparisons: engine with engine, and result with reference.
#pragma once

#include <string>

#include "compiler/driver/pipeline.h"

namespace heddle {

/// Empty if all output memories and statuses are the same bits.
std::string compare_memories(const SamGraph& graph, const RunResult& a, const RunResult& b);

/// Cycles, and every channel's counters and transfers.
bool same_timing(const RunResult& a, const RunResult& b);

/// Names the first transfer, in time, that differs: channel, token, cycle, and the tensor
/// coordinate it belongs to.
std::string first_difference(const SamGraph& graph, const char* a_name, const RunResult& a,
                             const char* b_name, const RunResult& b);

/// Each stored value against the reference's value and bound, zero where nothing is stored. With
/// `structure` the stored entries must also be those that something contributes to. (That holds for
/// a statement on its own. Between statements a dense format stores zeros which from then on are
/// entries like any other.)
OutputReport compare_output(const std::string& name, const Tensor& tensor,
                            const ReferenceTensor& reference, bool structure);

}  // namespace heddle
