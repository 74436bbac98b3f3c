// SPDX-License-Identifier: Apache-2.0
#include "cmd/process/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "clientgo/util/thread.h"

namespace cmd::process {
namespace {

constexpr int kExitSecondSignal = 130;
constexpr int kWakeUp = SIGUSR1;  // from the destructor to the thread, nothing to do with users

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kWakeUp);
  return signals;
}

}  // namespace

SignalStop::SignalStop() {
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error of write, not the end of us
  thread_ = clientgo::util::StartThread("signals", [this](const std::stop_token& end) {
    const sigset_t waited = Signals();
    for (int signal_number = 0; sigwait(&waited, &signal_number) == 0;) {
      if (end.stop_requested()) return;
      if (signal_number == kWakeUp) continue;
      if (stop_.stop_requested()) _exit(kExitSecondSignal);
      stop_.request_stop();
    }
  });
}

SignalStop::~SignalStop() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), kWakeUp);
}

}  // namespace cmd::process
