// SPDX-License-Identifier: Apache-2.0
// WritePacer limits how often each target of one kind is written. Without it, a client that removes
// a bundle whenever it sees one makes the injector write as fast as the API server answers.
//
// A target may be written kBurst times at once, and then once each kInterval. A target that is
// rarely written is never delayed. Memory: one entry for each target that was written within the
// last few minutes. Thread-safe. Has no upstream, which competes without a limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "capstan/token_bucket.h"

namespace capstan::cainjector {

class WritePacer {
 public:
  static constexpr int kBurst = 10;
  static constexpr std::chrono::seconds kInterval{10};

  explicit WritePacer(Clock& clock) : clock_(clock), swept_(clock.Now()) {}

  // Returns true when the target "namespace/name" may be written now. Otherwise it may be written
  // within kInterval.
  bool MayWrite(std::string_view key) const;
  // Counts a write that the API server accepted. Failed ones have the queue's backoff.
  void Wrote(std::string_view key);
  std::size_t Size() const;

 private:
  struct Entry {
    TokenBucket bucket;
    Clock::TimePoint last;
  };
  // Drops the entries whose bucket is full again.
  void Sweep(Clock::TimePoint now) CAPSTAN_REQUIRES(mu_);

  Clock& clock_;
  mutable Mutex mu_;
  std::map<std::string, Entry, std::less<>> entries_ CAPSTAN_GUARDED_BY(mu_);
  Clock::TimePoint swept_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::cainjector
