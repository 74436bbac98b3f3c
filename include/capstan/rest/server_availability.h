// SPDX-License-Identifier: Apache-2.0
// ServerAvailability is one process's view of whether its API server can be reached.
//
// Every request of a Client reports its result here. While the server cannot be reached (a refused,
// reset or timed out connection, or a proxy that cannot reach it), all retries wait here:
// reflectors, leader election, workers. One of the waiting threads sends a probe about once a
// second, and the others sleep. After a successful probe they all resume, each after a random part
// of `spread`, so that many processes do not return at the same moment. A server that
// is starting is probed every two spreads, if that is more often.
//
// Overload is not an outage: while the server responds, 429, Retry-After and 5xx are handled by the
// caller's backoff. During an outage, a 429 or 5xx response to the probe means that the server is
// starting. If that lasts longer than `starting_max`, the outage ends and the backoffs take over. A
// 401 or 403 also means starting, for at most `unauthorized_max`, because a kube-apiserver denies
// everything until it has read its roles.
//
// Thread-safe. It has no thread. There is no upstream counterpart: client-go backs off per
// reflector.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"
#include "capstan/rest/metrics.h"

namespace capstan::rest {

struct CAPSTAN_EXPORT AvailabilityOptions {
  Clock& clock = Clock::Real();
  // Waiting callers resume within this time after a successful probe.
  Clock::Duration spread = std::chrono::milliseconds(200);
  // The time between probes is uniform in [probe_interval, probe_interval * 1.4).
  Clock::Duration probe_interval = std::chrono::milliseconds(750);
  Clock::Duration starting_max = std::chrono::seconds(30);
  Clock::Duration unauthorized_max = std::chrono::seconds(5);
  // Returns a number in [0, 1); tests pass a constant.
  std::function<double()> random = {};
  MetricsProvider* metrics = nullptr;  // not owned
};

// Returns the time from the failed request to the first probe. It grows with `spread`, so with the
// number of processes. Pure function.
CAPSTAN_EXPORT Clock::Duration FirstProbeDelay(const AvailabilityOptions& options, double unit);
// The next three are pure functions too, for simulations of many processes. `unit` is random in
// [0, 1). ProbeDelay returns the time between two probes while the server does not respond.
CAPSTAN_EXPORT Clock::Duration ProbeDelay(const AvailabilityOptions& options, double unit);
// Returns the time between two probes while the server responds that it is not ready.
CAPSTAN_EXPORT Clock::Duration StartingProbeDelay(const AvailabilityOptions& options, double unit);
// Returns the time from the successful probe until a waiting caller resumes.
CAPSTAN_EXPORT Clock::Duration ResumeDelay(const AvailabilityOptions& options, double unit);

class CAPSTAN_EXPORT ServerAvailability {
 public:
  // Probe sends the cheapest request and returns the HTTP status, or the error without a response.
  // It returns at `deadline` at the latest.
  using Probe =
      std::function<Expected<int>(const std::stop_token& stop, Clock::TimePoint deadline)>;

  ServerAvailability(Probe probe, AvailabilityOptions options);

  // Call this for each response, with its HTTP status.
  void OnAnswer(int http_status);
  // Call this for each request without a response. Errors that are not about the server (the
  // caller's stop token or deadline, missing credentials, an untrusted certificate) do not start an
  // outage.
  void OnFailure(const Error& error);

  bool IsReachable() const;
  // Blocks while the server cannot be reached, and then for this caller's part of the spread.
  // False: stopped.
  bool WaitUntilReachable(const std::stop_token& stop);
  // Like WaitUntilReachable, without the spread and at most until `deadline`. False: stopped or
  // still unreachable.
  bool WaitUntilReachable(const std::stop_token& stop, Clock::TimePoint deadline);

  struct Outage {
    Clock::TimePoint since;
    Error error;  // of the last attempt
  };
  // Returns the current outage, or nullopt if the server is reachable or there was no request yet.
  std::optional<Outage> outage() const;
  // Returns "unreachable for 12s: 10.0.0.1:6443: connect: connection refused", for example. Empty
  // when reachable.
  std::string Describe() const;

 private:
  // Change is the effect of a report. It is logged and counted without the lock.
  struct Change {
    enum class What { kNothing, kBegan, kEnded, kFirstAnswer } what = What::kNothing;
    Outage outage = {};
    bool was_known = false;  // the result of an earlier request was known
  };

  // Waits for the time of the next probe and sends it, unless the outage ends before.
  void ProbeOnce(const std::stop_token& stop, Clock::TimePoint deadline);
  Change ApplyProbe(const Expected<int>& answer) CAPSTAN_REQUIRES(mu_);
  Change Begin(const Error& error) CAPSTAN_REQUIRES(mu_);
  Change End() CAPSTAN_REQUIRES(mu_);
  void Report(const Change& change) const;

  const Probe probe_;
  const AvailabilityOptions options_;
  const std::function<double()> random_;

  mutable Mutex mu_;
  CondVar changed_;
  std::optional<Outage> outage_ CAPSTAN_GUARDED_BY(mu_);
  bool known_ CAPSTAN_GUARDED_BY(mu_) = false;    // a request has succeeded or failed
  bool probing_ CAPSTAN_GUARDED_BY(mu_) = false;  // one of the waiting threads sends the probes
  Clock::TimePoint next_probe_ CAPSTAN_GUARDED_BY(mu_) = {};
  // The time of the first response that meant "starting".
  std::optional<Clock::TimePoint> starting_since_ CAPSTAN_GUARDED_BY(mu_);
};

// Reports whether an error means that the server could not be reached, or broke the connection
// before its response. Pure function.
CAPSTAN_EXPORT bool IsUnreachable(const Error& error);

}  // namespace capstan::rest
