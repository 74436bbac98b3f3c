// SPDX-License-Identifier: Apache-2.0
// Runnable is a part of a program that a Manager starts and stops. Mirrors controller-runtime's
// manager.Runnable, LeaderElectionRunnable and its warmup runnables.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan {

// Blocks until `stop`.
inline void WaitForStop(std::stop_token stop) {
  Mutex mu;
  CondVar never;
  MutexLock lock(mu);
  never.Wait(mu, std::move(stop), [] { return false; });
}

class CAPSTAN_EXPORT Runnable {
 public:
  virtual ~Runnable() = default;
  // Blocks until `stop` is requested and its work has ended, or until it failed.
  virtual Expected<void> Start(std::stop_token stop) = 0;
  virtual std::string name() const = 0;

  // True: a Manager calls Start when it leads. False: also in a standby.
  virtual bool NeedLeaderElection() const { return true; }
  // True: a Manager calls Warmup on a thread of its own, from its start to its stop, so that Start
  // has less to do when the Manager leads.
  virtual bool EnableWarmup() const { return false; }
  virtual Expected<void> Warmup(std::stop_token stop) {
    WaitForStop(std::move(stop));
    return {};
  }
};

// BackgroundRunnable is a Runnable whose work is done by threads of its own. A Manager gives it a
// thread only for End.
class CAPSTAN_EXPORT BackgroundRunnable : public Runnable {
 public:
  // Starts the work and returns. Its threads end after `stop`.
  virtual Expected<void> Begin(std::stop_token stop) = 0;
  // Called after `stop`, if Begin succeeded. Blocks until the work has ended.
  virtual void End() = 0;

  Expected<void> Start(std::stop_token stop) final {
    if (auto begun = Begin(stop); !begun) return begun;
    WaitForStop(std::move(stop));
    End();
    return {};
  }
};

}  // namespace capstan
