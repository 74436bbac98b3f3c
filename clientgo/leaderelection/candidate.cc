// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/candidate.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/log.h"
#include "capstan/time.h"

namespace capstan::leaderelection {

namespace {

// Reports whether the holder released the Lease, here or in client-go. An edit by hand is
// different, because kubectl leaves the other fields unchanged.
bool IsReleased(const api::LeaseSpec& spec) {
  return spec.holder_identity.empty() && spec.lease_duration_seconds == 1 &&
         !spec.renew_time.empty() && spec.renew_time == spec.acquire_time;
}

// Reports whether the Lease has no holder although it was not released.
bool IsCleared(const api::LeaseSpec& s) { return s.holder_identity.empty() && !IsReleased(s); }

// Reports whether the server did not do the write. After any error except a 4xx, it may have done
// it or may still do it.
bool IsRefused(const Error& error) { return error.http_code / 100 == 4; }

}  // namespace

Candidate::Candidate(rest::Client& client, const LeaderElectionConfig& config)
    : client_(client),
      config_(config),
      identity_(config.identity),
      key_({.namespace_ = config.lease_namespace, .name = config.lease_name}) {}

Expected<api::LeasePtr> Candidate::Get(const rest::CallOptions& call) const {
  return ToLease(client_.Get(call, TypeOf<api::Lease>(), key_), "get");
}

Expected<api::LeasePtr> Candidate::Create(const rest::CallOptions& call,
                                          const api::LeaseSpec& spec) const {
  api::Lease lease{.metadata = {.name = key_.name, .namespace_ = key_.namespace_}, .spec = spec};
  if (!config_.managed_by.empty()) {
    lease.metadata.labels["app.kubernetes.io/managed-by"] = config_.managed_by;
  }
  return ToLease(client_.Create(call, TypeOf<api::Lease>(), key_.namespace_, ToJson(lease)),
                 "create");
}

Expected<api::LeasePtr> Candidate::Update(const rest::CallOptions& call,
                                          const api::LeaseSpec& spec) const {
  CHECK(lease_) << "Update before any Get or Create";
  api::Lease lease = *lease_;
  lease.spec = spec;
  return ToLease(client_.Update(call, TypeOf<api::Lease>(), key_, ToJson(lease)), "update");
}

Expected<api::LeasePtr> Candidate::ToLease(Expected<runtime::ObjectPtr> response,
                                           const char* verb) const {
  if (response) return runtime::StaticObjectCast<TypedObject<api::Lease>>(std::move(*response));
  return Err(response.error().Wrap("failed to " + std::string(verb) + " Lease " + Describe()));
}

Candidate::Outcome Candidate::TryAcquireOrRenew(const std::stop_token& stop,
                                                Clock::TimePoint deadline) {
  const Clock::TimePoint now = config_.clock.Now();
  api::LeaseSpec spec = NewSpec();

  // 1. The holder's fast path: write on the version that it saw last, without reading first.
  const bool leading = IsLeading();
  if (leading) {
    spec.acquire_time = term_;
    spec.lease_transitions = lease_->spec.lease_transitions;
    const auto renewed = Write(Limits(stop, deadline), spec, /*create=*/false);
    if (renewed) return AfterWrite(renewed, "");
    WarningS("Failed to update lease optimistically, falling back to slow path", "lock", Describe(),
             "err", renewed.error());
  }

  // 2. Read it, or create it.
  const auto found = Get(Limits(stop, deadline));
  if (!found) {
    if (!IsNotFound(found.error())) {
      ErrorS(found.error(), "Error retrieving lease lock", "lock", Describe());
      return Outcome::kNotHeld;
    }
    if (!leading && lease_ != nullptr) {
      Replace(stop, deadline);
      return Outcome::kNotHeld;
    }
    return AfterWrite(Write(Limits(stop, deadline), spec, /*create=*/true),
                      "Error initially creating lease lock");
  }

  // 3. Find out who holds it.
  Observe(*found);
  const api::LeaseSpec& old = lease_->spec;
  if (leading && !NamesUs() && !IsCleared(old)) return Outcome::kLost;
  const bool ours = leading || IsOurs();
  if (!ours && now < others_until_) {
    V(4).InfoS("Lease is held and has not yet expired", "lock", Describe(), "holder",
               old.holder_identity);
    return Outcome::kNotHeld;
  }

  // 4. It is ours, nobody's, or expired: write it. A leader writes its old values, which undoes an
  // edit.
  if (ours && config_.metrics != nullptr) config_.metrics->OnSlowPath(config_.lease_name);
  if (!leading) {
    spec.acquire_time = ours ? term_ : spec.renew_time;
    spec.lease_transitions = old.lease_transitions + (ours ? 0 : 1);
  }
  return AfterWrite(Write(Limits(stop, deadline), spec, /*create=*/false),
                    "Failed to update lease");
}

void Candidate::Release() {
  if (claim_ == Claim::kNone) return;
  const auto failed = [&](const Error& error) {
    WarningS("Failed to release lease", "lock", Describe(), "err", error);
  };
  const std::stop_token never;
  const Clock::TimePoint deadline = config_.clock.Now() + config_.renew_deadline;
  for (;;) {
    const auto found = Get(Limits(never, deadline));
    if (!found && IsNotFound(found.error())) return;
    if (!found) return failed(found.error());
    Observe(*found);
    if (!IsOurs() && !(IsLeading() && NamesUs())) return;
    api::LeaseSpec spec = NewSpec();
    spec.holder_identity.clear();
    spec.lease_duration_seconds = 1;  // 0 is not valid
    spec.lease_transitions = lease_->spec.lease_transitions;
    const auto released = Update(Limits(never, deadline), spec);
    if (released) {
      Observe(*released);
      InfoS("Released lease", "lock", Describe());
      return;
    }
    // A Conflict is our own last renewal, which was canceled here and still done: read again.
    if (!IsConflict(released.error())) return failed(released.error());
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

// A hung request takes half of the time left, never all. After an outage there is time for another.
rest::CallOptions Candidate::Limits(const std::stop_token& stop, Clock::TimePoint deadline) const {
  const Clock::TimePoint now = config_.clock.Now();
  const Clock::Duration left = std::min<Clock::Duration>(config_.renew_deadline, deadline - now);
  const auto timeout = std::max<Clock::Duration>(std::chrono::seconds(1), left / 2);
  return {stop, std::min(deadline, now + timeout)};
}

Expected<api::LeasePtr> Candidate::Write(const rest::CallOptions& call, const api::LeaseSpec& spec,
                                         bool create) {
  const Clock::TimePoint sent_at = config_.clock.Now();
  auto written = create ? Create(call, spec) : Update(call, spec);
  if (written || !IsRefused(written.error())) {
    term_ = spec.acquire_time;
    if (claim_ == Claim::kNone) claim_ = Claim::kWritten;
  }
  if (written) {
    Observe(*written);
    claim_ = Claim::kHeld;
    MutexLock lock(mu_);
    held_until_ = sent_at + config_.lease_duration;
  }
  return written;
}

Candidate::Outcome Candidate::AfterWrite(const Expected<api::LeasePtr>& written,
                                         const char* failure) {
  if (!written) {
    WarningS(failure, "lock", Describe(), "err", written.error());
    return Outcome::kNotHeld;
  }
  // After a pause of the process, the response may be too late to be useful.
  return config_.clock.Now() < HeldUntil() ? Outcome::kHeld : Outcome::kNotHeld;
}

void Candidate::Observe(const api::LeasePtr& lease) {
  const bool changed =
      lease_ == nullptr || lease_->uid() != lease->uid() || lease_->spec != lease->spec;
  const api::LeasePtr before = std::exchange(lease_, lease);
  const api::LeaseSpec& spec = lease->spec;
  if (!NamesUs() && !IsCleared(spec)) {
    claim_ = Claim::kNone;
    term_.clear();
  }
  if (changed && !IsOurs()) {
    if (IsReleased(spec)) {
      others_until_ = Clock::TimePoint::min();
    } else if (before != nullptr) {
      // A user may have shortened the duration just after the holder renewed.
      Defer(std::chrono::seconds(
          std::max(before->spec.lease_duration_seconds, spec.lease_duration_seconds)));
    } else if (!spec.holder_identity.empty() || !spec.renew_time.empty()) {
      // A Lease from a manifest had no holder yet, so there is no wait.
      Defer(std::chrono::seconds(spec.lease_duration_seconds));
    }
  }
  MutexLock lock(mu_);
  holder_ = spec.holder_identity;
}

// Creates a Lease without a holder in place of a deleted one, and then watches it. The old holder
// may have renewed just before, and writes the Lease again if it can. Without any Lease, nobody
// could see whether another holder came and went meanwhile.
void Candidate::Replace(const std::stop_token& stop, Clock::TimePoint deadline) {
  Defer(std::chrono::seconds(lease_->spec.lease_duration_seconds));
  api::LeaseSpec spec = NewSpec();
  spec.holder_identity.clear();
  spec.acquire_time.clear();
  spec.lease_transitions = lease_->spec.lease_transitions;
  const auto made = Create(Limits(stop, deadline), spec);
  if (made) {
    Observe(*made);
  } else {
    WarningS("Failed to replace deleted lease", "lock", Describe(), "err", made.error());
  }
}

// Counts from when we saw the Lease change, because times in it are never compared with our clock.
// The wait is at least our own lease_duration, because others are configured as we are.
void Candidate::Defer(std::chrono::seconds duration) {
  others_until_ =
      std::max(others_until_,
               config_.clock.Now() + std::max<Clock::Duration>(config_.lease_duration, duration));
}

bool Candidate::IsOurs() const {
  return NamesUs() && claim_ != Claim::kNone && lease_->spec.acquire_time == term_;
}

api::LeaseSpec Candidate::NewSpec() const {
  const std::string now = FormatTime(ToMicroTime(config_.clock.WallNow()));
  return {
      .holder_identity = identity_,
      // Rounded up, so that others never wait shorter than we expect.
      .lease_duration_seconds =
          static_cast<int>(std::chrono::ceil<std::chrono::seconds>(config_.lease_duration).count()),
      .acquire_time = now,
      .renew_time = now,
  };
}

}  // namespace capstan::leaderelection
