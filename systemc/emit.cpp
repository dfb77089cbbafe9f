#include "systemc/emit.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/graph/host_ports.h"
#include "systemc/stream.h"

namespace heddle {

/// Headers that go into generated directories, by repository path (generated; CMakeLists.txt).
std::map<std::string, std::string> embedded_headers();

namespace {

/// Text by lines.
class Writer {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string text;
};

/// Names that C++ or the base class of a design uses already.
std::set<std::string> reserved_names() {
  std::set<std::string> names{
      "alignas",      "alignof",      "and",          "and_eq",       "asm",       "auto",
      "bitand",       "bitor",        "bool",         "break",        "case",      "catch",
      "char",         "class",        "co_await",     "co_return",    "co_yield",  "compl",
      "concept",      "const",        "consteval",    "constexpr",    "constinit", "const_cast",
      "continue",     "decltype",     "default",      "delete",       "do",        "double",
      "else",         "enum",         "explicit",     "export",       "extern",    "false",
      "float",        "for",          "friend",       "goto",         "if",        "inline",
      "int",          "long",         "mutable",      "namespace",    "new",       "noexcept",
      "not",          "not_eq",       "nullptr",      "operator",     "or",        "or_eq",
      "private",      "protected",    "public",       "register",     "requires",  "return",
      "short",        "signed",       "sizeof",       "static",       "struct",    "switch",
      "template",     "this",         "throw",        "true",         "try",       "typedef",
      "typeid",       "typename",     "union",        "unsigned",     "using",     "virtual",
      "void",         "volatile",     "wchar_t",      "while",        "xor",       "xor_eq",
      "sc",           "monitor",      "moved",        "place",        "serve",     "report",
      "name",         "kind",         "print",        "dump",         "sensitive", "wait",
      "reset",        "simcontext",   "basename",     "next_trigger", "begins_at", "loads_register",
      "loads_memory", "reads_memory", "reads_status", "fault_block",  "trace",     "timed_out"};
  names.insert(kHostPorts.begin(), kHostPorts.end());
  return names;
}

std::string identifier(const std::string& text) {
  std::string made;
  for (const char c : text) made += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (made.empty() || std::isdigit(static_cast<unsigned char>(made[0])) != 0) made = "_" + made;
  // Two underscores in a row belong to the compiler.
  std::string single;
  for (const char c : made)
    if (c != '_' || single.empty() || single.back() != '_') single += c;
  return single[0] == '_' ? "n" + single : single;
}

std::string camel_case(const std::string& text) {
  std::string made;
  bool upper = true;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = true;
      continue;
    }
    made += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return made.empty() || std::isdigit(static_cast<unsigned char>(made[0])) != 0 ? "Design" + made
                                                                                : made;
}

class Emitter {
 public:
  Emitter(const SamGraph& graph, const RunInput& input, const SystemcOptions& options)
      : graph_(graph),
        input_(input),
        options_(options),
        design_(identifier(options.name)),
        class_(camel_case(options.name)) {
    verify(graph, Form::kElastic);
    std::set<std::string> taken = reserved_names();
    taken.insert(class_);
    const auto unique = [&](const std::string& text, const std::vector<std::string>& suffixes) {
      std::string name = identifier(text);
      const auto clashes = [&] {
        return std::any_of(suffixes.begin(), suffixes.end(),
                           [&](const std::string& s) { return taken.count(name + s) != 0; });
      };
      while (clashes()) name += "_x";
      for (const std::string& s : suffixes) taken.insert(name + s);
      return name;
    };
    for (const NodeId id : graph.nodes()) nodes_.push_back(unique(graph.node(id).name, {""}));
    for (const ChannelId id : graph.channels())
      channels_.push_back(unique(graph.channel(id).name, {"", "_in", "_out"}));
  }

  std::map<std::string, std::string> files() {
    files_[design_ + ".h"] = design_header();
    files_["sc_main.cpp"] = main_file();
    files_["Makefile"] = makefile();
    add_headers();
    add_loads();
    add_streams();
    if (options_.expected != nullptr) add_expected();
    files_["README.md"] = readme();
    return std::move(files_);
  }

