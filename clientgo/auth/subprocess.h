// SPDX-License-Identifier: Apache-2.0
// RunProcess: a program run to its end, and what it wrote. Safe in a threaded process: posix_spawn,
// so nothing of ours runs between fork and exec.
//
// The child gets /dev/null as stdin, two pipes, no other descriptor of ours, the default signal
// mask and dispositions, and a process group of its own, so that ending it ends its children, too.
// It is always waited for. Thread-safe. Mirrors what client-go does with os/exec; the bounds on
// time and output are ours.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"

namespace clientgo::auth {

struct ProcessOptions {
  std::string command = {};  // a path, or a name that is looked up in PATH
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  // on top of this process's
  std::chrono::milliseconds timeout = std::chrono::minutes(1);
  std::size_t stdout_bytes_max = std::size_t{1} << 20U;   // more is an error
  std::size_t stderr_bytes_max = std::size_t{16} << 10U;  // more is dropped
};

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  // that ended it; then there is no exit code
  std::string out = {};
  std::string err = {};
};

// A program that ends, however it ends, is a result. Errors: kNotFound (FindCommand's), kCanceled
// and kDeadlineExceeded (it was killed), kInvalidArgument (it cannot be started; too much output).
util::Expected<ProcessResult> RunProcess(const std::stop_token& stop,
                                         const ProcessOptions& options);

}  // namespace clientgo::auth
