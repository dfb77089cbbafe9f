// The tables of the functions.
//
//   tables fit             fits the cubics anew and prints them as arithmetic_tables.h has them
//   tables verilog NAME    prints a table of arithmetic_tables.h as
//   rtl/arithmetic/sam_table_NAME.sv
//
// Each cubic interpolates at the four Chebyshev nodes of its interval, computed in long double. A
// row that starts where the function is exactly 1 begins with exactly 1.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/primitives/arithmetic.h"

namespace heddle::arithmetic {
namespace {

constexpr long double kPi = 3.141592653589793238462643383279502884L;

struct Interval {
  long double start;
  long double length;
};

struct Table {
  std::string_view name;      // in Verilog
  std::string_view cpp_name;  // in arithmetic_tables.h
  std::string_view summary;
  const CubicRow* rows;
  std::size_t count;
  std::function<long double(long double)> function;
  std::function<Interval(int)> interval;
};

// 32 rows on [0, 1), and 32 on each octave above.
Interval octave(int row) {
  const int block = row / 32;
  const long double start = block == 0 ? 0 : std::ldexp(1.0L, block - 1);
  const long double length = (block == 0 ? 1 : start) / 32;
  return {start + (row % 32) * length, length};
}

std::vector<Table> all_tables() {
  return {
      {"exp2", "Exp2Table", "2^x on [0, 1).", kExp2Table, std::size(kExp2Table),
       [](long double x) { return std::exp2(x); },
       [](int row) {
         return Interval{row / 32.0L, 1 / 32.0L};
       }},
      {"reciprocal", "ReciprocalTable", "1 / (1 + x) on [0, 1).", kReciprocalTable,
       std::size(kReciprocalTable), [](long double x) { return 1 / (1 + x); },
       [](int row) {
         return Interval{row / 32.0L, 1 / 32.0L};
       }},
      {"log", "LogTable", "ln(x) / (x - 1): 16 rows on [1, 1.5), then 16 on [0.75, 1).", kLogTable,
       std::size(kLogTable), [](long double x) { return x == 1 ? 1 : std::log1p(x - 1) / (x - 1); },
       [](int row) {
         return row < 16 ? Interval{1 + row / 32.0L, 1 / 32.0L}
                         : Interval{0.75L + (row - 16) / 64.0L, 1 / 64.0L};
       }},
      {"rsqrt", "RsqrtTable", "1 / sqrt(x): 32 rows on [1, 2), then 32 on [2, 4).", kRsqrtTable,
       std::size(kRsqrtTable), [](long double x) { return 1 / std::sqrt(x); },
       [](int row) { return octave(row + 32); }},
      {"tanh", "TanhTable",
       "tanh(x) / x: 32 rows on each of [0, 1), [1, 2), [2, 4), [4, 8), [8, 16).", kTanhTable,
       std::size(kTanhTable), [](long double x) { return x == 0 ? 1 : std::tanh(x) / x; }, octave},
      {"mills", "MillsTable",
       "Phi(-x) * exp(x^2 / 2), with Phi the normal distribution: rows as for tanh.", kMillsTable,
       std::size(kMillsTable),
       [](long double x) { return std::erfc(x * std::sqrt(0.5L)) / 2 * std::exp(x * x / 2); },
       octave},
  };
}

CubicRow fit(const Table& table, int row) {
  const Interval interval = table.interval(row);
  std::array<long double, 4> node;
  std::array<long double, 4> difference;  // Newton's divided differences
  for (std::size_t i = 0; i < 4; ++i) {
    node[i] = 0.5L - 0.5L * std::cos((2.0L * static_cast<long double>(i) + 1) * kPi / 8);
    difference[i] = table.function(interval.start + interval.length * node[i]);
  }
  for (std::size_t k = 1; k < 4; ++k) {
    for (std::size_t i = 3; i >= k; --i) {
      difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - k]);
    }
  }
  std::array<long double, 4> c = {difference[3], 0, 0, 0};
  for (std::size_t k = 3; k-- > 0;) {
    for (std::size_t j = 3; j > 0; --j) c[j] = c[j - 1] - c[j] * node[k];
    c[0] = difference[k] - c[0] * node[k];
  }
  const auto fixed = [](long double value) { return std::llround(std::ldexp(value, 34)); };
  CubicRow result = {fixed(c[0]), static_cast<std::int32_t>(fixed(c[1])),
                     static_cast<std::int32_t>(fixed(c[2])),
                     static_cast<std::int32_t>(fixed(c[3]))};
  const bool starts_at_one =
      table.name == "exp2" || table.name == "reciprocal" || table.name == "rsqrt";
  if (row == 0 && starts_at_one) result.c0 = std::int64_t{1} << 34;
  return result;
}

void print_fit() {
  for (const Table& table : all_tables()) {
    std::printf("// %s\ninline constexpr CubicRow k%s[%zu] = {\n",
                std::string(table.summary).c_str(), std::string(table.cpp_name).c_str(),
                table.count);
    for (std::size_t i = 0; i < table.count; ++i) {
      const CubicRow row = fit(table, static_cast<int>(i));
      std::printf("    {%lld, %d, %d, %d},\n", static_cast<long long>(row.c0), row.c1, row.c2,
                  row.c3);
    }
    std::printf("};\n\n");
  }
}

std::string signed_literal(int width, std::int32_t value) {
  return (value < 0 ? "-" : "") + std::to_string(width) + "'sd" +
         std::to_string(value < 0 ? -value : value);
}

void print_verilog(const Table& table) {
  int index_width = 0;
  while ((std::size_t{1} << index_width) < table.count) ++index_width;
  std::printf(
      "// Generated by tests/arithmetic/tables.cpp from compiler/primitives/arithmetic_tables.h; "
      "do "
      "not edit.\n// Cubics of %s\n"
      "// Combinational. A row is {c0, c1, c2, c3} as sam_cubic takes it.\n"
      "`default_nettype none\nmodule sam_table_%s (\n  input  logic [%d:0]   index,\n\n"
      "  output logic [110:0] row\n);\n\n  always_comb begin\n    case (index)\n",
      std::string(table.summary).c_str(), std::string(table.name).c_str(), index_width - 1);
  for (std::size_t i = 0; i < table.count; ++i) {
    const CubicRow& row = table.rows[i];
    std::printf("      %d'd%zu: row = {35'd%lld, %s, %s, %s};\n", index_width, i,
                static_cast<long long>(row.c0), signed_literal(31, row.c1).c_str(),
                signed_literal(25, row.c2).c_str(), signed_literal(20, row.c3).c_str());
  }
  std::printf("      default: row = '0;\n    endcase\n  end\n\nendmodule\n`default_nettype wire\n");
}

int run(const std::vector<std::string_view>& args) {
  if (args.size() == 1 && args[0] == "fit") {
    print_fit();
    return 0;
  }
  if (args.size() == 2 && args[0] == "verilog") {
    for (const Table& table : all_tables()) {
      if (table.name != args[1]) continue;
      print_verilog(table);
      return 0;
    }
  }
  std::fprintf(stderr, "usage: tables fit | verilog exp2|reciprocal|log|rsqrt|tanh|mills\n");
  return 2;
}

}  // namespace
}  // namespace heddle::arithmetic

int main(int argc, char** argv) { return heddle::arithmetic::run({argv + 1, argv + argc}); }
