// HEDDLE_CHECK: an invariant of Heddle itself. Always on: a wrong netlist costs more than a branch.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace heddle {

[[noreturn]] inline void report_bug(const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "%s:%d: bug in Heddle: %s\n", file, line, message.c_str());
  std::abort();
}

}  // namespace heddle

#define HEDDLE_CHECK(condition, ...)                                                      \
  do {                                                                                    \
    if (!(condition)) ::heddle::report_bug(__FILE__, __LINE__, fmt::format(__VA_ARGS__)); \
  } while (false)
