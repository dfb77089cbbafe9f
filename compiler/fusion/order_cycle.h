// Why a view cannot be read as it is stored: orders that go round in a circle.
#pragma once

#include <string>
#include <vector>

#include "compiler/fusion/fused_einsum.h"

namespace heddle {

/// The loop of one kin of indices around that of another, and who wants it so.
struct Precedence {
  int before = 0, after = 0;
  std::string because;
};

/// What an ordered region rests on: the order that the user wants, views and results in the order
/// of their levels (but for views that are copied), and reductions inside loops that are not their
/// own.
std::vector<Precedence> precedences(const FusedEinsum& einsum, const std::vector<int>& wanted,
                                    const std::vector<TensorFormat>& stored);

/// "i before k (A), k before i (B)", with the levels of the permuted `view` last; empty if nothing
/// but its cost speaks against the order of the view.
std::string cycle_text(const FusedEinsum& einsum, const std::vector<Precedence>& all,
                       const View& view, const TensorFormat& stored);

/// Reductions that stand inside a loop which the user wants inside of them, as remarks.
std::vector<std::string> moved_reductions(const FusedEinsum& einsum,
                                          const std::vector<int>& wanted);

}  // namespace heddle
