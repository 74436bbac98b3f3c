// SPDX-License-Identifier: Apache-2.0
// ServerAvailability is one process's view of whether its API server can be reached.
//
// Every request of a Client reports how it ended. When the server cannot be reached (a refused,
// reset or timed out connection, a proxy that does not lead to it), everything that would retry
// waits here instead: reflectors, leader election, workers. One of the waiting threads sends a
// probe about once a second; the others sleep. When the probe succeeds they all resume, each after
// a random part of `spread`, so that many processes do not return in the same moment. A server
// that is starting is probed every two spreads if that is more often.
//
// Overload is not an outage: while the server answers, a 429, a Retry-After and a 5xx are left to
// the backoff of whoever was refused. Only during an outage do 429 and 5xx answers to the probe
// mean that the server is still starting, and for `starting_max` at most: a server that keeps
// answering so is left to the backoffs as well. A 401 or 403 means the same for `unauthorized_max`,
// because a kube-apiserver denies everything until it has read its roles.
//
// Thread-safe. No thread of its own. No upstream counterpart: client-go backs off per reflector.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "clientgo/rest/metrics.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

struct AvailabilityOptions {
  util::Clock& clock = util::Clock::Real();
  // Waiting callers resume within this time after the probe that succeeded.
  util::Clock::Duration spread = std::chrono::milliseconds(200);
  // Probes are this far apart, each interval uniform in [interval, interval * 1.4).
  util::Clock::Duration probe_interval = std::chrono::milliseconds(750);
  util::Clock::Duration starting_max = std::chrono::seconds(30);
  util::Clock::Duration unauthorized_max = std::chrono::seconds(5);
  // Returns a number in [0, 1); tests pass a constant.
  std::function<double()> random = {};
  MetricsProvider* metrics = nullptr;  // not owned
};

// The time from the failed request that found an outage to the first probe: the longer, the more
// processes share the outage. Pure.
util::Clock::Duration FirstProbeDelay(const AvailabilityOptions& options, double unit);
// These functions are pure, for simulations of many processes. `unit` is random in [0, 1).
// Returns the time from one probe to the next while the server does not answer.
util::Clock::Duration ProbeDelay(const AvailabilityOptions& options, double unit);
// Returns the same while the server answers that it is not ready.
util::Clock::Duration StartingProbeDelay(const AvailabilityOptions& options, double unit);
// Returns the time from the successful probe until a waiting caller resumes.
util::Clock::Duration ResumeDelay(const AvailabilityOptions& options, double unit);

class ServerAvailability {
 public:
  // Sends the cheapest request and returns the HTTP status of the answer, or why there was none.
  using Probe = std::function<util::Expected<int>(const std::stop_token& stop)>;

  ServerAvailability(Probe probe, AvailabilityOptions options);

  // A request got an answer with this HTTP status.
  void OnAnswer(int http_status);
  // A request got no answer. Errors that say nothing about the server (our own stop token or
  // deadline, missing credentials, an untrusted certificate) do not begin an outage.
  void OnFailure(const util::Error& error);

  bool IsReachable() const;
  // Blocks while the server cannot be reached, and then for this caller's part of the spread.
  // False: stopped.
  bool WaitUntilReachable(const std::stop_token& stop);
  // The same without the spread, until `deadline` at most. False: stopped, or not reachable yet.
  bool WaitUntilReachable(const std::stop_token& stop, util::Clock::TimePoint deadline);

  struct Outage {
    util::Clock::TimePoint since;
    util::Error error;  // of the last attempt
  };
  // Nullopt: the server can be reached, as far as is known.
  std::optional<Outage> outage() const;
  // "unreachable for 12s: 10.0.0.1:6443: connect: connection refused"; empty when it is reachable.
  std::string Describe() const;

 private:
  // What a report changed, for the log and the metric, which are written without the lock.
  struct Change {
    enum class What { kNothing, kBegan, kEnded, kFirstAnswer } what = What::kNothing;
    Outage outage = {};
    bool was_known = false;  // the server had been reached, or missed, before
  };

  // Waits for the time of the next probe, unless the outage ends before, and sends it.
  void ProbeOnce(const std::stop_token& stop, util::Clock::TimePoint deadline);
  Change ApplyProbe(const util::Expected<int>& answer) REQUIRES(mu_);
  Change Begin(const util::Error& error) REQUIRES(mu_);
  Change End() REQUIRES(mu_);
  void Report(const Change& change) const;

  const Probe probe_;
  const AvailabilityOptions options_;
  const std::function<double()> random_;

  mutable util::Mutex mu_;
  util::CondVar changed_;
  std::optional<Outage> outage_ GUARDED_BY(mu_);
  bool known_ GUARDED_BY(mu_) = false;    // a request was answered or failed
  bool probing_ GUARDED_BY(mu_) = false;  // one of the waiting threads sends the probes
  util::Clock::TimePoint next_probe_ GUARDED_BY(mu_) = {};
  // Since when the server has answered that it is not ready.
  std::optional<util::Clock::TimePoint> starting_since_ GUARDED_BY(mu_);
};

// Whether an error means that the server could not be reached, or broke the connection before it
// answered. Pure.
bool IsUnreachable(const util::Error& error);

}  // namespace clientgo::rest
