// emit: the stages of a compilation as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/pipeline.h"

namespace heddle {

struct OutputFile {
  std::string name;  // relative
  std::string text;
};

bool is_stage(const std::string& stage);
std::string stage_names();

/// The files of a stage. With several regions their names begin with the region's.
std::optional<std::vector<OutputFile>> emit_stage(const std::string& stage, const Model& model,
                                                  const Schedule& schedule,
                                                  const RunOptions& options, Diagnostics& diag,
                                                  std::string& problem);

/// Writes a file so that it is there whole or not at all.
void replace_file(const std::string& path, const std::string& text);
/// Makes a folder, and those that it is in.
void make_folder(const std::string& folder);
/// Writes files below a folder, each whole.
void write_folder(const std::string& folder, const std::vector<OutputFile>& files);

}  // namespace heddle
