// Programs that the RTL engine starts, without a shell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct Command {
  std::vector<std::string> args;  // the program first
  std::filesystem::path folder;   // to run it in; empty: this one
  std::filesystem::path log;      // takes its output
  std::optional<int> x_seed;      // random initial values of a Verilated program
};

/// Exit status where there is no such program.
constexpr int kNotStarted = 127;

/// The exit status; -1 if it was killed.
int run_command(const Command& command);

/// Runs as many at a time as the machine has cores; their exit statuses in order.
std::vector<int> run_commands(const std::vector<Command>& commands);

/// What a command wrote.
std::string read_log(const std::filesystem::path& log);

}  // namespace heddle
