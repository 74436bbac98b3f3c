// SPDX-License-Identifier: Apache-2.0
// SignalStop: SIGINT and SIGTERM as a stop token. Made first in main, before any other thread, so
// that every thread inherits the blocked signals and only this one's sees them.
//
// The first signal requests the stop; a second one ends the process at once with code 130.
// Mirrors controller-runtime's signals.SetupSignalHandler. Differs: 130, as cert-manager has it.
#pragma once

#include <stop_token>
#include <thread>

namespace cmd::process {

class SignalStop {
 public:
  SignalStop();
  ~SignalStop();
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread thread_;
};

}  // namespace cmd::process
