// One block alone, untimed, on streams as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/primitives/spec.h"

namespace heddle::test {

using Texts = std::vector<std::string>;

struct Data {
  std::vector<std::uint32_t> registers = {};
  std::vector<std::vector<std::uint32_t>> memories = {};
};

struct BlockRun {
  Fault fault = Fault::kNone;
  Texts out;  // by output port
  std::vector<std::vector<std::uint32_t>> memories;
  std::vector<std::uint32_t> statuses;
};

BlockRun run_block(std::string_view row, const Params& params, const Texts& in, const Data& data);

template <class P>
BlockRun run_block(const Params& params, const Texts& in, const Data& data = {}) {
  return run_block(P::kSpec.name, params, in, data);
}

/// What the block gives, for input without faults.
template <class P>
Texts outputs(const Params& params, const Texts& in, const Data& data = {}) {
  const BlockRun run = run_block<P>(params, in, data);
  EXPECT_EQ(run.fault, Fault::kNone);
  return run.out;
}

template <class P>
Fault fault_of(const Params& params, const Texts& in, const Data& data = {}) {
  return run_block<P>(params, in, data).fault;
}

/// "1.5 S0 N D" with the numbers as f32, or as i32.
std::string f32(const std::string& text);
std::string i32(const std::string& text);

}  // namespace heddle::test
