#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "testbench/command.h"
#include "testbench/run_rtl.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

/// 128 bits of FNV-1a, enough to name contents in a cache.
std::string content_hash(const std::vector<std::string>& texts) {
  std::uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;
  for (const std::string& text : texts) {
    for (const char c : text) {
      a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      b = (b + static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15u;
      b ^= b >> 29;
    }
    a = (a ^ 0xff) * 0x100000001b3u;
    b = (b + 0xff) * 0x9e3779b97f4a7c15u;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

fs::path cache_folder() {
  if (const char* folder = std::getenv("HEDDLE_CACHE"); folder != nullptr && *folder != 0)
    return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != 0)
    return fs::path(folder) / "heddle";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0)
    return fs::path(home) / ".cache" / "heddle";
  return fs::temp_directory_path() / "heddle-cache";
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
}

std::string not_started(const std::string& program) {
  return fmt::format("'{}' cannot be started: is it installed?", program);
}

/// Verilator's version, asked once.
const std::string& verilator_version() {
  static const std::string version = [] {
    const fs::path log = fs::temp_directory_path() / fmt::format("heddle-verilator-{}", getpid());
    run_command({{"verilator", "--version"}, {}, log, {}});
    std::string text = read_log(log);
    std::error_code ignored;
    fs::remove(log, ignored);
    return text;
  }();
  return version;
}

std::string verilator_root() {
  if (const char* root = std::getenv("VERILATOR_ROOT")) return root;
  for (const char* root : {"/usr/share/verilator", "/usr/local/share/verilator"})
    if (fs::exists(fs::path(root) / "include" / "verilated.h")) return root;
  return "/usr/share/verilator";
}

/// A translation unit.
struct Unit {
  std::string name;
  bool runs_once = false;
};

struct Build {
  fs::path cache;
  std::string problem;

  bool command(const std::vector<std::string>& args, const fs::path& folder) {
    return commands({{args, folder, folder / "build.log", {}}});
  }

  /// Verilator's own runtime, compiled once per machine.
  std::optional<fs::path> runtime(const std::string& flags) {
    const fs::path object =
        cache / fmt::format("runtime-{}.o", content_hash({verilator_version(), flags, "threads"}));
    if (fs::exists(object)) return object;
    const fs::path part = cache / fmt::format("{}.{}", object.filename().string(), getpid());
    const std::string include = verilator_root() + "/include";
    std::vector<std::string> args{
        "g++", "-c", "-std=c++17", "-O2", "-w", "-I" + include, "-I" + include + "/vltstd"};
    const fs::path unit = part.string() + ".cpp";
    write_file(unit, "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n");
    args.insert(args.end(), {unit.string(), "-o", part.string()});
    const bool compiled = command(args, cache);
    fs::remove(unit);
    if (!compiled) return std::nullopt;
    fs::rename(part, object);
    return object;
  }

  /// The harness of the translation units; they are removed.
  bool compile(const std::vector<std::string>& compile, const std::vector<Unit>& units,
               const fs::path& runtime, const fs::path& folder) {
    std::vector<Command> parts;
    std::vector<std::string> link = compile;
    for (const auto& [name, once] : units) {
      link.push_back(name + ".o");
      parts.push_back({compile, folder, folder / (name + ".log"), {}});
      std::vector<std::string>& args = parts.back().args;
      if (once) args.push_back("-O0");
      args.insert(args.end(), {"-c", name + ".cpp", "-o", name + ".o"});
    }
    link.insert(link.end(), {runtime.string(), "-o", "harness", "-lpthread"});
    if (!commands(parts) || !command(link, folder)) return false;
    for (const Unit& unit : units)
      for (const char* kind : {".cpp", ".o", ".log"}) fs::remove(folder / (unit.name + kind));
    return true;
  }

 private:
  bool commands(const std::vector<Command>& all) {
    const std::vector<int> statuses = run_commands(all);
    for (std::size_t c = 0; c < all.size(); ++c)
      if (statuses[c] != 0) {
        problem = why_not(all[c], statuses[c]);
        return false;
      }
    return true;
  }

  static std::string why_not(const Command& command, int status) {
    const std::string& program = command.args[0];
    if (status == kNotStarted) return not_started(program);
    if (status < 0)
      return fmt::format("'{}' was killed: has the machine enough memory for so large a design?",
                         program);
    return fmt::format("'{}' failed:\n{}", program, read_log(command.log).substr(0, 4000));
  }
};

/// Removes what interrupted builds have left: parts of another day, named by their processes.
void remove_abandoned(const fs::path& cache) {
  std::error_code ignored;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool part = name.find('.') != std::string::npos && !name.ends_with(".o");
    if (part && fs::last_write_time(entry, ignored) < old) fs::remove_all(entry.path(), ignored);
  }
}

