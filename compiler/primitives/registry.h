// The one list of primitives, sorted. What is not here does not exist.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "compiler/primitives/accumulate.h"
#include "compiler/primitives/alu.h"
#include "compiler/primitives/array.h"
#include "compiler/primitives/await.h"
#include "compiler/primitives/constant.h"
#include "compiler/primitives/crd_drop.h"
#include "compiler/primitives/fill.h"
#include "compiler/primitives/flags.h"
#include "compiler/primitives/flatten.h"
#include "compiler/primitives/fork.h"
#include "compiler/primitives/function.h"
#include "compiler/primitives/gate.h"
#include "compiler/primitives/intersect.h"
#include "compiler/primitives/intersect_skip.h"
#include "compiler/primitives/keep_compressed.h"
#include "compiler/primitives/keep_vals.h"
#include "compiler/primitives/locate.h"
#include "compiler/primitives/mask.h"
#include "compiler/primitives/ordinal.h"
#include "compiler/primitives/pack.h"
#include "compiler/primitives/parallelize.h"
#include "compiler/primitives/pick.h"
#include "compiler/primitives/reduce.h"
#include "compiler/primitives/repeat.h"
#include "compiler/primitives/scan_compressed.h"
#include "compiler/primitives/scan_dense.h"
#include "compiler/primitives/scan_skip.h"
#include "compiler/primitives/segment.h"
#include "compiler/primitives/select.h"
#include "compiler/primitives/serialize.h"
#include "compiler/primitives/singleton.h"
#include "compiler/primitives/sink.h"
#include "compiler/primitives/union.h"
#include "compiler/primitives/unpack.h"
#include "compiler/primitives/val_drop.h"
#include "compiler/primitives/write_compressed.h"
#include "compiler/primitives/write_vals.h"

namespace heddle {

using Primitives =
    std::tuple<Accumulate, Alu, Array, Await, Constant, CrdDrop, Fill, Flags, Flatten, Fork,
               Function, Gate, Intersect, IntersectSkip, KeepCompressed, KeepVals, Locate, Mask,
               Ordinal, Pack, Parallelize, Pick, Reduce, Repeat, ScanCompressed, ScanDense,
               ScanSkip, Segment, Select, Serialize, Singleton, Sink, Union, Unpack, ValDrop,
               WriteCompressed, WriteVals>;

inline constexpr int kPrimitiveCount = static_cast<int>(std::tuple_size_v<Primitives>);

/// A primitive by its place in the list.
enum class PrimitiveId : std::uint8_t {};

template <class P, int I = 0>
constexpr PrimitiveId id_of() {
  if constexpr (std::is_same_v<P, std::tuple_element_t<static_cast<std::size_t>(I), Primitives>>)
    return static_cast<PrimitiveId>(I);
  else
    return id_of<P, I + 1>();
}

/// Calls visit.template operator()<P>() for the primitive with this id.
template <class Visitor, int I = 0>
constexpr decltype(auto) with_primitive(PrimitiveId id, Visitor&& visit) {
  using P = std::tuple_element_t<static_cast<std::size_t>(I), Primitives>;
  if constexpr (I + 1 == kPrimitiveCount)
    return visit.template operator()<P>();
  else
    return static_cast<int>(id) == I
               ? visit.template operator()<P>()
               : with_primitive<Visitor, I + 1>(id, std::forward<Visitor>(visit));
}

constexpr const PrimitiveSpec& spec_of(PrimitiveId id) {
  return with_primitive(id, []<class P>() -> const PrimitiveSpec& { return P::kSpec; });
}

constexpr int latency_of(PrimitiveId id, const Params& params, int out) {
  return with_primitive(id, [&]<class P>() { return P::latency(params, out); });
}

constexpr std::optional<PrimitiveId> find_primitive(std::string_view name) {
  for (int i = 0; i < kPrimitiveCount; ++i)
    if (spec_of(static_cast<PrimitiveId>(i)).name == name) return static_cast<PrimitiveId>(i);
  return std::nullopt;
}

namespace detail {
template <class... P>
constexpr bool rows_well_formed(std::tuple<P...>*) {
  return (well_formed(P::kSpec) && ...);
}
}  // namespace detail
static_assert(detail::rows_well_formed(static_cast<Primitives*>(nullptr)));

}  // namespace heddle
