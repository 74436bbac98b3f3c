// SPDX-License-Identifier: Apache-2.0
// Journal holds lines in the order in which they were written. One thread writes them, and another
// waits for them. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/mutex.h"

namespace capstan {

class Journal {
 public:
  void Write(std::string line) {
    MutexLock lock(mu_);
    lines_.push_back(std::move(line));
    changed_.NotifyAll();
  }
  std::vector<std::string> lines() const {
    MutexLock lock(mu_);
    return lines_;
  }
  std::ptrdiff_t Count(const std::string& line) const {
    MutexLock lock(mu_);
    return std::count(lines_.begin(), lines_.end(), line);
  }
  bool Has(const std::string& line, std::ptrdiff_t times = 1) const { return Count(line) >= times; }
  // These return false after 10 s (in real time).
  bool WaitFor(const std::string& line, std::ptrdiff_t times = 1) const {
    return WaitUntil([&]() CAPSTAN_REQUIRES(mu_) {
      return std::count(lines_.begin(), lines_.end(), line) >= times;
    });
  }
  bool WaitForLines(std::size_t count) const {
    return WaitUntil([&]() CAPSTAN_REQUIRES(mu_) { return lines_.size() >= count; });
  }

 private:
  bool WaitUntil(const std::function<bool()>& ready) const {
    MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, std::stop_token(),
                              std::chrono::steady_clock::now() + std::chrono::seconds(10), ready);
  }

  mutable Mutex mu_;
  mutable CondVar changed_;
  std::vector<std::string> lines_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan
