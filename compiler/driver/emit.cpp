#include "compiler/driver/emit.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "compiler/driver/standalone.h"
#include "compiler/netlist/netlist.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 8> kStages{"einsum", "fused", "table",   "graph",
                                             "dot",    "svg",   "systemc", "verilog"};

/// Graphviz draws; its program does the layout.
std::optional<std::string> svg_of(const std::string& dot, std::string& problem) {
  std::string in = (fs::temp_directory_path() / "heddle-dot-XXXXXX").string();
  const int file = mkstemp(in.data());
  if (file < 0) {
    problem = "cannot make a temporary file";
    return std::nullopt;
  }
  const bool written = write(file, dot.data(), dot.size()) == static_cast<ssize_t>(dot.size());
  close(file);
  std::string svg;
  int status = -1;
  if (written)
    if (std::FILE* pipe = popen(("dot -Tsvg '" + in + "' 2>/dev/null").c_str(), "r")) {
      std::array<char, 4096> part;
      for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
        svg.append(part.data(), n);
      status = pclose(pipe);
    }
  std::error_code ignored;
  fs::remove(in, ignored);
  if (status == 0) return svg;
  problem = "emit svg needs the program 'dot' of Graphviz";
  return std::nullopt;
}

}  // namespace

bool is_stage(const std::string& stage) {
  return std::find(kStages.begin(), kStages.end(), stage) != kStages.end();
}

std::string stage_names() {
  std::string names;
  for (const char* stage : kStages) names += (names.empty() ? "" : "|") + std::string(stage);
  return names;
}

std::optional<std::vector<OutputFile>> emit_stage(const std::string& stage, const Model& model,
                                                  const Schedule& schedule,
                                                  const RunOptions& options, Diagnostics& diag,
                                                  std::string& problem) {
  std::vector<OutputFile> files;
  if (stage == "einsum") return std::vector<OutputFile>{{"model.ein", to_text(model.program)}};
  struct Part {
    std::string name;
    std::vector<OutputFile> files;
  };
  std::vector<Part> parts;
  std::map<TensorId, Tensor> tensors;
  const auto visit = [&](CompiledRegion& region, const RunResult& untimed) {
    Part part{region.region.name, {}};
    if (stage == "fused") part.files = {{"fused.txt", to_text(region.einsum, model.program)}};
    if (stage == "table") part.files = {{"table.txt", to_text(region.table)}};
    if (stage == "graph") part.files = {{"graph.txt", to_text(region.graph)}};
    const std::string dot = to_dot(region.graph, region.region.name);
    if (stage == "dot") part.files = {{"graph.dot", dot}};
    if (stage == "svg") {
      const auto svg = svg_of(dot, problem);
      if (!svg) return false;
      part.files = {{"graph.svg", *svg}};
    }
    if (stage == "verilog") part.files = standalone_verilog(region, untimed);
    if (stage == "systemc") part.files = standalone_systemc(region, untimed);
    parts.push_back(std::move(part));
    return true;
  };
  RunOptions how = options;
  how.inspect = stage != "verilog" && stage != "systemc";
  // What an inspected graph does when it runs is the business of other commands.
  if (!compile_schedule(model, schedule, how, visit, tensors, diag, problem) &&
      (parts.empty() || !how.inspect || diag.has_errors()))
    return std::nullopt;
  for (Part& part : parts)
    for (OutputFile& file : part.files)
      files.push_back(
          {parts.size() == 1 ? file.name : part.name + "/" + file.name, std::move(file.text)});
  return files;
}

void replace_file(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // A device or a pipe is written to; a file is replaced.
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  // Named by the process: another may be writing the same file.
  const std::string part = direct ? path : fmt::format("{}.{}.part", path, getpid());
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  error.clear();
  if (file && !direct) fs::rename(part, path, error);
  if (file && !error) return;
  if (!direct) fs::remove(part, error);
  throw std::runtime_error(path + ": cannot be written");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw std::runtime_error(folder + ": cannot be made: " + error.message());
}

void write_folder(const std::string& folder, const std::vector<OutputFile>& files) {
  make_folder(folder);
  for (const OutputFile& file : files) {
    const fs::path path = fs::path(folder) / file.name;
    make_folder(path.parent_path().string());
    replace_file(path.string(), file.text);
  }
}

}  // namespace heddle
