// One reader for each kind of data file. `file` is the name for messages. The entries come as they
// are stored in the file: neither sorted nor added up yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostics.h"
#include "compiler/tensor/tensor.h"

namespace heddle {

/// Rank 2 always.
std::optional<EntryList> read_matrix_market(const std::string& file, std::string_view text,
                                            ValueType type, Diagnostics& diag);
/// Of rank `rank`; `shape` as for read_tensor.
std::optional<EntryList> read_frostt(const std::string& file, std::string_view text, ValueType type,
                                     int rank, const std::vector<std::uint32_t>& shape,
                                     Diagnostics& diag);
/// Of the rank of the file.
std::optional<EntryList> read_npy(const std::string& file, std::string_view bytes, ValueType type,
                                  Diagnostics& diag);

/// A stored value as decimal text: the shortest that reads back to the same bits.
std::string value_text(std::uint32_t bits, ValueType type);
/// "3 x 4"; "no size" for rank 0.
std::string shape_text(const std::vector<std::uint32_t>& shape);

}  // namespace heddle
