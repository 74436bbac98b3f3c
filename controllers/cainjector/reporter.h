// SPDX-License-Identifier: Apache-2.0
// Reports the outcomes of injection to users: as Events, log lines, metrics and on /statusz.
// All classes are thread-safe. Has no upstream: cainjector writes no Events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/token_bucket.h"
#include "controllers/cainjector/endpoints/endpoint_verifier.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cainjector {

// TargetOutcome is the result of one reconciliation of a target.
struct TargetOutcome {
  std::string kind;  // of the target
  std::string name;
  Reason reason = Reason::kUnchanged;
  std::string message = {};    // why nothing was injected
  Clock::WallTime since = {};  // when the reason became this one
};

// Outcomes holds the last outcome of each target that requests a bundle, and the last changes of
// all targets. They are for users. The injector itself uses them only to report a failure once.
class Outcomes {
 public:
  static constexpr std::size_t kRecentMax = 50;

  // A failure that persists is reported again after this time, because an Event expires after an
  // hour by default.
  static constexpr std::chrono::minutes kReportAgain{45};

  // Records an outcome and returns true when it must be reported: when it differs from the last
  // one, or was last reported kReportAgain ago. The messages of two errors with one reason are not
  // compared, since they differ from retry to retry. Only the first 2048 bytes of a message are
  // kept: a list may have 32 sources with long names.
  bool Put(TargetOutcome outcome);
  void Forget(std::string_view kind, std::string_view name);

  std::vector<TargetOutcome> All() const;     // by kind and name
  std::vector<TargetOutcome> Recent() const;  // changes only, the newest first

 private:
  struct State {  // of one target, whose kind and name are the keys of the maps
    Reason reason;
    std::string message;
    Clock::WallTime since;
    Clock::WallTime reported;
  };
  using States = std::map<std::string, State, std::less<>>;  // by name

  mutable Mutex mu_;
  std::map<std::string, States, std::less<>> last_ CAPSTAN_GUARDED_BY(mu_);  // by kind
  std::deque<TargetOutcome> recent_ CAPSTAN_GUARDED_BY(mu_);
};

// TargetMetrics is the metrics of targets of all kinds. The families are bounded
// (metrics/metrics.h). In a gauge, targets beyond the bound share one series with the smallest
// value: 0 while one of them is out of sync, or the first expiry.
struct TargetMetrics {
  std::unique_ptr<metrics::Metrics::Counter> injections;     // {kind,source,result}
  std::unique_ptr<metrics::Metrics::Gauge> in_sync;          // {kind,name}
  std::unique_ptr<metrics::Metrics::Gauge> expiration;       // {kind,name}
  std::unique_ptr<metrics::Metrics::Gauge> last_expiration;  // {kind,name}
};
TargetMetrics NewTargetMetrics(metrics::Metrics& metrics);

// Reporter reports the outcomes of one kind of target: an Event on the target, a log line, and
// metrics. A persistent failure is reported once, and counted every time. Failures have at most
// kLogLinesMax log lines at once, and then one each kLogInterval: a user can change targets as fast
// as the API server accepts it. The next line counts those that were left out.
class Reporter {
 public:
  static constexpr int kLogLinesMax = 100;
  static constexpr std::chrono::milliseconds kLogInterval{100};

  // Reports on targets of `type`. The reporter passes each target that holds its bundle to
  // `verifier`, which may be null. All outlive the reporter.
  Reporter(const runtime::ResourceType& type, record::EventRecorder& events, TargetMetrics& metrics,
           Outcomes& outcomes, Clock& clock, EndpointVerifier* verifier = nullptr);

  void Injected(const runtime::Object& target, std::string_view source_kind,
                std::string_view message);
  void Unchanged(const runtime::Object& target, std::string_view source_kind);
  void Failed(const runtime::Object& target, std::string_view source_kind, const Failure& failure);
  // Reports which CAs a target holds: those of its source, and former ones.
  void Cas(const runtime::Object& target, const Certificates& source,
           const std::vector<std::string>& bundles);
  // Returns the former CAs that may leave this version of the target now.
  Certificates Retired(const runtime::Object& target) const;
  // Reports when the bundles of the target expire. CertificateTime::max(): it has no certificate.
  void Expires(std::string_view key, const BundleExpiry& expiry);
  // The target requests no injection.
  void NotRequested(std::string_view key);
  void Deleted(std::string_view key);

 private:
  void Count(std::string_view source_kind, Reason reason);
  void Event(const runtime::Object& target, Reason reason, std::string_view message);
  void SetInSync(std::string_view key, bool in_sync);
  void LogFailed(const runtime::Object& target, const Failure& failure);
  // Returns true when the outcome must be reported.
  bool Record(std::string_view key, Reason reason, std::string_view message = {});

  const runtime::ResourceType& type_;
  record::EventRecorder& events_;
  TargetMetrics& metrics_;
  Outcomes& outcomes_;
  Clock& clock_;
  EndpointVerifier* const verifier_;
  Mutex mu_;
  TokenBucket log_lines_ CAPSTAN_GUARDED_BY(mu_);
  std::uint64_t lines_left_out_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

}  // namespace capstan::cainjector
