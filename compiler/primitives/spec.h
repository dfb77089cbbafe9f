// PrimitiveSpec: the row that describes a block. Everything that is said about a block anywhere
// (graph checks, RTL instances, SystemC ports, documentation) is taken from its row; its behaviour
// is its `step`.
//
// A primitive is a class with
//   static constexpr PrimitiveSpec kSpec;         the row
//   struct State;                                 small, copyable, value-initialised at start and
//   after D template <class Firing> static bool step(State&, const Params&, Firing&);
//
// `step` is the rule: it looks at input heads and output room, then pops and pushes, and returns
// whether it fired. It moves at most one token per port, examines before it pops or pushes
// anything, and never acts on the absence of a token. A Firing offers
//   const Token* head(int in)         the token at the head of an input, or null: then return false
//   bool room(int out)                whether an output can take a token; if not, return false
//   void pop(int in), push(int out, Token)
//   std::uint32_t reg(int)            a configuration register
//   std::uint32_t read(int memory, std::uint32_t address)   arrives with the latency of the output
//   channel void write(int memory, std::uint32_t address, std::uint32_t word) Scratch access of
//   accumulators: see scratch.h void status(int, std::uint32_t)   sets a status register that the
//   host reads bool fault(Fault)                 reports a broken obligation, which ends the run;
//   returns false void finish()                     of a block that ends a stream: it has seen D
// It may also say how its outputs nest, in terms of its inputs, for messages:
//   template <class Nests> static void nest(Nests&, const Params&)   see compiler/graph/nests.h
// Ports are numbered in row order, inputs and outputs each from 0; a repeated port takes n numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/primitives/arithmetic.h"
#include "compiler/primitives/token.h"

namespace heddle {

enum class Dir : std::uint8_t { kIn, kOut };
enum class Payload : std::uint8_t { kCrd, kRef, kVal, kAny };

/// What can go wrong at run time; the text is what users see.
enum class Fault : std::uint8_t { kNone, kMisaligned, kOutOfRange, kOverflow };
constexpr std::string_view to_text(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "no fault";
    case Fault::kMisaligned:
      return "input streams are not aligned";
    case Fault::kOutOfRange:
      return "a position or coordinate is out of range";
    case Fault::kOverflow:
      return "a capacity is exceeded";
  }
  return "";
}

/// A compile-time parameter. With `names` it is an enumeration, passed to RTL as a string.
struct ParamSpec {
  std::string_view name;  // snake_case; in RTL UpperCamelCase
  int min = 0;
  int max = 0;
  int fallback = 0;
  std::span<const std::string_view> names = {};
  std::string_view doc;
};

struct PortSpec {
  std::string_view name;
  Dir dir{};
  Payload payload{};
  bool repeated = false;  // one port per operand: n ports, name0 .. name(n-1)
  std::string_view doc;
};

/// A register that the host sets before a run.
struct RegisterSpec {
  std::string_view name;
  std::string_view doc;
};

/// Storage next to the block. Read memories answer one cycle after the address.
struct MemorySpec {
  enum class Use : std::uint8_t {
    kRead,      // one read port
    kReadPair,  // words a and a + 1 at once
    kWrite,     // one write port; the host reads it after the run
    kScratch,   // private to the block, with presence bits; empty between runs
  };
  std::string_view name;
  Use use{};
  std::string_view doc;
  // kWrite: words that a run leaves are the number that this status gives, and so many more.
  int counted_by = 0;
  int and_more = 0;
};

struct PrimitiveSpec {
  std::string_view name;
  std::string_view summary;  // one sentence
  std::span<const ParamSpec> params = {};
  std::span<const PortSpec> ports = {};
  std::span<const RegisterSpec> registers = {};
  std::span<const MemorySpec> memories = {};
  std::span<const RegisterSpec> statuses = {};  // registers that the host reads
  bool overflows = false;  // has a capacity that data can exceed (RTL: an `overflow` output)
};

/// A block without outputs ends a stream; it says when it has seen the end (RTL: a `finish`
/// output).
constexpr bool ends_stream(const PrimitiveSpec& spec) {
  for (const PortSpec& port : spec.ports)
    if (port.dir == Dir::kOut) return false;
  return true;
}

inline constexpr int kMaxParams = 6;
/// Parameter values in row order. A parameter named "n" counts the repeated ports.
struct Params {
  std::array<std::int32_t, kMaxParams> value{};
  constexpr std::int32_t operator[](int i) const { return value[static_cast<std::size_t>(i)]; }
  friend constexpr bool operator==(const Params&, const Params&) = default;
};

/// Number of operands: the parameter "n" if the row has one, else 1.
constexpr int operands(const PrimitiveSpec& spec, const Params& params) {
  for (std::size_t i = 0; i < spec.params.size(); ++i)
    if (spec.params[i].name == "n") return params[static_cast<int>(i)];
  return 1;
}

/// Ports after repetition, in row order.
constexpr int port_count(const PrimitiveSpec& spec, const Params& params, Dir dir) {
  int count = 0;
  for (const PortSpec& port : spec.ports)
    if (port.dir == dir) count += port.repeated ? operands(spec, params) : 1;
  return count;
}

/// The row of a flattened port number, and which repetition it is.
struct PortRef {
  const PortSpec* spec = nullptr;
  int repetition = 0;
};
constexpr PortRef port_at(const PrimitiveSpec& spec, const Params& params, Dir dir, int number) {
  for (const PortSpec& port : spec.ports) {
    if (port.dir != dir) continue;
    const int n = port.repeated ? operands(spec, params) : 1;
    if (number < n) return {&port, number};
    number -= n;
  }
  return {};
}
/// "crd", or "ref1" for a repeated port.
inline std::string port_name(const PrimitiveSpec& spec, const Params& params, Dir dir, int number) {
  const PortRef ref = port_at(spec, params, dir, number);
  if (ref.spec == nullptr) return "?";
  std::string name(ref.spec->name);
  return ref.spec->repeated ? name + std::to_string(ref.repetition) : name;
}

constexpr Params default_params(const PrimitiveSpec& spec) {
  Params params;
  for (std::size_t i = 0; i < spec.params.size(); ++i) params.value[i] = spec.params[i].fallback;
  return params;
}

constexpr bool well_formed(const PrimitiveSpec& spec) {
  if (spec.name.empty() || spec.summary.empty() || spec.params.size() > kMaxParams) return false;
  for (const ParamSpec& p : spec.params)
    if (p.min > p.max || p.fallback < p.min || p.fallback > p.max) return false;
  return !spec.ports.empty();
}

}  // namespace heddle
