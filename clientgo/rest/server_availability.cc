// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/server_availability.h"

#include <algorithm>
#include <utility>

#include "capstan/backoff.h"
#include "capstan/log.h"
#include "capstan/time.h"

namespace capstan::rest {

namespace {

constexpr double kProbeJitter = 0.4;
// The request that found the outage failed a moment ago. A single broken connection soon proves
// harmless.
constexpr auto kFirstProbeDelayMin = std::chrono::milliseconds(100);

bool IsUnauthorized(int http_status) { return http_status == 401 || http_status == 403; }

bool IsStarting(int http_status) {
  return http_status == 429 || http_status >= 500 || IsUnauthorized(http_status);
}

}  // namespace

bool IsUnreachable(const Error& error) {
  switch (error.reason) {
    case ErrorReason::kConnectionRefused:
    case ErrorReason::kUnexpectedEof:
    case ErrorReason::kNoSuchHost:
    case ErrorReason::kProxy:
    case ErrorReason::kTransport:
    case ErrorReason::kDeadlineExceeded:
      return true;
    default:
      return false;
  }
}

Clock::Duration FirstProbeDelay(const AvailabilityOptions& options, double unit) {
  return kFirstProbeDelayMin + ResumeDelay(options, unit) / 5;
}

Clock::Duration ProbeDelay(const AvailabilityOptions& options, double unit) {
  return Jitter(options.probe_interval, kProbeJitter, unit);
}

Clock::Duration StartingProbeDelay(const AvailabilityOptions& options, double unit) {
  return Jitter(std::min(options.probe_interval, 2 * options.spread), kProbeJitter, unit);
}

Clock::Duration ResumeDelay(const AvailabilityOptions& options, double unit) {
  return std::chrono::duration_cast<Clock::Duration>(options.spread * unit);
}

ServerAvailability::ServerAvailability(Probe probe, AvailabilityOptions options)
    : probe_(std::move(probe)),
      options_(std::move(options)),
      random_(options_.random ? options_.random : std::function<double()>(RandomUnit)) {}

void ServerAvailability::OnAnswer(int http_status) {
  Change change;
  {
    MutexLock lock(mu_);
    const bool is_news = outage_ ? !IsStarting(http_status) : !known_;
    if (is_news) change = End();
  }
  Report(change);
}

void ServerAvailability::OnFailure(const Error& error) {
  if (!IsUnreachable(error)) return;
  // The caller may have had a short deadline, or the server may be busy.
  const bool is_slow = error.reason == ErrorReason::kDeadlineExceeded;
  Change change;
  {
    MutexLock lock(mu_);
    if (outage_) {
      outage_->error = error;
    } else if (!is_slow) {
      change = Begin(error);
    }
  }
  Report(change);
}

bool ServerAvailability::IsReachable() const {
  MutexLock lock(mu_);
  return !outage_;
}

bool ServerAvailability::WaitUntilReachable(const std::stop_token& stop) {
  if (IsReachable()) return !stop.stop_requested();
  if (!WaitUntilReachable(stop, Clock::TimePoint::max())) return false;
  return options_.clock.SleepFor(stop, ResumeDelay(options_, random_()));
}

bool ServerAvailability::WaitUntilReachable(const std::stop_token& stop,
                                            Clock::TimePoint deadline) {
  for (;;) {
    bool probe = false;
    {
      MutexLock lock(mu_);
      if (stop.stop_requested()) return false;
      if (!outage_) return true;
      if (options_.clock.Now() >= deadline) return false;
      probe = !std::exchange(probing_, true);
      if (!probe) {
        options_.clock.WaitUntil(mu_, changed_, stop, deadline,
                                 [this]() CAPSTAN_REQUIRES(mu_) { return !outage_ || !probing_; });
      }
    }
    if (probe) ProbeOnce(stop, deadline);
  }
}

void ServerAvailability::ProbeOnce(const std::stop_token& stop, Clock::TimePoint deadline) {
  bool due = false;
  {
    MutexLock lock(mu_);
    options_.clock.WaitUntil(mu_, changed_, stop, std::min(next_probe_, deadline),
                             [this]() CAPSTAN_REQUIRES(mu_) { return !outage_; });
    due = outage_ && !stop.stop_requested() && options_.clock.Now() >= next_probe_;
    if (due) {
      next_probe_ = options_.clock.Now() + ProbeDelay(options_, random_());
    }
  }
  std::optional<Expected<int>> answer;
  if (due) answer = probe_(stop, deadline);
  Change change;
  {
    MutexLock lock(mu_);
    if (answer && outage_ && !stop.stop_requested()) change = ApplyProbe(*answer);
    probing_ = false;  // another waiting thread takes over if this one stops
    changed_.NotifyAll();
  }
  Report(change);
}

ServerAvailability::Change ServerAvailability::ApplyProbe(const Expected<int>& answer) {
  if (!answer) {
    starting_since_.reset();
    // A certificate or a credential is invalid. Each caller reports that error.
    if (!IsUnreachable(answer.error())) return End();
    outage_->error = answer.error();
    return {};
  }
  if (!IsStarting(*answer)) return End();
  const Clock::TimePoint now = options_.clock.Now();
  if (!starting_since_) starting_since_ = now;
  const auto limit = IsUnauthorized(*answer) ? options_.unauthorized_max : options_.starting_max;
  if (now - *starting_since_ >= limit) return End();
  next_probe_ = now + StartingProbeDelay(options_, random_());
  outage_->error = {
      .reason = ErrorReason::kServiceUnavailable,
      .http_code = *answer,
      .message = "the server is starting: /readyz answers " + std::to_string(*answer)};
  return {};
}

ServerAvailability::Change ServerAvailability::Begin(const Error& error) {
  const Clock::TimePoint now = options_.clock.Now();
  const bool was_known = std::exchange(known_, true);
  outage_ = Outage{.since = now, .error = error};
  starting_since_.reset();
  next_probe_ = now + FirstProbeDelay(options_, random_());
  return {.what = Change::What::kBegan, .outage = *outage_, .was_known = was_known};
}

ServerAvailability::Change ServerAvailability::End() {
  Change change{.what = Change::What::kFirstAnswer};
  if (outage_) change = {.what = Change::What::kEnded, .outage = *outage_};
  known_ = true;
  outage_.reset();
  changed_.NotifyAll();
  return change;
}

void ServerAvailability::Report(const Change& change) const {
  if (change.what == Change::What::kNothing) return;
  const bool began = change.what == Change::What::kBegan;
  if (began && !change.was_known) {
    // Programs log more about a server that they have never reached.
    InfoS("API server is not reached yet, probing it once a second", "err", change.outage.error);
  } else if (began) {
    WarningS("API server cannot be reached, probing it once a second", "err", change.outage.error);
  } else if (change.what == Change::What::kEnded) {
    const auto length =
        std::chrono::round<std::chrono::milliseconds>(options_.clock.Now() - change.outage.since);
    InfoS("API server can be reached again", "after", FormatDuration(length));
  }
  if (options_.metrics != nullptr) options_.metrics->SetServerReachable(!began);
}

std::optional<ServerAvailability::Outage> ServerAvailability::outage() const {
  MutexLock lock(mu_);
  return outage_;
}

std::string ServerAvailability::Describe() const {
  const auto now_out = outage();
  if (!now_out) return {};
  const auto length =
      std::chrono::floor<std::chrono::seconds>(options_.clock.Now() - now_out->since);
  return "unreachable for " + FormatDuration(length) + ": " + now_out->error.message;
}

}  // namespace capstan::rest
