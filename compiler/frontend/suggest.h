// Lists of names for messages about a name that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::frontend {

/// "; did you mean 'x'?" or "; known are a, b, c" or, with no names, nothing.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace heddle::frontend
