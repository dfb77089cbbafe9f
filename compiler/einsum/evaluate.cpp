// Inputs as the reference reads them, then statement after statement.
#include "compiler/einsum/evaluate.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>
#include <utility>

#include "compiler/einsum/evaluate_statement.h"

namespace heddle {
namespace {

using reference::Store;

double to_double(std::uint32_t bits, ValueType type) {
  return type == ValueType::kF32 ? static_cast<double>(std::bit_cast<float>(bits))
                                 : static_cast<double>(static_cast<std::int32_t>(bits));
}

/// The entries as they are stored: dense levels below a compressed one store zeros, too.
EntryList stored(const TensorDecl& decl, const EntryList& list) {
  const bool fills = decl.format && !decl.format->levels.empty() &&
                     decl.format->levels.back() == LevelKind::kDense && !decl.format->all_dense();
  return fills ? unpack(pack(list, decl.type, *decl.format)) : list;
}

ReferenceTensor dense_input(const EntryList& list, ValueType type) {
  ReferenceTensor tensor;
  tensor.shape = list.shape;
  tensor.value.assign(static_cast<std::size_t>(dense_size(list.shape)), 0);
  for (std::size_t n = 0; n < list.size(); ++n) {
    std::size_t position = 0;
    for (std::size_t mode = 0; mode < list.shape.size(); ++mode) {
      position = position * list.shape[mode] + list.entry(n)[mode];
    }
    tensor.value[position] = to_double(list.vals[n], type);
  }
  return tensor;
}

/// Whether what is under the compressed levels of a format is stored as a whole.
bool stores_zeros(const TensorDecl& decl) {
  return decl.format && !decl.format->levels.empty() &&
         decl.format->levels.back() == LevelKind::kDense;
}

/// A result as it is stored: dense levels store zeros, too, below each entry of the others.
ReferenceTensor with_stored_zeros(const TensorFormat& format, const ReferenceTensor& result) {
  std::size_t above = format.levels.size();  // levels that decide what is stored
  while (above > 0 && format.levels[above - 1] == LevelKind::kDense) --above;
  const std::size_t rank = result.shape.size();
  std::vector<std::size_t> weight(rank, 0);  // by mode: of the levels above
  std::size_t fibers = 1;
  for (std::size_t level = above; level-- > 0;) {
    const auto mode = static_cast<std::size_t>(format.order[level]);
    weight[mode] = fibers;
    fibers *= result.shape[mode];
  }
  const auto fiber_of = [&](std::size_t position) {
    std::size_t fiber = 0;
    for (std::size_t mode = rank; mode-- > 0; position /= result.shape[mode])
      fiber += position % result.shape[mode] * weight[mode];
    return fiber;
  };
  ReferenceTensor stored = result;
  std::vector<bool> begun(fibers, above == 0);
  for (std::size_t n = 0; n < result.present.size(); ++n)
    if (result.present[n]) begun[fiber_of(n)] = true;
  for (std::size_t n = 0; n < stored.present.size(); ++n) stored.present[n] = begun[fiber_of(n)];
  return stored;
}

Store store_of(const ReferenceTensor& tensor) {
  Store store;
  store.shape = tensor.shape;
  store.dense = &tensor;
  store.everywhere = std::ranges::find(tensor.present, false) == tensor.present.end();
  return store;
}

}  // namespace

std::map<TensorId, ReferenceTensor> evaluate(const EinsumProgram& program,
                                             const std::map<TensorId, EntryList>& inputs) {
  std::deque<ReferenceTensor> dense_inputs, with_zeros;
  std::deque<Store> stores;
  std::vector<const Store*> tensors(program.tensors.size(), nullptr);
  for (const auto& [id, list] : inputs) {
    const TensorDecl& decl = program.tensor(id);
    Store store;
    store.shape = list.shape;
    store.entries = stored(decl, list);
    store.everywhere =
        (decl.format && decl.format->all_dense()) || store.entries.size() == dense_size(list.shape);
    if (store.everywhere) {
      dense_inputs.push_back(dense_input(list, decl.type));
      store.dense = &dense_inputs.back();
    } else {
      for (const std::uint32_t bits : store.entries.vals) {
        store.values.push_back(to_double(bits, decl.type));
      }
    }
    stores.push_back(std::move(store));
    tensors[static_cast<std::size_t>(id)] = &stores.back();
  }

  // As the statements that decide the entries of a mask find them: with the zeros that are stored.
  const std::set<TensorId> deciding = deciding_masks(program);
  std::vector<const Store*> as_stored = tensors;
  std::map<TensorId, ReferenceTensor> results;
  for (const Statement& statement : program.statements) {
    const TensorId id = statement.target.tensor;
    const bool decides = deciding.count(id) > 0;
    ReferenceTensor result =
        reference::evaluate_statement(program, statement, decides ? as_stored : tensors);
    const ReferenceTensor& kept = results.emplace(id, std::move(result)).first->second;
    Store store = store_of(kept);
    if (const TensorDecl& decl = program.tensor(id); decides && stores_zeros(decl)) {
      with_zeros.push_back(with_stored_zeros(*decl.format, kept));
      stores.push_back(store_of(with_zeros.back()));
      store.stored = &stores.back();
    }
    stores.push_back(std::move(store));
    tensors[static_cast<std::size_t>(id)] = &stores.back();
    as_stored[static_cast<std::size_t>(id)] =
        stores.back().stored != nullptr ? stores.back().stored : &stores.back();
  }
  return results;
}

}  // namespace heddle
