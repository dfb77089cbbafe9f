// The bytes of a file, unpacked if it is gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "compiler/support/diagnostics.h"

namespace heddle {

/// Larger files, and gzipped files that unpack to more, are refused.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 32;

enum class Packing : std::uint8_t { kPlain, kGzip };

/// Reads in chunks, so that memory follows what is really there. `limit` is for tests.
std::optional<std::string> read_file(const std::filesystem::path& path, Packing packing,
                                     Diagnostics& diag, std::uint64_t limit = kMaxFileBytes);

}  // namespace heddle
