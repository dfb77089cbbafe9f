// Rewrites expressions as they are written: implicit sums become explicit, macros become what they
// stand for.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/syntax.h"

namespace heddle::frontend {

/// Whether `name(j: x)` is a macro whose result still depends on j (softmax, layernorm, rmsnorm).
bool is_macro(const std::string& name);

/// Whether `e` uses `index` from outside, not bound by a reduction of its own.
bool uses(const ExprSyntax& e, const std::string& index);

/// Wraps, for every index of `value` that neither `bound` nor a reduction binds, the smallest
/// product that contains all its uses in a sum; terms of a sum are summed one by one. False after
/// an error.
bool place_implicit_sums(ExprSyntaxPtr& value, const std::vector<Name>& bound, Diagnostics& diag);

/// Replaces every macro. False after an error.
bool expand_macros(ExprSyntaxPtr& value, Diagnostics& diag);

}  // namespace heddle::frontend
