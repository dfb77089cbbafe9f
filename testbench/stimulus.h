// Random input for one block alone: aligned well-formed streams, registers and memory contents.
//
// Streams are of random nesting, with empty fibers, empty tensors, single elements, long fibers,
// and N where a port may carry it. How a row is tried is said in its unit test, by an object
//
//   const StimulusOf<Union> kStimulus{parameter sets, firings, make, [answers, [excesses]]};
//
// and known to every program that this test is linked into.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "compiler/primitives/registry.h"

namespace heddle {

struct Stimulus {
  std::vector<Stream> streams;           // by input port
  std::vector<std::uint32_t> registers;  // in row order
  std::vector<std::vector<std::uint32_t>>
      memories;  // in row order; nothing in those that the host does not load
};

/// Words that a loaded memory has, and that a written one has room for.
inline constexpr std::uint32_t kLoadedWords = 80;
inline constexpr std::uint32_t kWrittenWords = 512;

/// Words of a written memory that is to be too small.
inline constexpr std::uint32_t kFewWords = 64;

/// Input that a block cannot hold: its written memories have kFewWords.
struct Excess {
  Params params;
  std::vector<Stream> streams;  // by input port
};

class Maker;

/// How a row is tried.
struct StimulusRow {
  std::vector<Params> params;  // parameter sets worth trying
  /// Ways in which the block fires, all of which must be seen: what it takes > what it gives, as
  /// testbench/lockstep.h writes them.
  std::vector<std::string_view> firings;
  Stimulus (*make)(Maker&) = nullptr;
  /// Ports that answer the tokens of another stream one by one: they are not nested, and the D of
  /// an input is taken after those of the outputs are given.
  std::string_view answers = {};
  /// For rows with a capacity: one for each way to exceed it.
  std::vector<Excess> excesses = {};
};

/// Nothing if no unit test of the row is linked in.
const StimulusRow* find_stimulus(PrimitiveId row);
/// The same for the same seed; call only for rows that have one.
Stimulus make_stimulus(PrimitiveId row, const Params& params, std::uint64_t seed);

/// Called before main, once for a row.
void register_stimulus(PrimitiveId row, StimulusRow stimulus);

template <class P>
struct StimulusOf {
  StimulusOf(std::vector<Params> params, std::vector<std::string_view> firings,
             Stimulus (*make)(Maker&), std::string_view answers = {},
             std::vector<Excess> excesses = {}) {
    register_stimulus(id_of<P>(),
                      {std::move(params), std::move(firings), make, answers, std::move(excesses)});
  }
};

inline constexpr std::uint64_t kAnyWord = std::uint64_t{1} << 32;
constexpr std::uint64_t power_of_two(int bits) { return std::uint64_t{1} << bits; }

/// Makes the parts of a stimulus. Every choice is drawn from one random sequence, so the order of
/// calls matters.
class Maker {
 public:
  Maker(const Params& p, std::uint64_t seed) : params(p), random_(seed) {
    style_ = below(4);
    absent_ = chance(30) ? 0 : below(60);
    density_ = 10 + below(90);
  }

  const Params& params;

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<int>(list.size())));
  }

  /// Coordinates of this stimulus are `span` numbers below `limit`.
  void choose_coordinates(std::uint64_t limit);

  std::uint32_t word();
  std::uint32_t number(int type);
  /// Near the one before it in magnitude, or its opposite, or any number; or all of them alike.
  std::uint32_t term(int type);
  /// `token`, or N now and then.
  Token maybe(Token token) { return chance(absent_) ? empty() : token; }
  Token any() { return maybe(val(word())); }

  /// A stream around whose elements there are `depth` fibers.
  Stream shape(int depth);
  Stream shape() { return shape(below(4)); }

  /// A fiber for each element of `parent`.
  template <class Fiber>
  Stream nest(const Stream& parent, Fiber fiber) {
    budget_ = style_ == 3 ? 120 : 50;
    Stream out;
    for (const Token t : parent) {
      if (t.is_element()) {
        const std::size_t before = out.size();
        fiber(out);
        budget_ -= static_cast<int>(out.size() - before);
        out.push_back(stop(0));
      } else {
        out.push_back(outward(t));
      }
    }
    return out;
  }
  void add_any(Stream& out);
  Stream nest_any(const Stream& parent) {
    return nest(parent, [&](Stream& out) { add_any(out); });
  }
  /// Ascending coordinates for each element of `parent`.
  Stream nest_coordinates(const Stream& parent);

  /// The same stream with other elements.
  template <class Change>
  Stream map(const Stream& s, Change change) {
    Stream out = s;
    for (Token& t : out)
      if (t.is_element()) t = change(t);
    return out;
  }
  Stream map_any(const Stream& s) {
    return map(s, [&](Token) { return any(); });
  }
  /// Numbers that are hard to add up.
  Stream map_terms(const Stream& s, int type) {
    exponent_ = below(256);
    alike_ = chance(25);
    return map(s, [&](Token) { return maybe(val(term(type))); });
  }
  Stream map_numbers(const Stream& s, int type) {
    return map(s, [&](Token) { return maybe(val(number(type))); });
  }

  int length();
  int fresh_length() {
    budget_ = 1;
    return length();
  }
  std::vector<std::uint32_t> words(std::uint32_t n);

 private:
  std::uint32_t special(ValueType type);

  std::mt19937_64 random_;
  int style_ = 0;
  int absent_ = 0;
  int density_ = 0;
  int budget_ = 0;    // elements that are still to be made
  int exponent_ = 0;  // of the last term
  std::uint32_t term_ = 0;
  bool alike_ = false;  // terms of one magnitude and sign
  std::uint64_t origin_ = 0;
  std::uint64_t span_ = 1;
};

/// 0, 1, ... n-1 in one fiber.
Stream counted(std::uint32_t n);
/// Coordinates, then references of params[0] operands of one join.
Stimulus make_joined(Maker& m);

}  // namespace heddle
