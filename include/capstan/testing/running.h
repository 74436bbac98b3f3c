// SPDX-License-Identifier: Apache-2.0
// Running runs a Manager, or anything with Expected<void> Start(std::stop_token), in the background
// of a test.
//
//   Running running(*manager);
//   Require(manager->informers().WaitForCacheSync({}), "the caches sync");
//   ...
//   Value(running.Stop(), "the manager ends");
//
// Declare it after everything that the Manager uses, so that it ends first. Not thread-safe.
#pragma once

#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/error.h"
#include "capstan/log.h"

namespace capstan::testing {

template <class Runnable>
class Running {
 public:
  // `runnable` outlives this.
  explicit Running(Runnable& runnable) {
    thread_ = std::jthread([this, &runnable](std::stop_token stop) {
      ended_ = runnable.Start(std::move(stop));
      // A test that waits for what the Manager does would not show this.
      if (!ended_) ErrorS(ended_.error(), "The Manager of the test has ended");
    });
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  // Requests a stop and waits. An error is logged only.
  ~Running() = default;

  // Requests a stop, waits, and returns what Start returned. Call it at most once.
  Expected<void> Stop() {
    thread_.request_stop();
    thread_.join();
    return std::move(ended_);
  }

 private:
  Expected<void> ended_;
  std::jthread thread_;  // last: it uses the other
};

}  // namespace capstan::testing
