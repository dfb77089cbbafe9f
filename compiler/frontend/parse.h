// The text front end: `.ein` files to EinsumProgram. The grammar is in README.md of this directory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/einsum/einsum_program.h"

namespace heddle {

/// Parses and checks a model. `file` is a file of diag.sources(). All errors are reported; then
/// nothing is returned.
std::optional<EinsumProgram> parse_model(std::uint32_t file, Diagnostics& diag);

/// Options of the command line that bind data: `--data NAME=PATH`, `--size NAME=NUMBER`,
/// `--format NAME=FORMAT`.
struct DataOptions {
  std::map<std::string, std::string> files;
  std::map<std::string, std::uint32_t> sizes;
  std::map<std::string, std::string> formats;
};

/// Reads files, makes random and constant data, binds sizes, and checks that they agree. Every
/// tensor that no statement defines must have data.
std::optional<std::map<TensorId, EntryList>> bind_data(EinsumProgram& program,
                                                       const DataOptions& options,
                                                       Diagnostics& diag);

}  // namespace heddle
