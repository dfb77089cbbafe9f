// Headers that go into generated directories, by repository path (see embed.cmake).
#pragma once

#include <map>
#include <string>

namespace heddle::sc {

std::map<std::string, std::string> embedded_headers();

}  // namespace heddle::sc