 private:
  const PrimitiveSpec& spec(NodeId id) const { return spec_of(*graph_.node(id).primitive); }
  const std::string& name(NodeId id) const { return nodes_[index(id)]; }
  const std::string& name(ChannelId id) const { return channels_[index(id)]; }
  bool is_source(NodeId id) const {
    return graph_.node(id).external() && !graph_.outputs(id).empty();
  }
  bool is_taker(NodeId id) const {
    return graph_.node(id).external() && graph_.outputs(id).empty();
  }

  static std::string class_of(const PrimitiveSpec& row) {
    return camel_case(std::string(row.name));
  }

  std::string params(NodeId id) const {
    const Node& node = graph_.node(id);
    std::string text;
    for (std::size_t p = 0; p < spec(id).params.size(); ++p)
      text += fmt::format("{}{}", p == 0 ? "" : ", ", node.params[static_cast<int>(p)]);
    return "heddle::Params{{" + text + "}}";
  }

  std::string comment(NodeId id) const {
    std::string text;
    for (std::size_t p = 0; p < spec(id).params.size(); ++p) {
      const ParamSpec& param = spec(id).params[p];
      const int value = graph_.node(id).params[static_cast<int>(p)];
      text += fmt::format(" {}={}", param.name,
                          param.names.empty()
                              ? std::to_string(value)
                              : std::string(param.names[static_cast<std::size_t>(value)]));
    }
    if (!graph_.node(id).comment.empty())
      text += (text.empty() ? " " : "; ") + graph_.node(id).comment;
    const auto stored = options_.outputs.find(id);
    if (stored != options_.outputs.end()) text += (text.empty() ? " " : "; ") + stored->second;
    return text.empty() ? "" : "  //" + text;
  }

  std::string design_header() const {
    Writer w;
    w.line("// {}", options_.title.empty() ? options_.name : options_.title);
    w.line("// Generated by Heddle. {} blocks, {} channels.", graph_.node_count(),
           graph_.channel_count());
    w.line("#pragma once\n");
    w.line(
        "#if __cplusplus < 201709L\n#error \"this design is C++20: build with "
        "-std=c++20\"\n#endif\n");
    w.line("#include <systemc>\n");
    std::set<std::string> used;
    for (const NodeId id : graph_.nodes())
      if (!graph_.node(id).external()) used.insert(std::string(spec(id).name));
    for (const std::string& row : used) w.line("#include \"compiler/primitives/{}.h\"", row);
    w.line(
        "#include \"systemc/channel.h\"\n#include \"systemc/design.h\"\n#include "
        "\"systemc/primitive.h\"\n");
    w.line("class {} : public heddle::sc::Design {{\n public:", class_);
    for (const NodeId id : graph_.nodes()) {
      if (is_source(id)) w.line("  heddle::sc::InPort {0}{{\"{0}\"}};", name(id));
      if (is_taker(id)) w.line("  heddle::sc::OutPort {0}{{\"{0}\"}};", name(id));
    }
    w.line("\n private:\n  template <class P>\n  using Block = heddle::sc::Primitive<P>;\n");
    w.line("  // Channels: depth, latency; and the wires at both of their ends.");
    for (const ChannelId id : graph_.channels()) write_channel(w, id);
    w.line("\n  // Blocks.");
    for (const NodeId id : graph_.nodes()) {
      if (graph_.node(id).external()) continue;
      w.line("  Block<heddle::{}> {}{{\"{}\", {}, monitor_, {}}};{}", class_of(spec(id)), name(id),
             name(id), params(id), index(id), comment(id));
    }
    w.line(
        "\n public:\n  explicit {}(const sc_core::sc_module_name& module_name) : "
        "Design(module_name) {{",
        class_);
    for (const ChannelId id : graph_.channels()) write_channel_bindings(w, id);
    for (const NodeId id : graph_.nodes()) write_block_bindings(w, id);
    write_targets(w);
    w.line("  }}\n}};");
    return w.text;
  }

