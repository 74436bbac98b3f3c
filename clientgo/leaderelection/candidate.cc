// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/candidate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"

namespace clientgo::leaderelection {

using util::Clock;
using util::Kv;

namespace {

// What a holder writes that gives the Lease back, here and in client-go. An edit by hand is not
// like this: kubectl leaves the fields that it was not asked to change.
bool IsReleased(const api::LeaseSpec& spec) {
  return spec.holder_identity.empty() && spec.lease_duration_seconds == 1 &&
         !spec.renew_time.empty() && spec.renew_time == spec.acquire_time;
}

// Without a holder, and not because that one gave it back.
bool IsCleared(const api::LeaseSpec& s) { return s.holder_identity.empty() && !IsReleased(s); }

// The write was not done. After anything but a 4xx it may have been, or may be yet.
bool IsRefused(const util::Error& error) { return error.http_code / 100 == 4; }

}  // namespace

Candidate::Candidate(rest::Client& client, const LeaderElectionConfig& config)
    : config_(config),
      identity_(config.identity),
      lock_(client, {.namespace_ = config.lease_namespace, .name = config.lease_name},
            config.managed_by) {}

Candidate::Outcome Candidate::TryAcquireOrRenew(const std::stop_token& stop,
                                                Clock::TimePoint deadline) {
  const Clock::TimePoint now = config_.clock.Now();
  api::LeaseSpec spec = NewSpec();

  // 1. The holder's fast path: a write on the version that it saw last, without reading first.
  const bool leading = IsLeading();
  if (leading) {
    spec.acquire_time = term_;
    spec.lease_transitions = lease_->spec().lease_transitions;
    const auto renewed =
        Write(stop, deadline, spec, [&](const auto& limits) { return lock_.Update(limits, spec); });
    if (renewed) return AfterWrite(renewed, "");
    LOG(WARNING) << Kv("Failed to update lease optimistically, falling back to slow path", "lock",
                       Describe(), "err", renewed.error());
  }

  // 2. Read it, or create it.
  const auto found = Request(stop, deadline, [&](const auto& limits) { return lock_.Get(limits); });
  if (!found) {
    if (!util::IsNotFound(found.error())) {
      LOG(ERROR) << Kv("Error retrieving lease lock", "lock", Describe(), "err", found.error());
      return Outcome::kNotHeld;
    }
    if (!leading && lease_ != nullptr) {
      Replace(stop, deadline);
      return Outcome::kNotHeld;
    }
    return AfterWrite(
        Write(stop, deadline, spec, [&](const auto& limits) { return lock_.Create(limits, spec); }),
        "Error initially creating lease lock");
  }

  // 3. Whose is it?
  Observe(*found);
  const api::LeaseSpec& old = lease_->spec();
  if (leading && !NamesUs() && !IsCleared(old)) return Outcome::kLost;
  const bool ours = leading || IsOurs();
  if (!ours && now < others_until_) {
    VLOG(4) << Kv("Lease is held and has not yet expired", "lock", Describe(), "holder",
                  old.holder_identity);
    return Outcome::kNotHeld;
  }

  // 4. Ours, nobody's, or expired: write. While we lead, as it was: that undoes an edit.
  if (ours && config_.metrics != nullptr) config_.metrics->OnSlowPath(config_.lease_name);
  if (!leading) {
    spec.acquire_time = ours ? term_ : spec.renew_time;
    spec.lease_transitions = old.lease_transitions + (ours ? 0 : 1);
  }
  return AfterWrite(
      Write(stop, deadline, spec, [&](const auto& limits) { return lock_.Update(limits, spec); }),
      "Failed to update lease");
}

void Candidate::Release() {
  if (term_.empty()) return;
  const std::stop_token never;
  const Clock::TimePoint deadline = config_.clock.Now() + config_.renew_deadline;
  for (;;) {
    const auto found =
        Request(never, deadline, [&](const auto& limits) { return lock_.Get(limits); });
    if (!found && util::IsNotFound(found.error())) return;
    if (!found) {
      LOG(WARNING) << Kv("Failed to release lease", "lock", Describe(), "err", found.error());
      return;
    }
    Observe(*found);
    if (!IsOurs() && !(IsLeading() && NamesUs())) return;
    api::LeaseSpec spec = NewSpec();
    spec.holder_identity.clear();
    spec.lease_duration_seconds = 1;  // 0 is not valid
    spec.lease_transitions = lease_->spec().lease_transitions;
    const auto released =
        Request(never, deadline, [&](const auto& limits) { return lock_.Update(limits, spec); });
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
  util::MutexLock lock(mu_);
  return holder_;
}

Clock::TimePoint Candidate::HeldUntil() const {
  util::MutexLock lock(mu_);
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
  return call({stop, std::min(deadline, now + timeout)});
}

// A Create or Update with `spec`, that makes us the holder.
util::Expected<Candidate::LeasePtr> Candidate::Write(const std::stop_token& stop,
                                                     Clock::TimePoint deadline,
                                                     const api::LeaseSpec& spec, const Call& call) {
  const Clock::TimePoint sent_at = config_.clock.Now();
  auto written = Request(stop, deadline, call);
  if (written || !IsRefused(written.error())) term_ = spec.acquire_time;
  if (written) {
    Observe(*written);
    holding_ = true;
    util::MutexLock lock(mu_);
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
  const bool changed =
      lease_ == nullptr || lease_->uid() != lease->uid() || lease_->raw_spec() != lease->raw_spec();
  const LeasePtr before = std::exchange(lease_, lease);
  const api::LeaseSpec& spec = lease->spec();
  if (!NamesUs() && !IsCleared(spec)) {
    holding_ = false;
    term_.clear();
  }
  if (changed && !IsOurs()) {
    if (IsReleased(spec)) {
      others_until_ = Clock::TimePoint::min();
    } else if (before != nullptr) {
      // The duration may have been made shorter by hand just after the holder renewed.
      Defer(std::chrono::seconds(
          std::max(before->spec().lease_duration_seconds, spec.lease_duration_seconds)));
    } else if (!spec.holder_identity.empty() || !spec.renew_time.empty()) {
      // Not from a manifest, which nobody held yet.
      Defer(std::chrono::seconds(spec.lease_duration_seconds));
    }
  }
  util::MutexLock lock(mu_);
  holder_ = spec.holder_identity;
}

// The Lease that we knew is gone. Its holder may have renewed just before, and writes it again if
// it can. One that nobody holds is put there and watched: from the absence of any nobody could tell
// whether another came and went while we looked away.
void Candidate::Replace(const std::stop_token& stop, Clock::TimePoint deadline) {
  Defer(std::chrono::seconds(lease_->spec().lease_duration_seconds));
  api::LeaseSpec spec = NewSpec();
  spec.holder_identity.clear();
  spec.acquire_time.clear();
  spec.lease_transitions = lease_->spec().lease_transitions;
  const auto made =
      Request(stop, deadline, [&](const auto& limits) { return lock_.Create(limits, spec); });
  if (made) {
    Observe(*made);
  } else {
    LOG(WARNING) << Kv("Failed to replace deleted lease", "lock", Describe(), "err", made.error());
  }
}

// Times in the record are never compared with our clocks: it counts from when we saw the Lease
// change. Others are configured as we are, so not less than we would count on ourselves.
void Candidate::Defer(std::chrono::seconds duration) {
  others_until_ =
      std::max(others_until_,
               config_.clock.Now() + std::max<Clock::Duration>(config_.lease_duration, duration));
}

bool Candidate::IsOurs() const {
  return NamesUs() && !term_.empty() && lease_->spec().acquire_time == term_;
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
