// Reading and writing tensors as files. A reader never trusts its input: every problem is a
// diagnostic with file and line, memory is bounded by the size of the file, and sizes are checked
// before use.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compiler/support/diagnostics.h"
#include "compiler/tensor/tensor.h"

namespace heddle {

/// Reads Matrix Market (.mtx), FROSTT (.tns) or NumPy (.npy), each also gzipped (.gz); the kind is
/// told by the name, and checked against the content. Values are rounded once to `type`. `rank` is
/// the declared rank: a vector may come from an n x 1 or 1 x n matrix file, a scalar from 1 x 1.
/// `shape`, where its size is the rank, gives declared sizes (0: unknown): a .tns file takes them
/// over its largest coordinate; for the other kinds a difference is left to the caller, who knows
/// the names of the sizes. The result is normalized; every stored entry of the file is kept, zeros
/// too (a dense array file stores every position). `use` is where the model names the file, for the
/// note under an error.
std::optional<EntryList> read_tensor(const std::filesystem::path& path, ValueType type, int rank,
                                     const std::vector<std::uint32_t>& shape, SourceRange use,
                                     Diagnostics& diag);

/// Text and bytes of whole files; the driver writes them (to a temporary name, then renames).
/// The first two write the stored entries only, values as the shortest decimals that read back.
std::string to_matrix_market(const Tensor& tensor);  // rank 0 to 2
std::string to_frostt(const Tensor& tensor);         // any rank
std::string to_npy(const Tensor& tensor);            // dense values, C order, <f4 or <i4

/// Values uniform in [-1, 1) for f32 (integers in [-8, 8) for i32), entries present with `density`;
/// the same on every machine for the same arguments. They must not need more than kMaxWords.
EntryList random_entries(const std::vector<std::uint32_t>& shape, ValueType type, double density,
                         std::uint64_t seed);

}  // namespace heddle