void apply_mutation(const std::string& mutation, std::vector<LibraryFile>& files) {
  std::stringstream parts(mutation);
  std::string file, from, to;
  std::getline(parts, file, '|');
  std::getline(parts, from, '|');
  std::getline(parts, to, '|');
  for (LibraryFile& f : files) {
    if (!f.name.ends_with(file)) continue;
    const std::size_t at = f.text.find(from);
    HEDDLE_CHECK(at != std::string::npos, "mutation '{}' finds nothing to change", mutation);
    f.text.replace(at, from.size(), to);
    return;
  }
  HEDDLE_CHECK(false, "mutation '{}' names a file that the design does not use", mutation);
}

/// Of a large design the build takes far longer than the run: g++ takes more than twice as long for
/// a function that is twice as long, and Verilator repeats what it puts into each place. Whole,
/// designs are a little faster when they run, which pays in small ones and where speed is measured.
bool is_large(const Netlist& netlist, const RtlOptions& options) {
  constexpr std::size_t kLarge = 400;  // blocks
  return options.watched && netlist.graph.node_count() > kLarge;
}

/// Tells Verilator to leave the blocks apart from what is around them.
LibraryFile blocks_apart(const std::vector<LibraryFile>& files) {
  std::string text = "`verilator_config\n";
  for (const LibraryFile& f : files)
    if (f.name.starts_with("primitives/"))
      text += fmt::format("no_inline -module \"{}\"\n", fs::path(f.name).stem().string());
  return {"lint/apart.vlt", text};
}

std::vector<std::string> verilator_command(const Netlist& netlist, const RtlOptions& options,
                                           const std::vector<LibraryFile>& files) {
  std::vector<std::string> command{"verilator",
                                   "--cc",
                                   "-O3",
                                   "--x-assign",
                                   "fast",
                                   "--x-initial",
                                   options.x_seed ? "unique" : "fast",
                                   "--Mdir",
                                   "model",
                                   "--prefix",
                                   "Model",
                                   "--top-module",
                                   netlist.name,
                                   "-Iinclude",
                                   "-Wno-fatal",
                                   "-Wno-lint",
                                   "-Wno-style"};
  if (is_large(netlist, options))
    command.insert(command.end(), {"--output-split", "20000", "--output-split-cfuncs", "300"});
  else
    command.insert(command.end(), {"--output-split", "0"});
  // Verilator's optimizer of graphs would put the bits of the probes together one after the other,
  // with a copy of all bits before it for each. Where speed is measured, nothing is probed, and the
  // assertions are left out.
  if (options.watched)
    command.insert(command.end(), {"-fno-dfg", "-DHEDDLE_PROBE"});
  else
    command.push_back("-DSYNTHESIS");
  for (const LibraryFile& f : files)
    if (f.name.ends_with(".sv") || f.name.ends_with(".vlt")) command.push_back(f.name);
  return command;
}

std::vector<std::string> compile_command(const RtlOptions& options) {
  const std::string include = verilator_root() + "/include";
  return {"g++",
          "-std=c++17",
          options.watched ? "-O1" : "-O3",
          "-w",
          "-DVM_TRACE=0",
          "-DVM_COVERAGE=0",
          "-I.",
          "-Imodel",
          "-I" + include,
          "-I" + include + "/vltstd",
          options.watched ? "-DHEDDLE_PROBE" : "-DSYNTHESIS"};
}

/// What runs once, by Verilator's names: to optimize it takes long in a large design.
bool runs_once(const std::string& source) {
  return source == "Model.cpp" || source.starts_with("Model__Syms") ||
         source.ends_with("__Slow.cpp");
}

