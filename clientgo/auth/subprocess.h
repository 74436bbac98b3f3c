// SPDX-License-Identifier: Apache-2.0
// RunProcess runs a program to its end and returns its output. It is safe in a threaded process:
// with posix_spawn, none of our code runs between fork and exec.
//
// The child gets /dev/null as stdin, two pipes and no other descriptor of this process. It has the
// default signal mask and dispositions, and its own process group, so that killing it also kills
// its children. It is always waited for. Thread-safe. Mirrors what client-go does with os/exec.
// Differs: time and output are bounded.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/error.h"

namespace capstan::auth {

// Returns the path of the executable file for `command`. A command with a '/' is a path; any other
// is looked up in PATH. kNotFound: the file is missing or not executable. Mirrors Go's
// exec.LookPath.
Expected<std::string> FindCommand(const std::string& command);

struct ProcessOptions {
  std::string command = {};  // as FindCommand
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  // added to this process's
  std::chrono::milliseconds timeout = std::chrono::minutes(1);
  std::size_t stdout_bytes_max = std::size_t{1} << 20U;   // more is an error
  std::size_t stderr_bytes_max = std::size_t{16} << 10U;  // more is dropped
};

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  // the signal that ended it; then there is no exit code
  std::string out = {};
  std::string err = {};
};

// Returns a result when the program ends, with any exit code or signal. Errors: FindCommand's;
// kCanceled and kDeadlineExceeded (it was killed); kInvalidArgument (it cannot be started, or wrote
// too much).
Expected<ProcessResult> RunProcess(const std::stop_token& stop, const ProcessOptions& options);

}  // namespace capstan::auth
