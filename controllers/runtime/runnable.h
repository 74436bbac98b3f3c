// SPDX-License-Identifier: Apache-2.0
// Runnable: what a Manager starts and stops. Mirrors controller-runtime's manager.Runnable.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace controllers::runtime {

class Runnable {
 public:
  virtual ~Runnable() = default;
  // Blocks until `stop` is requested and all is put away, or until it failed.
  virtual clientgo::util::Expected<void> Start(std::stop_token stop) = 0;
  virtual std::string name() const = 0;
};

// All that a Runnable does whose work is on other threads.
inline void WaitForStop(std::stop_token stop) {
  clientgo::util::Mutex mu;
  clientgo::util::CondVar never;
  clientgo::util::MutexLock lock(mu);
  never.Wait(mu, std::move(stop), [] { return false; });
}

}  // namespace controllers::runtime
