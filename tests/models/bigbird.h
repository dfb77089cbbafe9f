// BigBird masks: some positions see and are seen by all, each sees a window around it and a few
// others.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace heddle {

/// A mask of n positions as a file; its path.
inline std::string bigbird(std::uint32_t n) {
  constexpr std::uint32_t kBlock = 16, kRandom = 3;
  const std::uint32_t blocks = n / kBlock;
  std::uint32_t state = 12345;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  std::vector<std::vector<bool>> seen(blocks, std::vector<bool>(blocks));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    seen[b][0] = seen[0][b] = seen[b][b] = true;
    if (b > 0) seen[b][b - 1] = true;
    if (b + 1 < blocks) seen[b][b + 1] = true;
    for (std::uint32_t r = 0; r < kRandom; ++r) seen[b][random(blocks)] = true;
  }
  std::string entries;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      if (seen[i / kBlock][j / kBlock]) {
        entries += std::to_string(i + 1) + " " + std::to_string(j + 1) + "\n";
        ++count;
      }
  const std::string path = testing::TempDir() + "bigbird_" + std::to_string(n) + ".mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate pattern general\n"
                      << n << " " << n << " " << count << "\n"
                      << entries;
  return path;
}

}  // namespace heddle
