// SPDX-License-Identifier: Apache-2.0
// Process is a program that a test runs, with its stdout and stderr in files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/testing/eventually.h"
#include "capstan/testing/temp_dir.h"
#include "clientgo/httpserver/testing/raw_client.h"

namespace capstan {

class Process {
 public:
  Process(const char* program, std::vector<std::string> arguments) {
    const std::string log = output_.Write("stderr", "");
    const std::string out = output_.Write("stdout", "");
    std::vector<std::string> environment = {"HOME=/nonexistent"};
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (std::string_view(*entry).substr(0, 5) != "HOME=") environment.emplace_back(*entry);
    }
    arguments.insert(arguments.begin(), program);
    // posix_spawn, not fork: the child of a process with threads must not allocate before exec,
    // because another thread may have held a lock of the allocator.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_APPEND, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_APPEND, 0);
    const int error = posix_spawn(&pid_, program, &actions, nullptr, Pointers(arguments).data(),
                                  Pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << program;
    if (error != 0) pid_ = 0;
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
  // Blocks until it exits. Returns -1 when a signal ended it.
  int ExitCode() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Stdout() const { return Read("stdout"); }
  std::string Stderr() const { return Read("stderr"); }
  bool EventuallyLogs(const std::string& text) const {
    return testing::Eventually([&] { return Stderr().find(text) != std::string::npos; });
  }
  // Returns the response to a GET from its metrics server, which listens on 127.0.0.1. Waits until
  // it does.
  std::string Get(const std::string& path) const {
    const std::string serving = R"("Serving" server="metrics" address="127.0.0.1" port=)";
    EXPECT_TRUE(EventuallyLogs(serving)) << Stderr();
    const std::string log = Stderr();
    const std::size_t at = log.find(serving);
    if (at == std::string::npos) return {};
    return httpserver::Get(static_cast<std::uint16_t>(std::atoi(&log[at + serving.size()])), path);
  }

 private:
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(output_.Path(name)).rdbuf();
    return text.str();
  }
  // Returns the pointers for exec. They are valid until `texts` changes.
  static std::vector<char*> Pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  const testing::TempDir output_;
  pid_t pid_ = 0;
};

}  // namespace capstan
