// SPDX-License-Identifier: Apache-2.0
// What the tests of Manager share: Runnables that write down when they start and end.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/mutex.h"
#include "controllers/runtime/runnable.h"

namespace controllers::runtime {

// Lines, in the order they were written. Thread-safe.
class Journal {
 public:
  void Write(std::string line) {
    clientgo::util::MutexLock lock(mu_);
    lines_.push_back(std::move(line));
    changed_.NotifyAll();
  }
  std::vector<std::string> lines() const {
    clientgo::util::MutexLock lock(mu_);
    return lines_;
  }
  bool Has(const std::string& line, std::ptrdiff_t times = 1) const {
    clientgo::util::MutexLock lock(mu_);
    return std::count(lines_.begin(), lines_.end(), line) >= times;
  }
  // In real time, at most 10 s.
  bool WaitFor(const std::string& line, std::ptrdiff_t times = 1) const {
    clientgo::util::MutexLock lock(mu_);
    return changed_.WaitUntil(
        mu_, std::stop_token(), std::chrono::steady_clock::now() + std::chrono::seconds(10),
        [&]() REQUIRES(mu_) { return std::count(lines_.begin(), lines_.end(), line) >= times; });
  }

 private:
  mutable clientgo::util::Mutex mu_;
  mutable clientgo::util::CondVar changed_;
  std::vector<std::string> lines_ GUARDED_BY(mu_);
};

class FakeRunnable final : public Runnable {
 public:
  FakeRunnable(std::string name, Journal& journal) : name_(std::move(name)), journal_(journal) {}

  clientgo::util::Expected<void> Start(std::stop_token stop) override {
    journal_.Write(name_ + " starts");
    {
      clientgo::util::MutexLock lock(mu_);
      const auto released = [&]() REQUIRES(mu_) { return released_ || error_.has_value(); };
      if (stubborn_) {
        changed_.Wait(mu_, released);
      } else {
        changed_.Wait(mu_, std::move(stop), released);
      }
    }
    journal_.Write(name_ + " ends");
    clientgo::util::MutexLock lock(mu_);
    if (error_) return clientgo::util::Err(*error_);
    return {};
  }
  std::string name() const override { return name_; }

  // Before Start: the stop token is ignored until Release.
  void BeStubborn() {
    clientgo::util::MutexLock lock(mu_);
    stubborn_ = true;
  }
  void Release() {
    clientgo::util::MutexLock lock(mu_);
    released_ = true;
    changed_.NotifyAll();
  }
  void Fail(std::string message) {
    clientgo::util::MutexLock lock(mu_);
    error_ = clientgo::util::Error{.message = std::move(message)};
    changed_.NotifyAll();
  }

 private:
  const std::string name_;
  Journal& journal_;
  clientgo::util::Mutex mu_;
  clientgo::util::CondVar changed_;
  bool stubborn_ GUARDED_BY(mu_) = false;
  bool released_ GUARDED_BY(mu_) = false;
  std::optional<clientgo::util::Error> error_ GUARDED_BY(mu_);
};

}  // namespace controllers::runtime
