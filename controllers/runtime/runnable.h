// SPDX-License-Identifier: Apache-2.0
// Runnable is a part of a program that a Manager starts and stops. Mirrors controller-runtime's
// manager.Runnable.
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
  // Blocks until `stop` is requested and its work has ended, or until it failed.
  virtual clientgo::util::Expected<void> Start(std::stop_token stop) = 0;
  virtual std::string name() const = 0;
};

// Blocks until `stop`. For a Runnable whose work is done by other threads.
inline void WaitForStop(std::stop_token stop) {
  clientgo::util::Mutex mu;
  clientgo::util::CondVar never;
  clientgo::util::MutexLock lock(mu);
  never.Wait(mu, std::move(stop), [] { return false; });
}

}  // namespace controllers::runtime
