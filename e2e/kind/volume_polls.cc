// SPDX-License-Identifier: Apache-2.0
#include "e2e/kind/volume_polls.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/backoff.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"

namespace e2e::kind {

using capstan::Backoff;
using capstan::BackoffOptions;
using capstan::Clock;
using capstan::Err;
using capstan::ErrorReason;
using capstan::Expected;
using std::chrono::milliseconds;

namespace {

constexpr Clock::Duration kTick = std::chrono::seconds(1);

Expected<BackoffOptions> Parse(const std::string& text) {
  int initial = 0;
  int cap = 0;
  BackoffOptions options;
  std::istringstream in(text);
  if (!(in >> initial >> options.factor >> cap >> options.jitter)) {
    return Err(ErrorReason::kInvalidArgument, "backoff \"" + text + "\" is not four numbers");
  }
  options.initial = milliseconds(initial);
  options.cap = milliseconds(cap);
  return options;
}

// Like Go's Ticker, it keeps one tick that was due during the sleep, and drops the others.
void Poll(std::stop_token stop, Backoff backoff, const std::function<Expected<std::string>()>& look,
          const VolumePolls::Opened& opened) {
  Clock& clock = Clock::Real();
  const Clock::TimePoint begin = clock.Now();
  for (Clock::TimePoint tick = begin + kTick;;) {
    const Clock::Duration left = std::max(tick - clock.Now(), Clock::Duration::zero());
    if (!clock.SleepFor(stop, left)) return;
    if (const auto value = look()) return opened(*value);
    if (!clock.SleepFor(stop, backoff.Next())) return;
    tick = std::max(tick + kTick, begin + (clock.Now() - begin) / kTick * kTick);
  }
}

}  // namespace

struct VolumePolls::State {
  capstan::Mutex mu;
  std::map<std::string, std::jthread> threads CAPSTAN_GUARDED_BY(mu);
};

VolumePolls::VolumePolls() : state_(std::make_unique<State>()) {}
VolumePolls::~VolumePolls() = default;

Expected<void> VolumePolls::Start(const std::string& volume, const std::string& backoff,
                                  std::function<Expected<std::string>()> look, Opened opened) {
  const auto options = Parse(backoff);
  if (!options) return tl::unexpected(options.error());
  const capstan::MutexLock lock(state_->mu);
  std::jthread& thread = state_->threads[volume];
  if (thread.joinable()) return {};
  thread = std::jthread(Poll, Backoff(Clock::Real(), *options), std::move(look), std::move(opened));
  return {};
}

void VolumePolls::Stop(const std::string& volume) {
  std::jthread ended;
  {
    const capstan::MutexLock lock(state_->mu);
    if (const auto found = state_->threads.find(volume); found != state_->threads.end()) {
      ended = std::move(found->second);
      state_->threads.erase(found);
    }
  }
}

}  // namespace e2e::kind
