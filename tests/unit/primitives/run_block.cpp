#include "tests/unit/primitives/run_block.h"

#include <bit>
#include <sstream>

#include "compiler/graph/passes.h"
#include "compiler/sim/run.h"

namespace heddle::test {

BlockRun run_block(std::string_view row, const Params& params, const Texts& in, const Data& data) {
  SamGraph graph;
  const PrimitiveId id = find_primitive(row).value();
  const PrimitiveSpec& spec = spec_of(id);
  const NodeId block = graph.add("block", id, params);
  std::vector<NodeId> sources, sinks;
  for (int p = 0; p < port_count(spec, params, Dir::kIn); ++p) {
    sources.push_back(graph.add_external("in" + std::to_string(p)));
    graph.connect(sources.back(), 0, block, p, "");
  }
  for (int p = 0; p < port_count(spec, params, Dir::kOut); ++p) {
    sinks.push_back(graph.add_external("out" + std::to_string(p)));
    graph.connect(block, p, sinks.back(), 0, "");
  }
  name_channels(graph);
  verify(graph, Form::kElastic);
  RunInput input;
  input.blocks.resize(graph.node_count());
  input.streams.resize(graph.node_count());
  input.blocks[index(block)].registers = data.registers;
  input.blocks[index(block)].memories = data.memories;
  EXPECT_EQ(in.size(), sources.size());
  for (std::size_t p = 0; p < sources.size() && p < in.size(); ++p) {
    const auto stream = parse_stream(in[p]);
    EXPECT_TRUE(stream.has_value()) << in[p];
    input.streams[index(sources[p])] = stream.value_or(Stream{});
  }
  const RunResult result = run_functional(graph, input);
  BlockRun run;
  run.fault = result.fault;
  for (const NodeId sink : sinks) run.out.push_back(to_text(result.streams[index(sink)]));
  run.memories = result.memories[index(block)];
  run.statuses = result.statuses[index(block)];
  return run;
}

std::string f32(const std::string& text) {
  std::istringstream words(text);
  std::string word, out;
  while (words >> word) {
    const bool control = word[0] == 'S' || word[0] == 'N' || word[0] == 'D';
    if (!out.empty()) out += ' ';
    out += control ? word : std::to_string(std::bit_cast<std::uint32_t>(std::stof(word)));
  }
  return out;
}

std::string i32(const std::string& text) {
  const auto stream = parse_stream(text);
  EXPECT_TRUE(stream.has_value()) << text;
  return stream ? to_text(*stream) : std::string();
}

}  // namespace heddle::test
