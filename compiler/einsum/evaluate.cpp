// Inputs as the reference reads them, then statement after statement.
#include "compiler/einsum/evaluate.h"

#include <algorithm>
#include <bit>
#include <deque>
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

}  // namespace

std::map<TensorId, ReferenceTensor> evaluate(const EinsumProgram& program,
                                             const std::map<TensorId, EntryList>& inputs) {
  std::deque<ReferenceTensor> dense_inputs;
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

  std::map<TensorId, ReferenceTensor> results;
  for (const Statement& statement : program.statements) {
    ReferenceTensor result = reference::evaluate_statement(program, statement, tensors);
    const TensorId id = statement.target.tensor;
    const ReferenceTensor& kept = results.emplace(id, std::move(result)).first->second;
    Store store;
    store.shape = kept.shape;
    store.dense = &kept;
    store.everywhere = std::ranges::find(kept.present, false) == kept.present.end();
    stores.push_back(std::move(store));
    tensors[static_cast<std::size_t>(id)] = &stores.back();
  }
  return results;
}

}  // namespace heddle
