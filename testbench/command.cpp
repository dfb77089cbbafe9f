#include "testbench/command.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace heddle {
namespace {

/// Functions of a large Verilated design may need more of the stack than a program usually gets.
void allow_a_large_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_STACK, &limit);
}

[[noreturn]] void become(const Command& command) {
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(kNotStarted);
  const int out = open(command.log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (out >= 0) {
    dup2(out, 1);
    dup2(out, 2);
  }
  allow_a_large_stack();
  if (command.x_seed) setenv("HEDDLE_X_SEED", std::to_string(*command.x_seed).c_str(), 1);
  std::vector<char*> args;
  for (const std::string& arg : command.args) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  execvp(args[0], args.data());
  _exit(kNotStarted);
}

/// Its process; -1 if there is none.
pid_t start(const Command& command) {
  const pid_t child = fork();
  if (child == 0) become(command);
  return child;
}

int wait_for(pid_t child) {
  if (child < 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int run_command(const Command& command) { return wait_for(start(command)); }

std::vector<int> run_commands(const std::vector<Command>& commands) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<pid_t> children;
  std::vector<int> statuses;
  for (const Command& command : commands) {
    if (children.size() >= statuses.size() + cores)
      statuses.push_back(wait_for(children[statuses.size()]));
    children.push_back(start(command));
  }
  while (statuses.size() < children.size()) statuses.push_back(wait_for(children[statuses.size()]));
  return statuses;
}

std::string read_log(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace heddle
