// SPDX-License-Identifier: Apache-2.0
// Program runs an example as a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "testing/example_test.h"

// Program runs until Stop, or until it is destroyed.
class Program {
 public:
  Program(const std::string& path, const std::string& kubeconfig,
          const std::vector<std::string>& flags = {}) {
    std::vector<std::string> arguments = {path, "--kubeconfig=" + kubeconfig,
                                          "--metrics-listen-address=127.0.0.1:0"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    execv(path.c_str(), argv.data());
    std::_Exit(127);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { End(); }
  void Stop() { Require(End() == 0, "the program ends with exit code 0 after SIGTERM"); }

 private:
  // Returns the exit code; -1: it ended already, or by a signal.
  int End() {
    const pid_t pid = std::exchange(pid_, 0);
    int status = 0;
    if (pid == 0 || kill(pid, SIGTERM) != 0 || waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t pid_ = 0;
};
