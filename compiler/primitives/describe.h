// The block library as text, made from the rows.
#pragma once

#include <string>

#include "compiler/primitives/spec.h"

namespace heddle {

/// A Markdown table: name, summary, ports, parameters.
std::string library_table();
/// Everything a row says.
std::string primitive_text(const PrimitiveSpec& spec);
/// rtl/sam_pkg.sv.
std::string package_text();

}  // namespace heddle
