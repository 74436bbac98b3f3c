// SPDX-License-Identifier: Apache-2.0
// RunningRunnable runs a Manager or a Controller on its own thread until it is stopped or
// destroyed. It must end without an error, unless the test takes the result.
#pragma once

#include <gtest/gtest.h>

#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/runnable.h"
#include "capstan/thread.h"

namespace capstan {

class RunningRunnable {
 public:
  explicit RunningRunnable(Runnable& runnable)
      : thread_(StartThread("running", [this, &runnable](std::stop_token stop) {
          result_ = runnable.Start(std::move(stop));
        })) {}
  ~RunningRunnable() {
    if (!thread_.joinable()) return;
    EXPECT_TRUE(Stop().has_value());
  }
  void RequestStop() { thread_.request_stop(); }
  // These return the result of Start. Call one of them, once.
  Expected<void> Stop() {
    RequestStop();
    return WaitUntilEnded();
  }
  Expected<void> WaitUntilEnded() {
    thread_.join();
    return result_;
  }

 private:
  Expected<void> result_;
  std::jthread thread_;  // last: it uses the result
};

}  // namespace capstan