  void write_channel(Writer& w, ChannelId id) const {
    const ChannelInfo& c = graph_.channel(id);
    if (!is_source(graph_.source(id)))
      w.line("  heddle::sc::Wires {0}_in{{\"{0}_in\"}};", name(id));
    if (!is_taker(graph_.target(id)))
      w.line("  heddle::sc::Wires {0}_out{{\"{0}_out\"}};", name(id));
    w.line("  heddle::sc::Channel {0}{{\"{0}\", {1}, {2}}};{3}", name(id), c.depth, c.latency,
           c.what.empty() ? "" : "  // " + c.what);
  }

  void write_channel_bindings(Writer& w, ChannelId id) const {
    const NodeId from = graph_.source(id), to = graph_.target(id);
    w.line("    place({});", name(id));
    w.line("    {}.in.bind({});", name(id), is_source(from) ? name(from) : name(id) + "_in");
    w.line("    {}.out.bind({});", name(id), is_taker(to) ? name(to) : name(id) + "_out");
  }

  void write_block_bindings(Writer& w, NodeId id) const {
    if (is_source(id)) w.line("    begins_at({});", name(id));
    const Node& node = graph_.node(id);
    if (node.external()) return;
    w.line("    place({});", name(id));
    int port = 0;
    for (const ChannelId c : graph_.inputs(id)) {
      w.line("    {}.in({}).bind({}_out);  // {}", name(id), port, name(c),
             port_name(spec(id), node.params, Dir::kIn, port));
      ++port;
    }
    port = 0;
    for (const ChannelId c : graph_.outputs(id)) {
      w.line("    {}.out({}).bind({}_in);  // {}", name(id), port, name(c),
             port_name(spec(id), node.params, Dir::kOut, port));
      ++port;
    }
    for (std::size_t m = 0; m < node.memories.size(); ++m)
      if (const auto writer = graph_.kept_writer(id, m))
        w.line("    {}.storage().share({}, {}.storage(), {});  // reads {} while it is written",
               name(id), m, name(writer->node), writer->memory,
               spec(writer->node).memories[writer->memory].name);
    const auto& capacity = input_.blocks[index(id)].capacity;
    for (std::size_t m = 0; m < spec(id).memories.size() && m < capacity.size(); ++m)
      if (spec(id).memories[m].use == MemorySpec::Use::kWrite)
        w.line("    {}.storage().capacity[{}] = {};  // words of {}", name(id), m, capacity[m],
               spec(id).memories[m].name);
  }

  /// Calls load(node, is_memory, number) and read(...) for the targets, in the order of their
  /// numbers.
  template <class Load, class Read>
  void each_target(Load load, Read read) const {
    for (const NodeId id : graph_.nodes()) {
      if (graph_.node(id).external()) continue;
      for (std::size_t r = 0; r < spec(id).registers.size(); ++r) load(id, false, r);
      for (std::size_t m = 0; m < spec(id).memories.size(); ++m) {
        const MemorySpec::Use use = spec(id).memories[m].use;
        if (graph_.on_chip(id, m)) continue;
        if (use == MemorySpec::Use::kRead || use == MemorySpec::Use::kReadPair) load(id, true, m);
        if (use == MemorySpec::Use::kWrite) read(id, true, m);
      }
      for (std::size_t s = 0; s < spec(id).statuses.size(); ++s) read(id, false, s);
    }
  }

  void write_targets(Writer& w) const {
    int loads = 0, reads = 0;
    each_target(
        [&](NodeId id, bool is_memory, std::size_t n) {
          w.line("    {}({}, {});  // load target {}: {}",
                 is_memory ? "loads_memory" : "loads_register", name(id), n, loads++,
                 is_memory ? spec(id).memories[n].name : spec(id).registers[n].name);
        },
        [&](NodeId id, bool is_memory, std::size_t n) {
          w.line("    {}({}, {});  // read target {}: {}",
                 is_memory ? "reads_memory" : "reads_status", name(id), n, reads++,
                 is_memory ? spec(id).memories[n].name : spec(id).statuses[n].name);
        });
  }

