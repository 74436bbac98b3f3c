// SPDX-License-Identifier: Apache-2.0
// Named threads and linked stop tokens. Threads are few and long-lived; ARCHITECTURE.md lists all
// of them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "capstan/export.h"

namespace capstan {

// Gives the threads that start later stacks of 512 KiB instead of 8 MiB with glibc. Eight megabytes
// cost each thread a page table, and can become huge pages. Does nothing with other C libraries.
CAPSTAN_EXPORT void KeepStacksSmall();

// Starts a std::jthread with a name that `top -H`, gdb and core dumps show. The kernel cuts names
// to 15 characters. `run` gets the jthread's stop token.
inline std::jthread StartThread(std::string name, std::function<void(std::stop_token)> run) {
  constexpr std::size_t kNameMax = 15;
  if (name.size() > kNameMax) name.resize(kNameMax);
  return std::jthread([name = std::move(name), run = std::move(run)](std::stop_token stop) {
    pthread_setname_np(pthread_self(), name.c_str());
    run(std::move(stop));
  });
}

// LinkedStopSource is stopped by its parent or by itself, like a child context.
class CAPSTAN_EXPORT LinkedStopSource {
 public:
  explicit LinkedStopSource(std::stop_token parent)
      : callback_(std::move(parent), [this] { source_.request_stop(); }) {}
  std::stop_token token() const { return source_.get_token(); }
  void RequestStop() { source_.request_stop(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace capstan
