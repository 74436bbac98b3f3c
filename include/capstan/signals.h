// SPDX-License-Identifier: Apache-2.0
// SignalWaiter turns SIGINT and SIGTERM into a stop token. The first signal requests a graceful
// stop. The second one ends the process at once with exit code 130. Mirrors controller-runtime's
// pkg/manager/signals.
//
// Call BlockSignals before any thread is started. Only SignalWaiter's thread then receives the
// signals, and no code runs in a signal handler.
#pragma once

#include <stop_token>
#include <thread>

#include "capstan/export.h"

namespace capstan {

CAPSTAN_EXPORT void BlockSignals();

class CAPSTAN_EXPORT SignalWaiter {
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

}  // namespace capstan