  std::string main_file() const {
    Writer w;
    w.line("// Runs {} on the data in data/. Usage: {} [DIRECTORY [CYCLES]]", class_, design_);
    w.line("// Generated by Heddle.");
    w.line("#include \"{}.h\"\n#include \"systemc/host.h\"\n", design_);
    w.line("int sc_main(int argc, char* argv[]) {{");
    w.line("  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);");
    w.line("  const std::uint64_t limit = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : {}u;",
           limit());
    w.line(
        "  sc_core::sc_clock clk(\"clk\", sc_core::sc_time(10, sc_core::SC_NS), 0.5, "
        "sc_core::sc_time(5, sc_core::SC_NS));");
    w.line("  {} design(\"{}\");", class_, design_);
    w.line("  heddle::sc::Host host(\"host\", design, argc > 1 ? argv[1] : \"data\", limit);");
    w.line("  design.clk(clk);\n  host.clk(clk);");
    for (const NodeId id : graph_.nodes()) {
      if (is_source(id)) w.line("  host.source(design.{0}, \"{0}\");", name(id));
      if (is_taker(id)) w.line("  host.taker(design.{0}, \"{0}\");", name(id));
    }
    w.line("  sc_core::sc_start();\n  return host.status();\n}}");
    return w.text;
  }

  /// Cycles after which the generated program gives up.
  std::uint64_t limit() const {
    constexpr std::uint64_t kUnknown = 10'000'000'000;
    return options_.expected == nullptr ? kUnknown : 10 * options_.expected->cycles + 1'000'000;
  }

  std::string makefile() const {
    Writer w;
    w.line(
        "# Debian builds libsystemc as C++17 and lets it check at link time that its users do the "
        "same; it works");
    w.line("# with C++20 objects, so SC_CPLUSPLUS tells it what it wants to hear.");
    w.line("CXX ?= g++");
    w.line("CXXFLAGS ?= -O2");
    w.line(
        "ALL_CXXFLAGS = -std=c++20 -ffp-contract=off -DSC_CPLUSPLUS=201703L -I. $(shell pkg-config "
        "--cflags systemc) $(CXXFLAGS)");
    w.line("HEADERS = {}.h $(wildcard systemc/*.h compiler/primitives/*.h)\n", design_);
    w.line(".PHONY: all run clean\nall: {}\n", design_);
    w.line(
        "{}: sc_main.cpp $(HEADERS)\n\t$(CXX) $(ALL_CXXFLAGS) -o $@ $< $(shell pkg-config --libs "
        "systemc)\n",
        design_);
    w.line("run: {0}\n\tSYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ./{0}\n", design_);
    w.line("clean:\n\trm -f {}", design_);
    return w.text;
  }

  /// The headers of the design, and those that they include.
  void add_headers() {
    const auto library = embedded_headers();
    std::vector<std::string> wanted{"systemc/host.h", "systemc/design.h", "systemc/channel.h",
                                    "systemc/primitive.h"};
    for (const NodeId id : graph_.nodes())
      if (!graph_.node(id).external())
        wanted.push_back(fmt::format("compiler/primitives/{}.h", spec(id).name));
    while (!wanted.empty()) {
      const std::string path = wanted.back();
      wanted.pop_back();
      if (files_.count(path) != 0) continue;
      const auto found = library.find(path);
      HEDDLE_CHECK(found != library.end(), "{} is not built into this program", path);
      files_[path] = found->second;
      const std::string include = "#include \"";
      for (std::size_t at = found->second.find(include); at != std::string::npos;
           at = found->second.find(include, at + 1)) {
        const std::size_t begin = at + include.size();
        wanted.push_back(found->second.substr(begin, found->second.find('"', begin) - begin));
      }
    }
  }

