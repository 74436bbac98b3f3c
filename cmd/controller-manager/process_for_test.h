// SPDX-License-Identifier: Apache-2.0
// Process: a program run by a test, with its stderr in a file. Tests only.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "clientgo/testing/temp_dir.h"
#include "clientgo/util/clock.h"

namespace cmd::controller_manager {

// For what another process does: nothing tells a test when.
inline bool Eventually(const std::function<bool()>& condition) {
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  const auto deadline = clock.Now() + std::chrono::seconds(20);
  while (!condition()) {
    if (clock.Now() > deadline) return false;
    clock.SleepFor({}, std::chrono::milliseconds(10));
  }
  return true;
}

class Process {
 public:
  Process(const char* program, std::vector<std::string> arguments) {
    const std::string log = log_.Write("stderr", "");
    pid_ = fork();
    if (pid_ != 0) return;
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    dup2(open(log.c_str(), O_WRONLY | O_APPEND), STDERR_FILENO);
    setenv("HOME", "/nonexistent", 1);
    execv(program, argv.data());
    std::_Exit(127);
  }
  ~Process() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const { kill(pid_, signal); }
  // Blocks until it ends by itself; -1: by a signal.
  int ExitCode() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Stderr() const {
    std::ostringstream text;
    text << std::ifstream(log_.Path("stderr")).rdbuf();
    return text.str();
  }
  bool EventuallyLogs(const std::string& text) const {
    return Eventually([&] { return Stderr().find(text) != std::string::npos; });
  }

 private:
  const clientgo::testing::TempDir log_;
  pid_t pid_ = 0;
};

}  // namespace cmd::controller_manager
