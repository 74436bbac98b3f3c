// SPDX-License-Identifier: Apache-2.0
// Running runs a Manager in the process of the test.
#pragma once

#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/clientgo/util/error.h"
#include "capstan/controller_runtime/manager.h"
#include "testing/example_test.h"

// Runs the manager until it is destroyed.
class Running {
 public:
  explicit Running(capstan::Manager& manager)
      : thread_([this, &manager](std::stop_token stop) { ended_ = manager.Start(stop); }) {}

  void Stop() {
    thread_.request_stop();
    thread_.join();
    Value(std::move(ended_), "the manager ends");
  }

 private:
  capstan::clientgo::util::Expected<void> ended_;
  std::jthread thread_;
};
