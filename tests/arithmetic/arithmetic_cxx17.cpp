// Compiles arithmetic.h as C++17.
#include "compiler/primitives/arithmetic.h"

static_assert(__cplusplus < 202002L, "meant for C++17");
static_assert(heddle::latency(heddle::BinaryOp::kAdd, heddle::ValueType::kI32) == 1);
