// SPDX-License-Identifier: Apache-2.0
#include "capstan/leaderelection/leader_election.h"

#include <glog/logging.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <utility>

#include "capstan/backoff.h"
#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/thread.h"
#include "clientgo/leaderelection/candidate.h"

namespace capstan::leaderelection {

namespace {

constexpr double kJitterFactor = 1.2;
constexpr auto kTryIntervalMin = std::chrono::seconds(1);

// The order and the texts are client-go's.
Expected<void> Validate(const LeaderElectionConfig& config, const Callbacks& callbacks) {
  const auto invalid = [](const char* text) { return Err(ErrorReason::kInvalidArgument, text); };
  constexpr std::chrono::nanoseconds kZero(0);
  const std::chrono::duration<double, std::nano> jittered = config.retry_period * kJitterFactor;
  if (config.lease_duration <= config.renew_deadline) {
    return invalid("leaseDuration must be greater than renewDeadline");
  }
  if (config.renew_deadline <= jittered) {
    return invalid("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  if (config.lease_duration <= kZero) return invalid("leaseDuration must be greater than zero");
  if (config.renew_deadline <= kZero) return invalid("renewDeadline must be greater than zero");
  if (config.retry_period <= kZero) return invalid("retryPeriod must be greater than zero");
  if (!callbacks.on_started_leading) return invalid("OnStartedLeading callback must not be nil");
  if (!callbacks.on_stopped_leading) return invalid("OnStoppedLeading callback must not be nil");
  if (config.lease_namespace.empty()) return invalid("Lock namespace is empty");
  if (config.lease_name.empty()) return invalid("Lock name is empty");
  if (config.identity.empty()) return invalid("Lock identity is empty");
  return {};
}

// Returns an RFC 9562 version 4 UUID from the kernel's random numbers.
std::string RandomUuid() {
  std::array<std::uint8_t, 16> bytes{};
  // Without random bytes, two candidates could share an identity.
  PCHECK(getentropy(bytes.data(), bytes.size()) == 0) << "getentropy";
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);

  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += kHex[bytes[i] >> 4U];
    uuid += kHex[bytes[i] & 0x0fU];
  }
  return uuid;
}

}  // namespace

struct LeaderElector::Rep {
  Rep(rest::Client& client, LeaderElectionConfig the_config, Callbacks the_callbacks)
      : config(std::move(the_config)),
        callbacks(std::move(the_callbacks)),
        clock(config.clock),
        server(client.availability()),
        candidate(client, config) {
    ReportMaster(false);
  }

  bool Acquire(const std::stop_token& stop);
  void Lead(const std::stop_token& stop);
  void Renew(const std::stop_token& stop);
  bool RenewUntil(const std::stop_token& stop, Clock::TimePoint deadline);
  void ReportTransition();
  void ReportMaster(bool is_master);
  void SetLeading(bool is_leading, bool is_working);
  // Waits after the try at `tried` until `next`, or in an outage until the server is reachable.
  // Waits at most until `deadline`.
  void WaitForNextTry(const std::stop_token& stop, Clock::TimePoint tried, Clock::TimePoint next,
                      Clock::TimePoint deadline);
  // Returns false when stopped before.
  bool WaitUntil(const std::stop_token& stop, Clock::TimePoint time);

  const LeaderElectionConfig config;
  const Callbacks callbacks;
  Clock& clock;
  rest::ServerAvailability& server;
  Candidate candidate;
  std::string reported_leader;  // used only by the thread in Run

