#include "testbench/run_rtl.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "testbench/design/exchange.h"

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

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Functions of a large Verilated design may need more of the stack than a program usually gets.
void allow_a_large_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_STACK, &limit);
}

constexpr int kNotStarted = 127;

std::string not_started(const std::string& program) {
  return fmt::format("'{}' cannot be started: is it installed?", program);
}

/// Runs a command without a shell, output to a file; its exit status (kNotStarted if there is no
/// such program, -1 if it was killed).
int run_command(const std::vector<std::string>& command, const fs::path& folder,
                const fs::path& log, const std::optional<int>& x_seed = std::nullopt) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(kNotStarted);
    const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (out >= 0) {
      dup2(out, 1);
      dup2(out, 2);
    }
    allow_a_large_stack();
    if (x_seed) setenv("HEDDLE_X_SEED", std::to_string(*x_seed).c_str(), 1);
    std::vector<char*> args;
    for (const std::string& arg : command) args.push_back(const_cast<char*>(arg.c_str()));
    args.push_back(nullptr);
    execvp(args[0], args.data());
    _exit(kNotStarted);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Verilator's version, asked once.
const std::string& verilator_version() {
  static const std::string version = [] {
    const fs::path log = fs::temp_directory_path() / fmt::format("heddle-verilator-{}", getpid());
    run_command({"verilator", "--version"}, {}, log);
    std::string text = read_file(log);
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

struct Build {
  fs::path cache;
  std::string problem;

  bool command(const std::vector<std::string>& args, const fs::path& folder) {
    const fs::path log = folder / "build.log";
    const int status = run_command(args, folder, log);
    if (status == kNotStarted)
      problem = not_started(args[0]);
    else if (status != 0)
      problem = fmt::format("'{}' failed:\n{}", args[0], read_file(log).substr(0, 4000));
    return status == 0;
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

}  // namespace

std::optional<RtlModel> build_rtl(const Netlist& netlist, const RtlOptions& options,
                                  std::string& problem) {
  if (verilator_version().empty()) {
    problem = not_started("verilator");
    return std::nullopt;
  }
  std::vector<LibraryFile> files = library_files(netlist);
  for (const std::string& m : options.mutations) apply_mutation(m, files);
  files.push_back({netlist.name + ".sv", to_verilog(netlist)});
  const std::string pins = to_harness_header(netlist);
  std::vector<std::string> define;
  if (options.watched)
    define.push_back("-DHEDDLE_PROBE");
  else
    define.push_back("-DSYNTHESIS");  // leaves the assertions out
  std::vector<std::string> verilator{"verilator",
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
                                     "-Wno-style",
                                     "--output-split",
                                     "0",
                                     "lint/waivers.vlt"};
  verilator.insert(verilator.end(), define.begin(), define.end());
  // g++ takes far more than twice as long for a function that is twice as long. Whole, they are a
  // little faster when they run, which pays in small designs and where speed is measured.
  constexpr std::size_t kLarge = 400;
  if (options.watched && netlist.graph.node_count() > kLarge)
    verilator.insert(verilator.end(), {"--output-split-cfuncs", "300"});
  const std::string optimize = options.watched ? "-O1" : "-O3";

  std::vector<std::string> key{verilator_version(), optimize, pins,
                               embedded_file("testbench/design/harness.cpp"),
                               embedded_file("testbench/design/exchange.h")};
  key.insert(key.end(), verilator.begin(), verilator.end());
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
  write_file(part / "lint/waivers.vlt", embedded_file("rtl/lint/waivers.vlt"));
  write_file(part / "harness.cpp", embedded_file("testbench/design/harness.cpp"));
  write_file(part / "exchange.h", embedded_file("testbench/design/exchange.h"));
  write_file(part / "pins.h", pins);
  for (const LibraryFile& f : files)
    if (f.name.ends_with(".sv")) verilator.push_back(f.name);
  const auto give_up = [&] {
    problem = build.problem;
    std::error_code ignored;
    fs::remove_all(part, ignored);
    return std::nullopt;
  };
  const auto runtime = build.runtime("-O2");
  if (!runtime || !build.command(verilator, part)) return give_up();
  // One translation unit: headers are read once, which is most of the time for a small design.
  std::string unit = "#include \"harness.cpp\"\n";
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(part / "model"))
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path().filename().string());
  std::sort(sources.begin(), sources.end());
  for (const std::string& s : sources) unit += "#include \"model/" + s + "\"\n";
  write_file(part / "unit.cpp", unit);
  const std::string include = verilator_root() + "/include";
  std::vector<std::string> compile{"g++",          "-std=c++17",
                                   optimize,       "-w",
                                   "-DVM_TRACE=0", "-DVM_COVERAGE=0",
                                   "-I.",          "-Imodel",
                                   "-I" + include, "-I" + include + "/vltstd"};
  compile.insert(compile.end(), define.begin(), define.end());
  compile.insert(compile.end(), {"unit.cpp", runtime->string(), "-o", "harness", "-lpthread"});
  if (!build.command(compile, part)) return give_up();
  for (const char* scrap : {"unit.cpp"}) fs::remove(part / scrap, error);
  fs::remove_all(part / "model", error);
  fs::rename(part, home, error);
  if (error) fs::remove_all(part, error);  // another process was first
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return RtlModel{home / "harness", seconds};
}

namespace {

exchange::Run to_exchange(const Netlist& n, const RunInput& input, Detail detail) {
  exchange::Run run;
  for (std::size_t t = 0; t < n.loads.size(); ++t) {
    const LoadTarget& l = n.loads[t];
    const RunInput::Block& block = input.blocks[index(l.node)];
    const auto number = static_cast<std::size_t>(l.number);
    exchange::Load load;
    load.target = t;
    // What the host does not give is 0 or empty, as in the other engines.
    if (!l.is_memory)
      load.words.push_back(number < block.registers.size() ? block.registers[number] : 0);
    else if (number < block.memories.size())
      load.words.assign(block.memories[number].begin(), block.memories[number].end());
    run.loads.push_back(std::move(load));
  }
  for (const NodeId id : n.graph.nodes()) {
    if (!n.graph.node(id).external() || n.graph.outputs(id).empty()) continue;
    std::vector<std::uint64_t> tokens;
    for (const Token t : input.streams[index(id)])
      tokens.push_back(std::uint64_t{static_cast<std::uint32_t>(t.kind)} << 32 | t.bits);
    run.streams.push_back({index(id), std::move(tokens)});
  }
  run.offer_seed = input.offer.seed;
  run.offer_percent = static_cast<std::uint64_t>(input.offer.percent);
  run.take_seed = input.take.seed;
  run.take_percent = static_cast<std::uint64_t>(input.take.percent);
  run.max_cycles = input.max_cycles;
  run.trace = detail == Detail::kTrace;
  for (std::size_t t = 0; t < n.reads.size(); ++t)
    if (!n.reads[t].is_memory) run.statuses.push_back(t);
  for (std::size_t t = 0; t < n.reads.size(); ++t) {
    const ReadTarget& r = n.reads[t];
    if (!r.is_memory) continue;
    const PrimitiveSpec& spec = spec_of(*n.graph.node(r.node).primitive);
    const MemorySpec& memory = spec.memories[static_cast<std::size_t>(r.number)];
    std::uint64_t count_target = 0;
    for (std::size_t s = 0; s < n.reads.size(); ++s)
      if (n.reads[s].node == r.node && !n.reads[s].is_memory &&
          n.reads[s].number == memory.counted_by)
        count_target = s;
    run.memories.push_back({t, count_target, static_cast<std::uint64_t>(memory.and_more)});
  }
  return run;
}

Token token_of(std::uint64_t word) {
  return {static_cast<Kind>(static_cast<std::uint32_t>(word >> 32)),
          static_cast<std::uint32_t>(word)};
}

RunResult from_exchange(const Netlist& n, const exchange::Result& e) {
  RunResult r;
  r.cycles = e.cycles;
  r.seconds = static_cast<double>(e.nanoseconds) * 1e-9;
  std::vector<std::uint32_t> fill;
  for (const exchange::Result::Channel& c : e.channels) {
    ChannelCounters counters;
    counters.tokens = c.pops;
    counters.busy = c.busy;
    counters.stalled = c.busy - c.pops;
    r.counters.push_back(counters);
    r.hashes.push_back(c.hash);
    fill.push_back(static_cast<std::uint32_t>(c.pushes - c.pops));
    std::vector<TraceEvent> trace;
    for (std::size_t i = 0; i + 2 < c.trace.size(); i += 3)
      trace.push_back({c.trace[i], c.trace[i + 1], token_of(c.trace[i + 2])});
    r.trace.push_back(std::move(trace));
  }
  r.streams.resize(n.graph.node_count());
  for (const auto& [end, tokens] : e.taken)
    for (const std::uint64_t t : tokens) r.streams[end].push_back(token_of(t));
  r.memories.resize(n.graph.node_count());
  r.statuses.resize(n.graph.node_count());
  for (const NodeId id : n.graph.nodes()) {
    if (n.graph.node(id).external()) continue;
    const PrimitiveSpec& spec = spec_of(*n.graph.node(id).primitive);
    r.memories[index(id)].resize(spec.memories.size());
    r.statuses[index(id)].resize(spec.statuses.size());
  }
  std::size_t memory = 0, status = 0;
  for (const ReadTarget& read : n.reads) {
    const auto number = static_cast<std::size_t>(read.number);
    if (read.is_memory && memory < e.memories.size()) {
      const auto& words = e.memories[memory++];
      for (const std::uint64_t w : words)
        r.memories[index(read.node)][number].push_back(static_cast<std::uint32_t>(w));
    } else if (!read.is_memory && status < e.statuses.size()) {
      r.statuses[index(read.node)][number] = static_cast<std::uint32_t>(e.statuses[status++]);
    }
  }
  if (e.error != 0) {
    r.outcome = Outcome::kFault;
    r.fault = Fault::kOverflow;
    r.problem = std::string(to_text(Fault::kOverflow));
  } else if (e.end == exchange::End::kStopped) {
    r.outcome = Outcome::kDeadlock;
    r.problem = explain_deadlock(n.graph, fill);
  } else if (e.end == exchange::End::kLimit) {
    r.outcome = Outcome::kTimeout;
    r.problem = "the run did not end within its limit of cycles";
  }
  for (ChannelCounters& c : r.counters) c.starved = r.cycles - c.busy;
  return r;
}

}  // namespace

std::vector<RunResult> run_rtl(const RtlModel& model, const Netlist& netlist,
                               const std::vector<RunInput>& inputs, const RtlOptions& options,
                               Detail detail) {
  std::string pattern = (fs::temp_directory_path() / "heddle-rtl-XXXXXX").string();
  HEDDLE_CHECK(mkdtemp(pattern.data()) != nullptr, "cannot make a temporary folder");
  const fs::path folder = pattern;
  exchange::Words in, out;
  in.put(inputs.size());
  for (const RunInput& input : inputs) exchange::put(in, to_exchange(netlist, input, detail));
  in.save((folder / "input").string());
  const int status = run_command(
      {model.program.string(), (folder / "input").string(), (folder / "output").string()}, {},
      folder / "log", options.x_seed);
  std::vector<RunResult> results;
  if (status == 0 && out.load((folder / "output").string())) {
    const std::uint64_t n = out.get();
    for (std::uint64_t i = 0; i < n && !out.bad; ++i)
      results.push_back(from_exchange(netlist, exchange::get_result(out)));
  }
  std::string said = read_file(folder / "log").substr(0, 2000);
  while (results.size() < inputs.size()) {
    RunResult failed;
    failed.outcome = Outcome::kFault;
    failed.problem = fmt::format("the RTL model ended with status {}: {}", status, said);
    results.push_back(std::move(failed));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return results;
}

}  // namespace heddle
