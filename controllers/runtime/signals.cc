// SPDX-License-Identifier: Apache-2.0
#include "capstan/signals.h"

#include <glog/logging.h>

#include <csignal>
#include <cstdlib>

#include "capstan/log.h"
#include "capstan/thread.h"

namespace capstan {
namespace {

constexpr int kSecondSignalExitCode = 130;  // as a shell reports death by SIGINT

constexpr int kWakeSignal = SIGUSR1;  // sent by the destructor; ignored from any other sender

sigset_t WaitedFor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, kWakeSignal}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

void BlockSignals() {
  const sigset_t signals = WaitedFor();
  CHECK_EQ(pthread_sigmask(SIG_BLOCK, &signals, nullptr), 0);
  CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR);  // a broken connection is an error
}

SignalWaiter::SignalWaiter()
    : thread_(StartThread("signals", [this](const std::stop_token& done) { Wait(done); })) {}

SignalWaiter::~SignalWaiter() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), kWakeSignal);
}

void SignalWaiter::Wait(const std::stop_token& done) {
  const sigset_t signals = WaitedFor();
  for (;;) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (done.stop_requested()) return;
    if (signal == kWakeSignal) continue;
    if (stop_.stop_requested()) std::_Exit(kSecondSignalExitCode);
    InfoS("Stopping", "signal", signal == SIGINT ? "SIGINT" : "SIGTERM");
    stop_.request_stop();
  }
}

}  // namespace capstan
