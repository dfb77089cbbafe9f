// The parts of the C++ engines that do not depend on how time passes: blocks with their state and
// storage, the surroundings that a Firing gives to a rule, and the collection of results.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "compiler/primitives/scratch.h"
#include "compiler/sim/run.h"

namespace heddle::sim {

/// The storage and registers of one block.
struct Storage {
  std::vector<std::uint32_t> registers;
  std::vector<std::vector<std::uint32_t>> memories;
  std::vector<const std::vector<std::uint32_t>*> kept;  // read in place of a memory of its own
  std::vector<bool> on_chip;  // by memory: what moves there is no traffic with the outside
  std::vector<std::uint32_t> capacity;
  std::vector<Scratch> scratch;
  std::vector<std::uint32_t> statuses;
};

/// The words of a memory that is read.
struct Words {
  const std::uint32_t* data = nullptr;
  std::size_t size = 0;
  bool counted = false;  // reads are traffic with the outside
};

/// What goes on in a whole run beside tokens.
struct Events {
  Fault fault = Fault::kNone;
  NodeId fault_node{};
  std::uint64_t words_read = 0;
  std::uint64_t words_written = 0;
};

inline Storage make_storage(const SamGraph& graph, NodeId id, const RunInput::Block& block) {
  Storage storage;
  const Node& node = graph.node(id);
  const PrimitiveSpec& spec = spec_of(*node.primitive);
  storage.registers = block.registers;
  storage.registers.resize(spec.registers.size(), 0);
  storage.statuses.assign(spec.statuses.size(), 0);
  storage.memories = block.memories;
  storage.memories.resize(spec.memories.size());
  storage.kept.resize(spec.memories.size(), nullptr);
  storage.capacity = block.capacity;
  storage.capacity.resize(spec.memories.size(), 0xffffffffu);
  storage.scratch.resize(spec.memories.size());
  for (std::size_t m = 0; m < spec.memories.size(); ++m) {
    storage.on_chip.push_back(graph.on_chip(id, m));
    if (spec.memories[m].use == MemorySpec::Use::kWrite) {
      // Capacities are close to what is needed, where they are known.
      storage.memories[m].clear();
      if (storage.capacity[m] != 0xffffffffu) storage.memories[m].reserve(storage.capacity[m]);
    }
    if (spec.memories[m].use != MemorySpec::Use::kScratch) continue;
    for (std::size_t p = 0; p < spec.params.size(); ++p)
      if (spec.params[p].name == "bits")
        storage.scratch[m].resize(node.params[static_cast<int>(p)]);
  }
  return storage;
}

/// Lets the readers of kept arrays see the memories of their writers, once no storage moves any
/// more. `storage_of` gives the storage of a block.
template <class StorageOf>
void link_kept(const SamGraph& graph, StorageOf storage_of) {
  for (const NodeId id : graph.nodes())
    for (std::size_t m = 0; m < graph.node(id).memories.size(); ++m)
      if (const auto writer = graph.kept_writer(id, m))
        storage_of(id).kept[m] = &storage_of(writer->node).memories[writer->memory];
}

/// The half of a Firing that is the same in every C++ engine.
class Surroundings {
 public:
  Surroundings(Storage& storage, Events& events, NodeId node)
      : storage_(storage), events_(events), node_(node) {}

  std::uint32_t reg(int r) const { return storage_.registers[static_cast<std::size_t>(r)]; }
  std::uint32_t read(int memory, std::uint32_t address) {
    const Words words = words_of(static_cast<std::size_t>(memory));
    if (words.counted) ++events_.words_read;
    if (address < words.size) return words.data[address];
    fault(Fault::kOutOfRange);
    return 0;
  }
  void write(int memory, std::uint32_t address, std::uint32_t word) {
    if (!store(memory, address, word)) fault(Fault::kOverflow);
  }
  const Scratch& scratch(int memory) const {
    return storage_.scratch[static_cast<std::size_t>(memory)];
  }
  void put(int memory, std::uint32_t address, std::uint64_t word) {
    storage_.scratch[static_cast<std::size_t>(memory)].put(address, word);
  }
  void erase(int memory, std::uint32_t address) {
    storage_.scratch[static_cast<std::size_t>(memory)].erase(address);
  }
  void status(int s, std::uint32_t word) { storage_.statuses[static_cast<std::size_t>(s)] = word; }
  void finish() { finished_ = true; }
  bool finished() const { return finished_; }
  bool fault(Fault fault) {
    if (events_.fault == Fault::kNone) {
      events_.fault = fault;
      events_.fault_node = node_;
    }
    return false;
  }
  bool faulted() const { return events_.fault != Fault::kNone; }

 protected:
  /// What can be read in a memory now.
  Words words_of(std::size_t memory) const {
    const auto* kept = storage_.kept[memory];
    const auto& words = kept != nullptr ? *kept : storage_.memories[memory];
    return {words.data(), words.size(), kept == nullptr};
  }
  void add_words_read(std::uint64_t words) { events_.words_read += words; }
  /// Whether the memory has such a place.
  [[gnu::always_inline]] bool store(int memory, std::uint32_t address, std::uint32_t word) {
    auto& words = storage_.memories[static_cast<std::size_t>(memory)];
    if (!storage_.on_chip[static_cast<std::size_t>(memory)]) ++events_.words_written;
    if (address >= storage_.capacity[static_cast<std::size_t>(memory)]) return false;
    if (address == words.size()) {
      words.push_back(word);
      return true;
    }
    if (address > words.size()) words.resize(address + std::size_t{1}, 0);
    words[address] = word;
    return true;
  }

 private:
  Storage& storage_;
  Events& events_;
  NodeId node_;
  bool finished_ = false;
};

/// An end outside the graph: one that offers a stream, or one that takes it.
template <class Block, class Source, class Sink>
std::unique_ptr<Block> make_end(const SamGraph& graph, const RunInput& input, NodeId id) {
  if (graph.outputs(id).empty()) {
    auto sink = std::make_unique<Sink>();
    sink->pattern = input.take;
    sink->must_end = true;
    return sink;
  }
  auto source = std::make_unique<Source>();
  source->stream = &input.streams[index(id)];
  source->pattern = input.offer;
  return source;
}

/// Hands over what blocks hold at the end of a run. `storages` by NodeId, null outside the graph.
void hand_over(RunResult& result, const std::vector<Storage*>& storages);
/// Fills in what every engine reports the same way.
void report_outcome(RunResult& result, const SamGraph& graph, const Events& events, bool all_ended,
                    bool timed_out, const std::vector<std::uint32_t>& fill);

}  // namespace heddle::sim
