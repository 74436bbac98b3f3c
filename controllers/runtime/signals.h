// SPDX-License-Identifier: Apache-2.0
// SignalWaiter: SIGINT and SIGTERM as a stop token. The first asks for a graceful stop, the second
// ends the process at once with code 130. Mirrors controller-runtime's pkg/manager/signals.
//
// Call BlockSignals before any thread is started: the signals then reach no thread but the one that
// waits for them here, and no code ever runs in a signal handler.
#pragma once

#include <stop_token>
#include <thread>

namespace controllers::runtime {

void BlockSignals();

class SignalWaiter {
 public:
  SignalWaiter();
  ~SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;
  std::stop_token token() const { return stop_.get_token(); }

 private:
  void Wait(const std::stop_token& done);

  std::stop_source stop_;
  std::jthread thread_;
};

}  // namespace controllers::runtime
