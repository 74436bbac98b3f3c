// SPDX-License-Identifier: Apache-2.0
// StartThread: a std::jthread with a name that `top -H`, gdb and a core dump show.
// Threads are few and long-lived; ARCHITECTURE.md lists every one of them.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace clientgo::util {

// `name` is cut to the kernel's 15 characters. The thread's stop token is the jthread's own.
std::jthread StartThread(std::string name, std::function<void(std::stop_token)> run);

// A stop token that is stopped when `parent` is, or by its own source: a child context.
class LinkedStopSource {
 public:
  explicit LinkedStopSource(std::stop_token parent)
      : callback_(std::move(parent), [this] { source_.request_stop(); }) {}
  std::stop_token token() const { return source_.get_token(); }
  void RequestStop() { source_.request_stop(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace clientgo::util
