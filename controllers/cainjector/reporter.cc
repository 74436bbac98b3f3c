// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/reporter.h"

#include <utility>

#include "capstan/log.h"
#include "capstan/runtime/decoder.h"

namespace capstan::cainjector {

namespace {

template <class State>
bool IsRepeated(const State& last, const TargetOutcome& now) {
  return last.reason == now.reason && now.reason != Reason::kInjected &&
         (now.reason == Reason::kError || last.message == now.message);
}

}  // namespace

bool Outcomes::Put(TargetOutcome outcome) {
  const auto outcome_time = outcome.since;
  outcome.message = std::string(runtime::Excerpt(outcome.message));
  const MutexLock lock(mu_);
  States& states = last_[outcome.kind];
  State now{outcome.reason, outcome.message, outcome.since, outcome.since};
  auto [found, is_first] = states.try_emplace(outcome.name, now);
  if (!is_first) {
    State& last = found->second;
    if (IsInSync(last.reason) && outcome.reason == Reason::kUnchanged) return false;
    const bool same = IsRepeated(last, outcome);
    if (last.reason == outcome.reason && !IsInSync(last.reason)) {
      now.since = outcome.since = last.since;
      if (same) now.reported = last.reported;
    }
    const bool report_again = same && last.reported + kReportAgain <= outcome_time;
    if (report_again) now.reported = outcome_time;
    last = std::move(now);
    if (same) return report_again;
  }
  recent_.push_front(std::move(outcome));
  if (recent_.size() > kRecentMax) recent_.pop_back();
  return true;
}

void Outcomes::Forget(std::string_view kind, std::string_view name) {
  const MutexLock lock(mu_);
  last_[std::string(kind)].erase(std::string(name));
}

std::vector<TargetOutcome> Outcomes::All() const {
  const MutexLock lock(mu_);
  std::vector<TargetOutcome> all;
  for (const auto& [kind, states] : last_) {
    for (const auto& [name, state] : states) {
      all.push_back({kind, name, state.reason, state.message, state.since});
    }
  }
  return all;
}

std::vector<TargetOutcome> Outcomes::Recent() const {
  const MutexLock lock(mu_);
  return {recent_.begin(), recent_.end()};
}

TargetMetrics NewTargetMetrics(metrics::Metrics& metrics) {
  return {
      .injections = metrics.NewCounter(
          "capstan_injection_total",
          "Reconciliations of targets by kind, source and result (Injected, Unchanged, or the "
          "reason of a failure).",
          {"kind", "source", "result"}),
      .in_sync = metrics.NewGauge("capstan_injectable_in_sync",
                                  "1 when the target holds the CA bundle of its source, 0 when "
                                  "not.",
                                  {"kind", "name"}, metrics::Overflow::kMin),
      .expiration = metrics.NewGauge(
          "capstan_cabundle_expiration_timestamp_seconds",
          "When the first certificate in the target's CA bundles expires, also of targets that "
          "request no injection.",
          {"kind", "name"}, metrics::Overflow::kMin),
      .last_expiration = metrics.NewGauge(
          "capstan_cabundle_last_expiration_timestamp_seconds",
          "When the last certificate in one of the target's CA bundles expires: nothing verifies "
          "with that bundle from then on.",
          {"kind", "name"}, metrics::Overflow::kMin)};
}

Reporter::Reporter(const runtime::ResourceType& type, record::EventRecorder& events,
                   TargetMetrics& metrics, Outcomes& outcomes, Clock& clock,
                   EndpointVerifier* verifier)
    : type_(type),
      events_(events),
      metrics_(metrics),
      outcomes_(outcomes),
      clock_(clock),
      verifier_(verifier),
      log_lines_(kLogInterval, kLogLinesMax, clock.Now()) {}

void Reporter::Injected(const runtime::Object& target, std::string_view source_kind,
                        std::string_view message) {
  Record(target.key(), Reason::kInjected);
  Count(source_kind, Reason::kInjected);
  SetInSync(target.key(), true);
  if (verifier_ != nullptr) verifier_->Observe(type_, target, /*written=*/true);
  V(2).InfoS("Injected", "kind", type_.kind, "object", target.key(), "message", message);
  Event(target, Reason::kInjected, message);
}

void Reporter::Unchanged(const runtime::Object& target, std::string_view source_kind) {
  Record(target.key(), Reason::kUnchanged);
  Count(source_kind, Reason::kUnchanged);
  SetInSync(target.key(), true);
  if (verifier_ != nullptr) verifier_->Observe(type_, target, /*written=*/false);
  V(4).InfoS("Already in sync", "kind", type_.kind, "object", target.key());
}

void Reporter::Failed(const runtime::Object& target, std::string_view source_kind,
                      const Failure& failure) {
  Count(source_kind, failure.reason);
  if (verifier_ != nullptr) verifier_->ObserveFailed(type_, target);
  if (IsNormal(failure.reason) || IsExcluded(failure.reason)) {
    metrics_.in_sync->Remove({type_.kind, std::string(target.key())});
  } else {
    SetInSync(target.key(), false);
  }
  if (!Record(target.key(), failure.reason, failure.message)) return;
  LogFailed(target, failure);
  Event(target, failure.reason, failure.message);
}

void Reporter::LogFailed(const runtime::Object& target, const Failure& failure) {
  const bool partly = failure.reason == Reason::kSourcesIncomplete;
  const char* const what = partly ? "Injected in part" : "Not injected";
  if (IsNormal(failure.reason)) {
    V(2).InfoS(what, "kind", type_.kind, "object", target.key(), "reason", ToString(failure.reason),
               "message", failure.message);
    return;
  }
  std::uint64_t left_out = 0;
  {
    const MutexLock lock(mu_);
    if (!log_lines_.Reserve(clock_.Now(), Clock::Duration::zero())) {
      ++lines_left_out_;
      return;
    }
    left_out = std::exchange(lines_left_out_, 0);
  }
  if (left_out > 0) {
    WarningS("More targets failed than are logged", "kind", type_.kind, "lines", left_out);
  }
  WarningS(what, "kind", type_.kind, "object", target.key(), "reason", ToString(failure.reason),
           "message", failure.message);
}

void Reporter::Cas(const runtime::Object& target, const Certificates& source,
                   const std::vector<std::string>& bundles) {
  if (verifier_ == nullptr || source.empty()) return;
  Certificates former;
  for (const std::string& bundle : bundles) {
    const Certificates held = TrustedCertificates(bundle);
    for (Certificate& certificate : Difference(Difference(held, source), former)) {
      former.push_back(std::move(certificate));
    }
  }
  verifier_->ObserveCas(type_, target, source, std::move(former));
}

Certificates Reporter::Retired(const runtime::Object& target) const {
  return verifier_ == nullptr ? Certificates() : verifier_->Retired(type_, target);
}

void Reporter::Expires(std::string_view key, const BundleExpiry& expiry) {
  const std::vector<std::string> labels = {type_.kind, std::string(key)};
  if (expiry.first == CertificateTime::max()) {
    metrics_.expiration->Remove(labels);
    metrics_.last_expiration->Remove(labels);
    return;
  }
  metrics_.expiration->Set(labels, static_cast<double>(expiry.first.time_since_epoch().count()));
  metrics_.last_expiration->Set(labels,
                                static_cast<double>(expiry.last.time_since_epoch().count()));
}

void Reporter::NotRequested(std::string_view key) {
  outcomes_.Forget(type_.kind, key);
  if (verifier_ != nullptr) verifier_->Forget(type_, key);
  metrics_.in_sync->Remove({type_.kind, std::string(key)});
}

void Reporter::Deleted(std::string_view key) {
  NotRequested(key);
  Expires(key, {});
}

bool Reporter::Record(std::string_view key, Reason reason, std::string_view message) {
  return outcomes_.Put({.kind = type_.kind,
                        .name = std::string(key),
                        .reason = reason,
                        .message = std::string(message),
                        .since = clock_.WallNow()});
}

void Reporter::Count(std::string_view source_kind, Reason reason) {
  metrics_.injections->Add({type_.kind, std::string(source_kind), std::string(ToString(reason))});
}

void Reporter::SetInSync(std::string_view key, bool in_sync) {
  metrics_.in_sync->Set({type_.kind, std::string(key)}, in_sync ? 1 : 0);
}

void Reporter::Event(const runtime::Object& target, Reason reason, std::string_view message) {
  const std::string_view type =
      IsNormal(reason) ? record::kEventTypeNormal : record::kEventTypeWarning;
  events_.Event({.api_version = type_.gvr.ApiVersion(),
                 .kind = type_.kind,
                 .namespace_ = std::string(target.namespace_()),
                 .name = std::string(target.name()),
                 .uid = target.uid(),
                 .resource_version = target.resource_version()},
                type, ToString(reason), message);
}

}  // namespace capstan::cainjector
