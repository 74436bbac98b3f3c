// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/candidate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"
#include "clientgo/util/time_format.h"

namespace clientgo::leaderelection {

using util::Clock;
using util::Kv;
using util::MutexLock;

Candidate::Candidate(rest::Client& client, const LeaderElectionConfig& config)
    : config_(config),
      identity_(config.identity),
      lock_(client, {.namespace_ = config.lease_namespace, .name = config.lease_name},
            config.managed_by),
      timer_(config.clock) {}

Candidate::Outcome Candidate::TryAcquireOrRenew(const std::stop_token& stop,
                                                Clock::TimePoint deadline) {
  const Clock::TimePoint now = config_.clock.Now();
  api::LeaseSpec spec = NewSpec();

  // 1. The holder's fast path: a write on the version that it saw last, without reading first.
  const bool leading = IsOurs() && now < HeldUntil();
  if (leading) {
    spec.acquire_time = lease_->spec().acquire_time;
    spec.lease_transitions = lease_->spec().lease_transitions;
    const auto renewed =
        Write(stop, deadline, [&](std::stop_token token) { return lock_.Update(token, spec); });
    if (renewed) return AfterWrite(renewed, "");
    LOG(WARNING) << Kv("Failed to update lease optimistically, falling back to slow path", "lock",
                       Describe(), "err", renewed.error());
  }

  // 2. Read it, or create it.
  const auto found =
      Request(stop, deadline, [&](std::stop_token token) { return lock_.Get(token); });
  if (!found) {
    if (!util::IsNotFound(found.error())) {
      LOG(ERROR) << Kv("Error retrieving lease lock", "lock", Describe(), "err", found.error());
      return Outcome::kNotHeld;
    }
    return AfterWrite(
        Write(stop, deadline, [&](std::stop_token token) { return lock_.Create(token, spec); }),
        "Error initially creating lease lock");
  }

  // 3. Whose is it?
  Observe(*found);
  const api::LeaseSpec& old = lease_->spec();
  if (leading && !IsOurs()) return Outcome::kLost;
  if (!old.holder_identity.empty() && !IsOurs() && IsValid(now)) {
    VLOG(4) << Kv("Lease is held and has not yet expired", "lock", Describe(), "holder",
                  old.holder_identity);
    return Outcome::kNotHeld;
  }

  // 4. Ours, nobody's, or expired: write.
  if (IsOurs()) {
    spec.acquire_time = old.acquire_time;
    spec.lease_transitions = old.lease_transitions;
    if (config_.metrics != nullptr) config_.metrics->OnSlowPath(config_.lease_name);
  } else {
    spec.acquire_time = spec.renew_time;
    spec.lease_transitions = old.lease_transitions + 1;
  }
  return AfterWrite(
      Write(stop, deadline, [&](std::stop_token token) { return lock_.Update(token, spec); }),
      "Failed to update lease");
}

void Candidate::Release() {
  if (!maybe_ours_) return;
  const std::stop_token never;
  const Clock::TimePoint deadline = config_.clock.Now() + config_.renew_deadline;
  for (;;) {
    const auto found =
        Request(never, deadline, [&](std::stop_token token) { return lock_.Get(token); });
    if (!found) {
      if (util::IsNotFound(found.error())) return;
      LOG(WARNING) << Kv("Failed to release lease", "lock", Describe(), "err", found.error());
      return;
    }
    Observe(*found);
    if (!IsOurs()) return;
    api::LeaseSpec spec = NewSpec();
    spec.holder_identity.clear();
    spec.lease_duration_seconds = 1;  // 0 is not valid
    spec.lease_transitions = lease_->spec().lease_transitions;
    const auto released =
        Request(never, deadline, [&](std::stop_token token) { return lock_.Update(token, spec); });
    if (released) {
      Observe(*released);
      LOG(INFO) << Kv("Released lease", "lock", Describe());
      return;
    }
    // A Conflict is our own last renewal, canceled here and done there: look again.
    if (!util::IsConflict(released.error())) {
      LOG(WARNING) << Kv("Failed to release lease", "lock", Describe(), "err", released.error());
      return;
    }
  }
}

std::string Candidate::Holder() const {
  MutexLock lock(mu_);
  return holder_;
}

Clock::TimePoint Candidate::HeldUntil() const {
  MutexLock lock(mu_);
  return held_until_;
}

// A hung request eats half of what is left of the deadline, never all: after an outage there is
// time for one more.
util::Expected<Candidate::LeasePtr> Candidate::Request(const std::stop_token& stop,
                                                       Clock::TimePoint deadline,
                                                       const Call& call) {
  const Clock::TimePoint now = config_.clock.Now();
  const Clock::Duration left = std::min<Clock::Duration>(config_.renew_deadline, deadline - now);
  const auto timeout = std::max<Clock::Duration>(std::chrono::seconds(1), left / 2);
  util::LinkedStopSource request(stop);
  timer_.Arm(std::min(deadline, now + timeout), [&request] { request.RequestStop(); });
  auto answer = call(request.token());
  timer_.Disarm();
  return answer;
}

// A Create or Update that makes us the holder.
util::Expected<Candidate::LeasePtr> Candidate::Write(const std::stop_token& stop,
                                                     Clock::TimePoint deadline, const Call& call) {
  const Clock::TimePoint sent_at = config_.clock.Now();
  maybe_ours_ = true;
  auto written = Request(stop, deadline, call);
  if (written) {
    Observe(*written);
    MutexLock lock(mu_);
    held_until_ = sent_at + config_.lease_duration;
  }
  return written;
}

Candidate::Outcome Candidate::AfterWrite(const util::Expected<LeasePtr>& written,
                                         const char* failure) {
  if (!written) {
    LOG(WARNING) << Kv(failure, "lock", Describe(), "err", written.error());
    return Outcome::kNotHeld;
  }
  // The answer may come so late (a process that was paused) that it is worth nothing.
  return config_.clock.Now() < HeldUntil() ? Outcome::kHeld : Outcome::kNotHeld;
}

void Candidate::Observe(const LeasePtr& lease) {
  if (lease_ == nullptr || lease_->raw_spec() != lease->raw_spec()) {
    observed_at_ = config_.clock.Now();
  }
  lease_ = lease;
  maybe_ours_ = IsOurs();
  MutexLock lock(mu_);
  holder_ = lease->spec().holder_identity;
}

// By the holder's own lease duration, from when we saw the Lease change: no clock but ours counts.
bool Candidate::IsValid(Clock::TimePoint now) const {
  return observed_at_ + std::chrono::seconds(lease_->spec().lease_duration_seconds) > now;
}

api::LeaseSpec Candidate::NewSpec() const {
  const std::string now = util::FormatMicroTime(config_.clock.WallNow());
  return {
      .holder_identity = identity_,
      // Rounded up: others may wait longer than we count on, never shorter.
      .lease_duration_seconds =
          static_cast<int>(std::chrono::ceil<std::chrono::seconds>(config_.lease_duration).count()),
      .acquire_time = now,
      .renew_time = now,
      .lease_transitions = 0,
      .strategy = {},
      .preferred_holder = {},
  };
}

}  // namespace clientgo::leaderelection
