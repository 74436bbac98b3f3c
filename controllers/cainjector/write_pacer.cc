// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/write_pacer.h"

namespace capstan::cainjector {

namespace {

constexpr auto kUntilFull = WritePacer::kInterval * WritePacer::kBurst;

}  // namespace

bool WritePacer::MayWrite(std::string_view key) const {
  const auto now = clock_.Now();
  const MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return true;
  TokenBucket copy = found->second.bucket;
  return copy.Reserve(now, Clock::Duration::zero()).has_value();
}

void WritePacer::Wrote(std::string_view key) {
  const auto now = clock_.Now();
  const MutexLock lock(mu_);
  Sweep(now);
  const Entry fresh = {.bucket = TokenBucket(kInterval, kBurst, now), .last = now};
  Entry& entry = entries_.try_emplace(std::string(key), fresh).first->second;
  entry.bucket.Reserve(now);
  entry.last = now;
}

std::size_t WritePacer::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

void WritePacer::Sweep(Clock::TimePoint now) {
  if (now - swept_ < kUntilFull) return;
  swept_ = now;
  std::erase_if(entries_, [&](const auto& entry) { return now - entry.second.last >= kUntilFull; });
}

}  // namespace capstan::cainjector
