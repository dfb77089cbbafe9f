// The sum over a design of
//   blocks:    the row of the block's name, type and operation; with n operands, n / 2 of the row
//              that was measured with two; accumulators by the number of their places
//   channels:  registers up to 5 places, in proportion; block memory beyond
//   memories:  what surrounds them, as measured with 1024 words, and as much block memory as holds
//              the words
// What decodes the host's addresses is not in it.
#include "compiler/netlist/area.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "compiler/primitives/registry.h"
#include "compiler/support/check.h"

namespace heddle {
namespace {

void add(Area& sum, const Area& more) {
  sum.lookup_tables += more.lookup_tables;
  sum.registers += more.registers;
  sum.memories += more.memories;
}

/// The rows of the table: | `array` | 36 | 35 | 0 | ...
std::map<std::string, Area> read_table(const std::string& text) {
  std::map<std::string, Area> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::istringstream cells(line);
    std::string bar, name;
    Area area;
    cells >> bar >> name;
    if (cells >> bar >> area.lookup_tables >> bar >> area.registers >> bar >> area.memories)
      rows[name.substr(1, name.size() - 2)] = area;
  }
  return rows;
}

const std::map<std::string, Area>& measured() {
  static const std::map<std::string, Area> rows = read_table(embedded_file("rtl/AREA.md"));
  return rows;
}

Area row(const std::string& name) {
  const auto found = measured().find(name);
  HEDDLE_CHECK(found != measured().end(), "rtl/AREA.md has no row '{}'", name);
  return found->second;
}

/// Block memories that hold so many words: they are 16, 8, 4 or 2 bits wide, the wider the fewer
/// words deep.
std::uint64_t block_memories(std::uint64_t words, std::uint64_t bits) {
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint64_t width = 16, depth = 256; width >= 2; width /= 2, depth *= 2)
    least = std::min(least, ((bits + width - 1) / width) * ((words + depth - 1) / depth));
  return least;
}

// The parameter of a block by its name in RTL, as far as it tells rows of the table apart.
std::optional<std::string> named(const Node& node, std::string_view param) {
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  for (std::size_t p = 0; p < spec.params.size(); ++p)
    if (spec.params[p].name == param && !spec.params[p].names.empty())
      return std::string(
          spec.params[p].names[static_cast<std::size_t>(node.params[static_cast<int>(p)])]);
  return std::nullopt;
}

/// The row that is closest to a block: operations that were not measured take one like them.
std::string row_of(const Node& node) {
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  const std::string name(spec.name);
  std::string op = named(node, "op").value_or("");
  const std::string type = named(node, "type").value_or("");
  const std::string fiber = named(node, "fiber").value_or("");
  if (name == "alu") {
    if (op == "sub" || (type == "i32" && op != "mul" && op != "div")) op = "add";
    if (op != "add" && op != "mul" && op != "div") op = "max";
    return name + "_" + op + "_" + type;
  }
  for (const std::string& longer : {name + "_" + op + "_" + type, name + "_" + type,
                                    name + "_" + op + "_f32", name + "_" + fiber})
    if (measured().count(longer) != 0) return longer;
  return op.empty() ? name : name + "_" + op + (type.empty() ? "" : "_" + type);
}

// Accumulators were measured with 2^10 places. What is in no memory hardly depends on them.
void resize_scratch(Area& area, const Node& node) {
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  for (std::size_t p = 0; p < spec.params.size(); ++p) {
    if (spec.params[p].name != "bits") continue;
    const std::uint64_t scaled = (area.memories << node.params[static_cast<int>(p)]) >> 10;
    area.memories = std::max<std::uint64_t>(area.memories > 0 ? 1 : 0, scaled);
  }
}

void add_block(AreaEstimate& sum, const Node& node, std::set<std::string>& unmeasured) {
  const std::string name = row_of(node);
  const auto found = measured().find(name);
  if (found == measured().end()) {
    unmeasured.insert(name);
    return;
  }
  Area area = found->second;
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  for (const MemorySpec& memory : spec.memories)
    if (memory.use == MemorySpec::Use::kScratch) resize_scratch(area, node);
  if (operands(spec, node.params) != operands(spec, default_params(spec))) {
    const auto n = static_cast<std::uint64_t>(operands(spec, node.params));
    area.lookup_tables = area.lookup_tables * n / 2;
    area.registers = area.registers * n / 2;
  }
  add(sum.blocks, area);
}

Area channel(int places) {
  constexpr int kRegisters = 5;  // as many tokens at most does Yosys keep in registers
  constexpr std::uint64_t kTokenBits = 34;
  const auto depth = static_cast<std::uint64_t>(places);
  if (places > kRegisters) {
    const Area like = row(places > 256 ? "channel_512" : places > 16 ? "channel_64" : "channel_8");
    return {like.lookup_tables, like.registers, block_memories(depth, kTokenBits)};
  }
  const Area two = row("channel_2"), four = row("channel_4");
  const auto between = [&](std::uint64_t at_two, std::uint64_t at_four) {
    const std::uint64_t each = (at_four - at_two) / 2;
    return depth >= 2 ? at_two + each * (depth - 2) : at_two - std::min(at_two, each);
  };
  return {between(two.lookup_tables, four.lookup_tables), between(two.registers, four.registers),
          0};
}

Area memory(MemorySpec::Use use, std::uint64_t words) {
  const Area like = row(use == MemorySpec::Use::kRead       ? "memory_1024"
                        : use == MemorySpec::Use::kReadPair ? "memory_pair_1024"
                                                            : "memory_out_1024");
  return {like.lookup_tables, like.registers, block_memories(words, 32)};
}

}  // namespace

Area AreaEstimate::total() const {
  Area sum;
  for (const Area& part : {blocks, channels, memories}) add(sum, part);
  return sum;
}

AreaEstimate estimate_area(const SamGraph& graph,
                           const std::vector<std::vector<std::uint32_t>>& sizes) {
  AreaEstimate sum;
  std::set<std::string> unmeasured;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.external()) continue;
    add_block(sum, node, unmeasured);
    const PrimitiveSpec& spec = spec_of(*node.primitive);
    for (std::size_t m = 0; m < spec.memories.size(); ++m)
      if (spec.memories[m].use != MemorySpec::Use::kScratch)  // measured with its block
        add(sum.memories, memory(spec.memories[m].use, sizes[index(id)][m]));
  }
  for (const ChannelId c : graph.channels()) add(sum.channels, channel(graph.channel(c).depth));
  sum.unmeasured.assign(unmeasured.begin(), unmeasured.end());
  return sum;
}

}  // namespace heddle