struct Source {
  std::string name;
  std::uintmax_t bytes;
};
std::vector<Source> sources_of(const fs::path& model) {
  std::vector<Source> sources;
  for (const auto& entry : fs::directory_iterator(model))
    if (entry.path().extension() == ".cpp")
      sources.push_back({entry.path().filename().string(), entry.file_size()});
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.name < b.name; });
  return sources;
}

/// Puts the sources of a model together into translation units. There is one if the design is
/// small, as to read the headers is most of the time then. Otherwise there are as many as some
/// cores can use and megabytes make worth while, but no more: they declare all blocks, for which
/// g++ takes a time that grows with the square of their number.
std::vector<Unit> write_units(const fs::path& folder, bool large) {
  const std::vector<Source> sources = sources_of(folder / "model");
  std::uintmax_t all = 0;
  for (const Source& s : sources) all += s.bytes;
  const std::uintmax_t room = std::max(std::uintmax_t{3} << 20, all / 8);
  std::vector<Unit> units{{"unit_0", false}};
  std::vector<std::string> texts{"#include \"harness.cpp\"\n"};
  std::uintmax_t bytes = 0;
  for (const bool once : {false, true})
    for (const Source& s : sources) {
      if (runs_once(s.name) != once) continue;
      const bool full = bytes > 0 && bytes + s.bytes > room;
      if (large && (full || once != units.back().runs_once)) {
        units.push_back({fmt::format("unit_{}", units.size()), once});
        texts.emplace_back();
        bytes = 0;
      }
      bytes += s.bytes;
      texts.back() += fmt::format("#include \"model/{}\"\n", s.name);
    }
  for (std::size_t u = 0; u < units.size(); ++u)
    write_file(folder / (units[u].name + ".cpp"), texts[u]);
  return units;
}

}  // namespace

std::optional<RtlModel> build_rtl(const Netlist& netlist, const RtlOptions& options,
                                  std::string& problem) {
  if (verilator_version().empty()) {
    problem = not_started("verilator");
    return std::nullopt;
  }
  std::vector<LibraryFile> files = library_files(netlist);
  for (const std::string& m : options.mutations) apply_mutation(m, files);
  if (is_large(netlist, options)) files.push_back(blocks_apart(files));
  files.push_back({netlist.name + ".sv", to_verilog(netlist)});
  files.push_back({"lint/waivers.vlt", embedded_file("rtl/lint/waivers.vlt")});
  files.push_back({"harness.cpp", embedded_file("testbench/design/harness.cpp")});
  files.push_back({"exchange.h", embedded_file("testbench/design/exchange.h")});
  files.push_back({"pins.h", to_harness_header(netlist)});
  const std::vector<std::string> verilator = verilator_command(netlist, options, files);
  const std::vector<std::string> compile = compile_command(options);

  std::vector<std::string> key{verilator_version()};
  key.insert(key.end(), verilator.begin(), verilator.end());
  key.insert(key.end(), compile.begin(), compile.end());
  for (const LibraryFile& f : files) key.insert(key.end(), {f.name, f.text});
  Build build{fs::absolute(cache_folder()), {}};  // commands run in other folders
  const fs::path home = build.cache / content_hash(key);
  if (fs::exists(home / "harness")) return RtlModel{home / "harness", 0};

  const auto start = std::chrono::steady_clock::now();
  const fs::path part = build.cache / fmt::format("{}.{}", home.filename().string(), getpid());
  std::error_code error;
  remove_abandoned(build.cache);
  fs::remove_all(part, error);
  fs::create_directories(part, error);
  if (error) {
    problem =
        fmt::format("the folder '{}' for builds cannot be made: {} (HEDDLE_CACHE names another)",
                    build.cache.string(), error.message());
    return std::nullopt;
  }
  for (const LibraryFile& f : files) write_file(part / f.name, f.text);
  const auto runtime = build.runtime("-O2");
  if (!runtime || !build.command(verilator, part) ||
      !build.compile(compile, write_units(part, is_large(netlist, options)), *runtime, part)) {
    problem = build.problem;
    fs::remove_all(part, error);
    return std::nullopt;
  }
  fs::remove_all(part / "model", error);
  fs::rename(part, home, error);
  if (error) fs::remove_all(part, error);  // another process was first
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return RtlModel{home / "harness", seconds};
}

}  // namespace heddle
