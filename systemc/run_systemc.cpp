#include "systemc/run_systemc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <systemc>

#include "compiler/sim/channel.h"
#include "compiler/sim/machine.h"
#include "compiler/support/seconds.h"
#include "systemc/channel.h"
#include "systemc/external.h"
#include "systemc/primitive.h"
#include "systemc/wire_format.h"

// The library calls it from a main of its own, which this program does not use.
int sc_main(int, char*[]) { return 0; }

namespace heddle {
namespace {

/// Keeps the account of a channel as the C++ engines do.
class Account : public sc::ChannelObserver {
 public:
  Account(const ChannelInfo& info, Detail detail) : channel_(info.depth, info.latency, detail) {}
  void pushed(std::uint64_t cycle, Token token) override { channel_.push(token, cycle); }
  void popped(std::uint64_t cycle, Token token) override {
    HEDDLE_CHECK(channel_.head() == token, "a SystemC channel gives another token than it took");
    channel_.pop(cycle);
  }
  sim::Channel& channel() { return channel_; }

 private:
  sim::Channel channel_;
};

/// Looks at the design in the second half of each cycle: releases the reset, counts, and ends the
/// run.
class Watchdog : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_out<bool> rst{"rst"};

  SC_HAS_PROCESS(Watchdog);
  Watchdog(const sc_core::sc_module_name& name, sc::Monitor& monitor, std::uint64_t patience,
           std::uint64_t limit)
      : sc_module(name), monitor_(monitor), patience_(patience), limit_(limit) {
    SC_METHOD(look);
    sensitive << clk.neg();
    dont_initialize();
    rst.initialize(true);
  }
  std::uint64_t cycles() const { return cycles_; }
  bool timed_out() const { return timed_out_; }

 private:
  void look() {
    if (rst.read()) {
      rst.write(false);
      monitor_.moved = false;
    } else {
      ++now_;
      idle_ = monitor_.moved ? 0 : idle_ + 1;
      if (monitor_.moved) cycles_ = now_;
      monitor_.moved = false;
    }
    if (monitor_.running == 0 || idle_ > patience_ || monitor_.fault != Fault::kNone) {
      sc_core::sc_stop();
    } else if (limit_ != 0 && now_ >= limit_) {
      timed_out_ = true;
      sc_core::sc_stop();
    }
  }

  sc::Monitor& monitor_;
  std::uint64_t patience_;  // idle cycles after which nothing can happen any more
  std::uint64_t limit_;
  std::uint64_t now_ = 0;     // edges since the reset
  std::uint64_t cycles_ = 0;  // up to the last one at which a block fired
  std::uint64_t idle_ = 0;
  bool timed_out_ = false;
};

/// No block can wait longer than this for a token on its way, or for the outside world.
std::uint64_t patience(const SamGraph& graph, const RunInput& input) {
  int cycles = 2;
  for (const ChannelId c : graph.channels())
    cycles = std::max(cycles, graph.channel(c).latency + 1);
  if (input.offer.percent < 100 || input.take.percent < 100) cycles += 4096;
  return static_cast<std::uint64_t>(cycles);
}

/// The modules of a graph: channels, then blocks, then bindings.
class Design {
 public:
  Design(const SamGraph& graph, const RunInput& input, Detail detail)
      : graph_(graph), watchdog_("watchdog", monitor_, patience(graph, input), input.max_cycles) {
    HEDDLE_CHECK(
        input.blocks.size() == graph.node_count() && input.streams.size() == graph.node_count(),
        "the input is that of another graph");
    watchdog_.clk(clk_);
    watchdog_.rst(rst_);
    for (const ChannelId id : graph.channels()) add_channel(graph.channel(id), detail);
    for (const NodeId id : graph.nodes()) add_block(id, input);
    for (const NodeId id : graph.nodes()) bind(id);
    for (const NodeId id : graph.nodes()) share(id);
  }

  void run() {
    if (monitor_.running > 0) sc_core::sc_start();
  }

  RunResult result() {
    RunResult r;
    r.cycles = watchdog_.cycles();
    std::vector<std::uint32_t> fill;
    for (const auto& account : accounts_) {
      sim::Channel& channel = account->channel();
      fill.push_back(static_cast<std::uint32_t>(channel.fill()));
      r.counters.push_back(channel.counters(r.cycles));
      r.hashes.push_back(channel.hash());
      r.trace.push_back(std::move(channel.trace()));
    }
    r.streams.resize(blocks_.size());
    r.memories.resize(blocks_.size());
    r.statuses.resize(blocks_.size());
    for (std::size_t n = 0; n < blocks_.size(); ++n) {
      r.firings.push_back(blocks_[n]->firings());
      if (const auto* taker = dynamic_cast<const sc::Taker*>(blocks_[n].get()))
        r.streams[n] = taker->taken();
      const auto* block = dynamic_cast<const sc::PrimitiveBase*>(blocks_[n].get());
      if (block == nullptr) continue;
      r.memories[n] = block->storage().memories;
      r.statuses[n] = block->storage().statuses;
    }
    sim::Events events;
    events.fault = monitor_.fault;
    events.fault_node = static_cast<NodeId>(monitor_.fault_block);
    events.words_read = monitor_.words_read;
    events.words_written = monitor_.words_written;
    sim::report_outcome(r, graph_, events, monitor_.running == 0, watchdog_.timed_out(), fill);
    return r;
  }

