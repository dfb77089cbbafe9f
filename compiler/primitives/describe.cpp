#include "compiler/primitives/describe.h"

#include "compiler/primitives/registry.h"

namespace heddle {
namespace {

std::string params_text(const PrimitiveSpec& spec) {
  std::string text;
  for (const ParamSpec& p : spec.params) {
    text += (text.empty() ? "" : ", ") + std::string(p.name);
    if (p.names.empty()) {
      text += " " + std::to_string(p.min) + ".." + std::to_string(p.max);
      continue;
    }
    text += " ";
    for (std::size_t i = 0; i < p.names.size(); ++i)
      text += (i == 0 ? "" : "/") + std::string(p.names[i]);
  }
  return text;
}

std::string ports_text(const PrimitiveSpec& spec, Dir dir) {
  std::string text;
  for (const PortSpec& p : spec.ports)
    if (p.dir == dir)
      text += (text.empty() ? "" : ", ") + std::string(p.name) + (p.repeated ? " x n" : "");
  return text;
}

}  // namespace

std::string library_table() {
  std::string text = "| block | does | in | out | parameters |\n|---|---|---|---|---|\n";
  for (int i = 0; i < kPrimitiveCount; ++i) {
    const PrimitiveSpec& spec = spec_of(static_cast<PrimitiveId>(i));
    text += "| `" + std::string(spec.name) + "` | " + std::string(spec.summary) + " | " +
            ports_text(spec, Dir::kIn) + " | " + ports_text(spec, Dir::kOut) + " | " +
            params_text(spec) + " |\n";
  }
  return text;
}

std::string primitive_text(const PrimitiveSpec& spec) {
  std::string text = std::string(spec.name) + ": " + std::string(spec.summary) + "\n";
  const auto line = [&](const std::string& what, std::string_view name, std::string_view doc) {
    text += "  " + what + " " + std::string(name) + ": " + std::string(doc) + "\n";
  };
  for (const PortSpec& p : spec.ports)
    line(p.dir == Dir::kIn ? "in " : "out", std::string(p.name) + (p.repeated ? " x n" : ""),
         p.doc);
  for (const ParamSpec& p : spec.params) {
    std::string values;
    for (const std::string_view name : p.names)
      values += (values.empty() ? "" : "|") + std::string(name);
    if (p.names.empty()) values = std::to_string(p.min) + " to " + std::to_string(p.max);
    line("parameter", std::string(p.name) + " (" + values + ")", p.doc);
  }
  for (const RegisterSpec& r : spec.registers) line("register", r.name, r.doc);
  for (const MemorySpec& m : spec.memories) line("memory", m.name, m.doc);
  for (const RegisterSpec& s : spec.statuses) line("status", s.name, s.doc);
  return text;
}

std::string package_text() {
  std::string text =
      "// The kinds of tokens. Generated from compiler/primitives/token.h by "
      "scripts/update_generated.sh; do not edit.\n"
      "package sam_pkg;\n"
      "  localparam int KindW = 2;\n";
  const auto kind = [&](const char* name, Kind k) {
    text += "  localparam logic [KindW-1:0] " + std::string(name) + " = 2'd" +
            std::to_string(static_cast<int>(k)) + ";\n";
  };
  kind("KindVal", Kind::kVal);
  kind("KindStop", Kind::kStop);
  kind("KindEmpty", Kind::kEmpty);
  kind("KindDone", Kind::kDone);
  return text + "endpackage\n";
}

}  // namespace heddle
