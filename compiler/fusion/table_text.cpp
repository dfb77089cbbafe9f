#include <algorithm>

#include "compiler/fusion/fusion_table.h"

namespace heddle {

std::string to_text(const FusionTable& table) {
  std::vector<std::vector<std::string>> grid(table.rows.size() + 1,
                                             std::vector<std::string>(table.columns.size() + 1));
  for (std::size_t c = 0; c < table.columns.size(); ++c) grid[0][c + 1] = table.columns[c];
  for (std::size_t r = 0; r < table.rows.size(); ++r) grid[r + 1][0] = table.rows[r];
  for (const auto& [at, text] : table.cells)
    grid[static_cast<std::size_t>(at.first) + 1][static_cast<std::size_t>(at.second) + 1] = text;
  std::vector<std::size_t> width(table.columns.size() + 1, 0);
  for (const auto& row : grid)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : grid) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += fmt::format("{}{:<{}}", c == 0 ? "" : " | ", row[c], width[c]);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  text += "\n";
  const auto ref_text = [&](StreamRef ref) {
    if (ref.op < 0) return std::string("root");
    const StreamOp& o = table.ops[static_cast<std::size_t>(ref.op)];
    return o.label + "." + port_name(spec_of(o.primitive), o.params, Dir::kOut, ref.out);
  };
  for (const StreamOp& o : table.ops) {
    std::string inputs;
    for (const StreamRef in : o.inputs) inputs += (inputs.empty() ? "" : ", ") + ref_text(in);
    text += fmt::format("{} = {}({})\n", o.label, spec_of(o.primitive).name, inputs);
  }
  return text;
}

}  // namespace heddle
