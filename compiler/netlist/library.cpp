#include <map>
#include <set>

#include "compiler/netlist/netlist.h"
#include "compiler/support/check.h"

namespace heddle {

/// Files of the repository that are built in, by path (generated; CMakeLists.txt).
std::map<std::string, std::string> embedded_files();

namespace {

const std::map<std::string, std::string>& files() {
  static const std::map<std::string, std::string> all = embedded_files();
  return all;
}

/// Path of the file that defines a module, or nothing.
const std::string* path_of(const std::string& module) {
  for (const auto& [path, text] : files())
    if (path.size() > module.size() + 4 && path.ends_with("/" + module + ".sv")) return &path;
  return nullptr;
}

/// Modules named in a text: every word that begins with sam_ and has a file.
void collect(const std::string& text, std::set<std::string>& paths) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find("sam_"); at != std::string::npos; at = text.find("sam_", at)) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const bool starts = at == 0 || !is_word(text[at - 1]);
    const std::string word = text.substr(at, end - at);
    at = end;
    if (!starts || word == "sam_pkg") continue;
    const std::string* path = path_of(word);
    if (path != nullptr && paths.insert(*path).second) collect(files().at(*path), paths);
  }
}

}  // namespace

const std::string& embedded_file(const std::string& path) {
  const auto found = files().find(path);
  HEDDLE_CHECK(found != files().end(), "'{}' is not built in", path);
  return found->second;
}

std::vector<LibraryFile> library_files(const Netlist& netlist) {
  std::set<std::string> paths;
  collect(to_verilog(netlist), paths);
  std::vector<LibraryFile> out;
  const auto add = [&](const std::string& path) {
    out.push_back({path.substr(4), files().at(path)});
  };
  add("rtl/include/sam_assert.svh");
  add("rtl/sam_pkg.sv");
  for (const std::string& path : paths) add(path);
  return out;
}

}  // namespace heddle