  static std::string hex_words(const std::vector<std::uint32_t>& words) {
    std::string text;
    for (const std::uint32_t word : words) text += fmt::format("{:08x}\n", word);
    return text;
  }
  static std::string hex_tokens(const Stream& stream) {
    std::string text;
    for (const Token token : stream) text += fmt::format("{:09x}\n", sc::pack(token));
    return text;
  }

  void add_loads() {
    Writer w;
    int target = 0;
    each_target(
        [&](NodeId id, bool is_memory, std::size_t n) {
          const RunInput::Block& block = input_.blocks[index(id)];
          if (is_memory) {
            const std::string file = fmt::format("{}_{}.hex", name(id), spec(id).memories[n].name);
            files_["data/" + file] = n < block.memories.size() ? hex_words(block.memories[n]) : "";
            w.line("{} @ {}  # {}.{}", target++, file, name(id), spec(id).memories[n].name);
          } else {
            w.line("{} = {:08x}  # {}.{}", target++,
                   n < block.registers.size() ? block.registers[n] : 0, name(id),
                   spec(id).registers[n].name);
          }
        },
        [](NodeId, bool, std::size_t) {});
    files_["data/loads.txt"] = w.text;
  }

  void add_streams() {
    for (const NodeId id : graph_.nodes())
      if (is_source(id))
        files_["data/" + name(id) + ".hex"] = hex_tokens(input_.streams[index(id)]);
  }

  void add_expected() {
    Writer w;
    int target = 0;
    const RunResult& expected = *options_.expected;
    each_target([](NodeId, bool, std::size_t) {},
                [&](NodeId id, bool is_memory, std::size_t n) {
                  if (is_memory) {
                    const std::string file =
                        fmt::format("{}_{}.expected", name(id), spec(id).memories[n].name);
                    files_["data/" + file] = hex_words(expected.memories[index(id)][n]);
                    w.line("{} @ {}  # {}.{}", target++, file, name(id), spec(id).memories[n].name);
                  } else {
                    w.line("{} = {:08x}  # {}.{}", target++, expected.statuses[index(id)][n],
                           name(id), spec(id).statuses[n].name);
                  }
                });
    files_["data/expected.txt"] = w.text;
    for (const NodeId id : graph_.nodes())
      if (is_taker(id))
        files_["data/" + name(id) + ".expected"] = hex_tokens(expected.streams[index(id)]);
  }

  std::string readme() const {
    Writer w;
    w.line("# {}\n\n{}\n", options_.name,
           options_.title.empty() ? "A dataflow design." : options_.title);
    w.line(
        "SystemC, generated by Heddle. It needs a C++20 compiler, SystemC 2.3 and pkg-config.\n");
    w.line("    make        build ./{}", design_);
    w.line("    make run    run it on data/; prints the cycles{}\n",
           options_.expected == nullptr ? "" : " and compares the results with data/expected.txt");
    w.line("- `{}.h`: the design: channels, blocks, bindings; its ports are those of the Verilog.",
           design_);
    w.line("- `sc_main.cpp`: the program; exit status 0 if the run ended as expected, else 1.");
    w.line("- `systemc/`, `compiler/primitives/`: the library it uses.");
    w.line("- `data/`: what the host loads and expects; `systemc/host.h` describes the files.");
    if (options_.expected != nullptr)
      w.line("\nHeddle's own simulation took {} cycles.", options_.expected->cycles);
    return w.text;
  }

  const SamGraph& graph_;
  const RunInput& input_;
  const SystemcOptions& options_;
  std::string design_;  // file and module name
  std::string class_;
  std::vector<std::string> nodes_, channels_;  // identifiers
  std::map<std::string, std::string> files_;
};

}  // namespace

std::map<std::string, std::string> emit_systemc(const SamGraph& graph, const RunInput& input,
                                                const SystemcOptions& options) {
  return Emitter(graph, input, options).files();
}

}  // namespace heddle
