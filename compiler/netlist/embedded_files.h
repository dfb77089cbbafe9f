// Files of the repository that are built into the program (see embed.cmake).
#pragma once

#include <string>
#include <vector>

namespace heddle {
struct EmbeddedFile {
  std::string path;
  std::string text;
};
std::vector<EmbeddedFile> embedded_files();
}  // namespace heddle