 private:
  void add_channel(const ChannelInfo& info, Detail detail) {
    ins_.push_back(std::make_unique<sc::Wires>(info.name + "_in"));
    outs_.push_back(std::make_unique<sc::Wires>(info.name + "_out"));
    channels_.push_back(std::make_unique<sc::Channel>(info.name.c_str(), info.depth, info.latency));
    accounts_.push_back(std::make_unique<Account>(info, detail));
    sc::Channel& channel = *channels_.back();
    channel.clk(clk_);
    channel.rst(rst_);
    channel.in.bind(*ins_.back());
    channel.out.bind(*outs_.back());
    channel.observe(accounts_.back().get());
  }

  void add_block(NodeId id, const RunInput& input) {
    const Node& node = graph_.node(id);
    const auto number = static_cast<std::uint32_t>(index(id));
    const char* name = node.name.c_str();
    if (!node.external())
      blocks_.push_back(
          with_primitive(*node.primitive, [&]<class P>() -> std::unique_ptr<sc::Block> {
            auto block = std::make_unique<sc::Primitive<P>>(name, node.params, monitor_, number);
            load(block->storage(), P::kSpec, input.blocks[index(id)]);
            return block;
          }));
    else if (!graph_.outputs(id).empty())
      blocks_.push_back(std::make_unique<sc::Source>(name, input.streams[index(id)], input.offer,
                                                     monitor_, number));
    else
      blocks_.push_back(std::make_unique<sc::Taker>(name, input.take, monitor_, number));
  }

  static void load(sc::Storage& storage, const PrimitiveSpec& spec, const RunInput::Block& data) {
    std::copy_n(data.registers.begin(), std::min(data.registers.size(), storage.registers.size()),
                storage.registers.begin());
    std::copy_n(data.capacity.begin(), std::min(data.capacity.size(), storage.capacity.size()),
                storage.capacity.begin());
    for (std::size_t m = 0; m < spec.memories.size() && m < data.memories.size(); ++m)
      if (spec.memories[m].use != MemorySpec::Use::kWrite) storage.memories[m] = data.memories[m];
  }

  sc::Storage& storage(NodeId id) {
    return dynamic_cast<sc::PrimitiveBase&>(*blocks_[index(id)]).storage();
  }
  /// Connects readers of kept arrays with who writes them.
  void share(NodeId id) {
    for (std::size_t m = 0; m < graph_.node(id).memories.size(); ++m) {
      storage(id).on_chip[m] = graph_.on_chip(id, m);
      if (const auto writer = graph_.kept_writer(id, m))
        storage(id).share(static_cast<int>(m), storage(writer->node),
                          static_cast<int>(writer->memory));
    }
  }

  void bind(NodeId id) {
    sc::Block& block = *blocks_[index(id)];
    block.clk(clk_);
    block.rst(rst_);
    int port = 0;
    for (const ChannelId c : graph_.inputs(id)) block.in(port++).bind(*outs_[index(c)]);
    port = 0;
    for (const ChannelId c : graph_.outputs(id)) block.out(port++).bind(*ins_[index(c)]);
  }

  const SamGraph& graph_;
  sc::Monitor monitor_;
  sc_core::sc_clock clk_{"clk", sc_core::sc_time(2, sc_core::SC_NS), 0.5,
                         sc_core::sc_time(1, sc_core::SC_NS)};
  sc_core::sc_signal<bool> rst_{"rst", true};
  Watchdog watchdog_;
  std::vector<std::unique_ptr<sc::Wires>> ins_, outs_;  // of the channels
  std::vector<std::unique_ptr<sc::Channel>> channels_;
  std::vector<std::unique_ptr<Account>> accounts_;
  std::vector<std::unique_ptr<sc::Block>> blocks_;
};

RunResult failed(std::string problem) {
  RunResult result;
  result.outcome = Outcome::kFault;
  result.problem = std::move(problem);
  return result;
}

/// In a process that has not used the kernel yet.
RunResult simulate(const SamGraph& graph, const RunInput& input, Detail detail) {
  using sc_core::sc_report_handler;
  sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  try {
    Design design(graph, input, detail);
    const double seconds = seconds_of([&] { design.run(); });
    RunResult result = design.result();
    result.seconds = seconds;
    return result;
  } catch (const std::exception& error) {
    return failed(fmt::format("the SystemC kernel reports: {}", error.what()));
  }
}

bool write_all(int file, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(file, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

std::string read_all(int file) {
  std::string bytes;
  std::vector<char> part(1 << 16);
  for (;;) {
    const ssize_t n = ::read(file, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(n));
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

SystemcRun::SystemcRun(const SamGraph& graph, const RunInput& input, Detail detail) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    problem_ = fmt::format("no pipe to a SystemC process: {}", std::strerror(errno));
    return;
  }
  std::fflush(nullptr);  // or the child would write what is still in the buffers a second time
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    const bool sent = write_all(ends[1], sc::to_bytes(simulate(graph, input, detail)));
    std::fflush(nullptr);
    ::_exit(sent ? 0 : 1);
  }
  if (child_ < 0) problem_ = fmt::format("no process for SystemC: {}", std::strerror(errno));
  ::close(ends[1]);
  from_child_ = ends[0];
}

SystemcRun::~SystemcRun() {
  if (from_child_ >= 0) ::close(from_child_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  wait();
}

int SystemcRun::wait() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

RunResult SystemcRun::result() {
  if (child_ < 0) return failed(problem_);
  const std::string bytes = read_all(from_child_);
  if (const int status = wait(); status != 0)
    return failed(fmt::format("the SystemC process ended early, with {}", how_it_ended(status)));
  auto result = sc::from_bytes(bytes);
  if (!result) return failed("the SystemC process sent an incomplete result");
  return std::move(*result);
}

RunResult run_systemc(const SamGraph& graph, const RunInput& input, Detail detail) {
  return SystemcRun(graph, input, detail).result();
}

}  // namespace heddle
