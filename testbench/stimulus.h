// Random input for one block alone: aligned well-formed streams, registers and memory contents, row
// by row.
//
// Streams are of random nesting, with empty fibers, empty tensors, single elements, long fibers,
// and N where a port may carry it. A new row needs an entry in the table of stimulus.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/primitives/registry.h"

namespace heddle {

struct Stimulus {
  std::vector<Stream> streams;           // by input port
  std::vector<std::uint32_t> registers;  // in row order
  std::vector<std::vector<std::uint32_t>>
      memories;  // in row order; nothing in those that the host does not load
};

/// Words that a loaded memory has, and that a written one has room for.
inline constexpr std::uint32_t kLoadedWords = 80;
inline constexpr std::uint32_t kWrittenWords = 512;

/// How a row is tried.
struct StimulusRow {
  std::string_view row;
  std::vector<Params> params;  // parameter sets worth trying
  /// Ways in which the block fires, all of which must be seen: what it takes > what it gives, as
  /// testbench/lockstep.h writes them.
  std::vector<std::string_view> firings;
  /// Ports that answer the tokens of another stream one by one: they are not nested, and the D of
  /// an input is taken after those of the outputs are given.
  std::string_view answers = {};
};

/// Nothing if the table lacks the row.
const StimulusRow* find_stimulus(PrimitiveId row);
/// The same for the same seed; call only for rows of the table.
Stimulus make_stimulus(PrimitiveId row, const Params& params, std::uint64_t seed);

}  // namespace heddle
