// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>

#include "clientgo/util/mutex.h"
#include "clientgo/util/time_format.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Clock;
using std::chrono::nanoseconds;

constexpr std::int64_t kTokensMax = 10'000;
constexpr nanoseconds kDurationMin = std::chrono::milliseconds(1);
constexpr nanoseconds kDurationMax = std::chrono::hours(24);
// Pods that have passed but need not be written yet. A node has at most a few hundred.
constexpr std::size_t kPassedMax = 4096;

// A token bucket of `tokens`, full at first, refilled at `tokens` each `duration`, kept as the time
// when it will be full again: that needs no refilling and no fractions.
class RateGate final : public Gate {
 public:
  RateGate(std::string_view spec, std::int64_t tokens, nanoseconds duration)
      : Gate(spec), tokens_(tokens), duration_(duration), token_(duration / tokens) {}

  std::string_view kind() const override { return "rate"; }

  Verdict Evaluate(const GateInput& input) const override {
    const std::string uid(input.pod.uid());
    const clientgo::util::MutexLock lock(mu_);
    if (passed_.contains(uid)) return Verdict::Open();
    const Clock::TimePoint full_at = std::max(full_at_, input.now);
    // One token is there when at most tokens - 1 are missing.
    const Clock::TimePoint ready_at = full_at - token_ * (tokens_ - 1);
    if (ready_at > input.now) {
      Verdict closed = Verdict::Closed(
          "RateLimited", "waits for its turn: at most " + std::to_string(tokens_) + " pods each " +
                             clientgo::util::FormatDuration(duration_));
      closed.recheck = ready_at;
      return closed;
    }
    full_at_ = full_at + token_;
    order_.push_back(uid);
    passed_.insert(uid);
    if (order_.size() > kPassedMax) {
      passed_.erase(order_.front());
      order_.pop_front();
    }
    return Verdict::Open();
  }

  void AddNeeds(GateNeeds& /*needs*/) const override {}
  bool is_last() const override { return true; }

 private:
  const std::int64_t tokens_;
  const nanoseconds duration_;
  const nanoseconds token_;  // until one is refilled
  mutable clientgo::util::Mutex mu_;
  mutable Clock::TimePoint full_at_ GUARDED_BY(mu_) = Clock::TimePoint::min();
  mutable std::set<std::string, std::less<>> passed_ GUARDED_BY(mu_);  // uids
  mutable std::deque<std::string> order_ GUARDED_BY(mu_);              // of passed_, oldest first
};

}  // namespace

MadeGate MakeRateGate(std::string_view spec, std::string_view value) {
  const auto refuse = [&](const std::string& why) {
    return clientgo::util::Err(
        clientgo::util::ErrorReason::kInvalidArgument,
        "rate: expected <n>/<duration>, such as 5/1s, got " + Quote(value) + ": " + why);
  };
  const auto [count, text] = Cut(value, '/');
  std::int64_t tokens = 0;
  const char* const end = count.data() + count.size();
  const auto [rest, error] = std::from_chars(count.data(), end, tokens);
  if (error != std::errc() || rest != end || tokens < 1 || tokens > kTokensMax) {
    return refuse("n must be a number from 1 to 10000");
  }
  const auto duration = clientgo::util::ParseDuration(text);
  if (!duration || *duration < kDurationMin || *duration > kDurationMax) {
    return refuse("the duration must be from 1ms to 24h");
  }
  return std::make_unique<RateGate>(spec, tokens, *duration);
}

}  // namespace controllers::readinessgate