  mutable Mutex mu;
  bool leading CAPSTAN_GUARDED_BY(mu) = false;
  bool working CAPSTAN_GUARDED_BY(mu) =
      false;  // leading, or on_started_leading has not returned yet
};

bool LeaderElector::Rep::Acquire(const std::stop_token& stop) {
  InfoS("Attempting to acquire leader lease...", "lock", candidate.Describe());
  while (!stop.stop_requested()) {
    const Clock::TimePoint tried = clock.Now();
    const auto outcome = candidate.TryAcquireOrRenew(stop, Clock::TimePoint::max());
    ReportTransition();
    if (outcome == Candidate::Outcome::kHeld) {
      InfoS("Successfully acquired lease", "lock", candidate.Describe());
      return true;
    }
    V(4).InfoS("Failed to acquire lease", "lock", candidate.Describe());
    const double unit = config.random ? config.random() : RandomUnit();
    WaitForNextTry(stop, tried, clock.Now() + Jitter(config.retry_period, kJitterFactor, unit),
                   Clock::TimePoint::max());
  }
  return false;
}

void LeaderElector::Rep::Lead(const std::stop_token& stop) {
  SetLeading(/*is_leading=*/true, /*is_working=*/true);
  ReportMaster(true);
  if (config.on_event) config.on_event(config.identity + " became leader");

  // A stop ends the work, and the end of the work ends the renewals. Work that drains for longer
  // than a lease still runs alone.
  std::stop_source finished;
  std::jthread work = StartThread("leading", [&](const std::stop_token& stop_work) {
    callbacks.on_started_leading(stop_work);
    WaitUntil(stop_work, Clock::TimePoint::max());
    finished.request_stop();
  });
  {
    const std::stop_callback on_stop(stop, [&work] { work.request_stop(); });
    Renew(finished.get_token());
  }
  SetLeading(/*is_leading=*/false, /*is_working=*/true);
  work.request_stop();
  work.join();
  SetLeading(/*is_leading=*/false, /*is_working=*/false);
  ReportMaster(false);
  if (config.on_event) config.on_event(config.identity + " stopped leading");
}

// Returns when the Lease is lost, or when stopped.
void LeaderElector::Rep::Renew(const std::stop_token& stop) {
  for (;;) {
    // Never waits beyond the end of our lease, even if it is short.
    if (!WaitUntil(stop, std::min(clock.Now() + config.retry_period, candidate.HeldUntil())))
      return;
    const bool renewed =
        RenewUntil(stop, std::min(clock.Now() + config.renew_deadline, candidate.HeldUntil()));
    ReportTransition();
    if (stop.stop_requested()) return;
    if (!renewed) {
      ErrorS("Failed to renew lease", "lock", candidate.Describe());
      return;
    }
    V(5).InfoS("Successfully renewed lease", "lock", candidate.Describe());
  }
}

bool LeaderElector::Rep::RenewUntil(const std::stop_token& stop, Clock::TimePoint deadline) {
  for (;;) {
    const Clock::TimePoint now = clock.Now();
    // After a pause of the process, others may lead, so the time is checked before any request.
    if (now >= deadline) return false;
    const auto outcome = candidate.TryAcquireOrRenew(stop, deadline);
    if (outcome == Candidate::Outcome::kHeld) return true;
    if (outcome == Candidate::Outcome::kLost) return false;
    WaitForNextTry(stop, now, now + config.retry_period, deadline);
    if (stop.stop_requested()) return false;
  }
}

void LeaderElector::Rep::ReportTransition() {
  const std::string leader = candidate.Holder();
  if (leader == reported_leader) return;
  reported_leader = leader;
  if (leader.empty()) return;
  InfoS("New leader", "lock", candidate.Describe(), "leader", leader);
  if (callbacks.on_new_leader) callbacks.on_new_leader(leader);
}

void LeaderElector::Rep::ReportMaster(bool is_master) {
  if (config.metrics != nullptr) config.metrics->SetMaster(config.lease_name, is_master);
}

void LeaderElector::Rep::SetLeading(bool is_leading, bool is_working) {
  MutexLock lock(mu);
  leading = is_leading;
  working = is_working;
}

void LeaderElector::Rep::WaitForNextTry(const std::stop_token& stop, Clock::TimePoint tried,
                                        Clock::TimePoint next, Clock::TimePoint deadline) {
  if (!server.IsReachable()) {
    if (!server.WaitUntilReachable(stop, deadline)) return;
    // A server that answers probes but breaks other connections is not tried more often.
    next = std::min(next, tried + kTryIntervalMin);
  }
  WaitUntil(stop, std::min(next, deadline));
}

bool LeaderElector::Rep::WaitUntil(const std::stop_token& stop, Clock::TimePoint time) {
  Mutex wait_mu;
  CondVar nothing;
  MutexLock lock(wait_mu);
  clock.WaitUntil(wait_mu, nothing, stop, time, [] { return false; });
  return !stop.stop_requested();
}

Expected<std::unique_ptr<LeaderElector>> LeaderElector::New(rest::Client& client,
                                                            LeaderElectionConfig config,
                                                            Callbacks callbacks) {
  auto valid = Validate(config, callbacks);
  if (!valid) return Err(std::move(valid.error()));
  auto rep = std::make_unique<Rep>(client, std::move(config), std::move(callbacks));
  return std::unique_ptr<LeaderElector>(new LeaderElector(std::move(rep)));
}

LeaderElector::LeaderElector(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
LeaderElector::~LeaderElector() = default;

void LeaderElector::Run(std::stop_token stop) {
  if (rep_->Acquire(stop)) rep_->Lead(stop);
  if (rep_->config.release_on_cancel) rep_->candidate.Release();
  rep_->candidate.GiveUp();
  rep_->callbacks.on_stopped_leading();
}

bool LeaderElector::IsLeader() const {
  MutexLock lock(rep_->mu);
  return rep_->leading && rep_->clock.Now() < rep_->candidate.HeldUntil();
}

std::string LeaderElector::GetLeader() const { return rep_->candidate.Holder(); }

Expected<void> LeaderElector::Check(std::chrono::nanoseconds tolerance) const {
  MutexLock lock(rep_->mu);
  if (!rep_->working || rep_->clock.Now() <= rep_->candidate.HeldUntil() + tolerance) return {};
  return Err(ErrorReason::kDeadlineExceeded,
             "failed election to renew leadership on lease " + rep_->config.lease_name);
}

std::string DefaultIdentity() {
  std::array<char, 256> hostname{};
  const bool known = gethostname(hostname.data(), hostname.size() - 1) == 0;
  return std::string(known ? hostname.data() : "unknown") + "_" + RandomUuid();
}

}  // namespace capstan::leaderelection
