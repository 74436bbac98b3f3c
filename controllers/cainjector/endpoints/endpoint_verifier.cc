// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_verifier.h"

#include <glog/logging.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <thread>
#include <utility>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/thread.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

clientgo::record::ObjectReference ReferenceTo(const clientgo::runtime::ResourceType& type,
                                              const clientgo::runtime::Object& target) {
  return {.api_version = type.gvr.ApiVersion(),
          .kind = type.kind,
          .namespace_ = std::string(target.namespace_()),
          .name = std::string(target.name()),
          .uid = target.uid(),
          .resource_version = target.resource_version()};
}

std::string ItemOf(const clientgo::runtime::ResourceType& type, std::string_view key) {
  return type.gvr.resource + "/" + std::string(key);
}

// Returns the first server that is not verified, or else the first one; nullptr without a server.
// A server about which nothing is known does not hide a bad one.
const EndpointResult* WorstOf(const std::vector<EndpointResult>& results) {
  const EndpointResult* worst = nullptr;
  const auto rank = [](const EndpointResult& result) {
    if (result.verdict.outcome == EndpointOutcome::kVerified) return 0;
    return result.verdict.outcome == EndpointOutcome::kUnknown ? 1 : 2;
  };
  for (const EndpointResult& result : results) {
    if (worst == nullptr || rank(result) > rank(*worst)) worst = &result;
  }
  return worst;
}

EndpointOutcome OutcomeOf(const std::vector<EndpointResult>& results) {
  const EndpointResult* worst = WorstOf(results);
  return worst == nullptr ? EndpointOutcome::kVerified : worst->verdict.outcome;
}

// Returns the reason of the Event; empty for what is not reported.
std::string_view ReasonOf(RotationEvent event) {
  switch (event) {
    case RotationEvent::kPublished:
      return "CAPublished";
    case RotationEvent::kVerified:
      return "CAVerified";
    case RotationEvent::kStillNeeded:
      return "CAStillNeeded";
    case RotationEvent::kRetired:
      return "CARetired";
    case RotationEvent::kNone:
    case RotationEvent::kDue:
      break;
  }
  return {};
}

std::string MessageOf(const EndpointResult& result) {
  std::string message = "the server " + result.server + " of " +
                        (result.place == "spec" ? "this object" : "the " + result.place);
  if (!result.address.empty() && result.address != result.server) {
    message += ", at " + result.address + ",";
  }
  return result.verdict.outcome == EndpointOutcome::kVerified
             ? message + " is trusted with the injected CA bundle"
             : message + " is not verified: " + result.verdict.message;
}

std::string Capitalized(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

EndpointVerifier::EndpointVerifier(const Collaborators& with, const Options& options, Check check)
    : with_(with),
      options_(options),
      check_(std::move(check)),
      verified_(with.metrics.NewGauge(
          "capstan_endpoint_verified",
          "1 when every server of the target is trusted with the target's CA bundle, 0 when not.",
          {"kind", "name"}, metrics::Overflow::kMin)),
      expiration_(with.metrics.NewGauge(
          "capstan_endpoint_certificate_expiration_timestamp_seconds",
          "When the first certificate that a server of the target presents expires.",
          {"kind", "name"}, metrics::Overflow::kMin)),
      outcomes_(with.metrics.NewCounter(
          "capstan_endpoint_verifications_total",
          "Verifications of servers by outcome (Verified, or the reason of a failure).",
          {"outcome"})),
      queue_({.clock = with.clock}),
      rotations_(options.retire_after) {}

void EndpointVerifier::Observe(const clientgo::runtime::ResourceType& type,
                               const clientgo::runtime::Object& target, bool written) {
  const std::string item = ItemOf(type, target.key());
  {
    const MutexLock lock(mu_);
    const auto [found, added] = states_.try_emplace(item);
    found->second.reference = ReferenceTo(type, target);
    if (!added && !written) return;
  }
  // After a start all targets are new.
  queue_.AddAfter(item, written ? kVerifyAfterWrite : Jittered(0, 0.1));
}

void EndpointVerifier::ObserveCas(const clientgo::runtime::ResourceType& type,
                                  const clientgo::runtime::Object& target,
                                  const Certificates& source, Certificates former) {
  const std::size_t count = former.size();
  const auto event = rotations_.Put(type.gvr.resource, target.key(), source, std::move(former));
  const std::string former_cas =
      std::to_string(count) + (count == 1 ? " former CA" : " former CAs");
  ReportRotation(ReferenceTo(type, target), event,
                 event == RotationEvent::kRetired
                     ? "Removed the former CA: every server is trusted without it"
                     : "The CA of the source is published beside " + former_cas);
}

Certificates EndpointVerifier::Retired(const clientgo::runtime::ResourceType& type,
                                       std::string_view key) const {
  return rotations_.Retired(type.gvr.resource, key);
}

void EndpointVerifier::Forget(const clientgo::runtime::ResourceType& type, std::string_view key) {
  rotations_.Forget(type.gvr.resource, key);
  const MutexLock lock(mu_);
  if (states_.erase(ItemOf(type, key)) == 0) return;
  const std::vector<std::string> labels = {type.kind, std::string(key)};
  verified_->Remove(labels);
  expiration_->Remove(labels);
}

Expected<void> EndpointVerifier::Start(std::stop_token stop) {
  std::vector<std::jthread> workers;
  for (int i = 1; i < kVerifyWorkers; ++i) {
    workers.push_back(clientgo::util::StartThread(
        std::to_string(i) + "/endpoints", [this, stop](const std::stop_token&) { Work(stop); }));
  }
  Work(stop);
  return {};
}

void EndpointVerifier::Work(const std::stop_token& stop) {
  while (const auto item = queue_.GetWithPriority(stop)) {
    Verify(stop, item->item);
    queue_.Done(item->item);
  }
}

void EndpointVerifier::Verify(const std::stop_token& stop, const std::string& item) {
  {
    const MutexLock lock(mu_);
    if (!states_.contains(item)) return;  // forgotten
  }
  const std::size_t slash = item.find('/');
  const std::string resource = item.substr(0, slash);
  const std::string key = item.substr(slash + 1);
  const auto results = check_(stop, resource, key, nullptr);
  if (stop.stop_requested()) return;
  // Nothing is known without the right to read the target or a Service.
  if (!results || OutcomeOf(*results) == EndpointOutcome::kUnknown) {
    rotations_.Interrupted(resource, key);
  }
  queue_.AddAfter(item, Jittered(0.9, 1.1));
  if (!results) {
    LOG(WARNING) << Kv("Failed to read a target, its servers are not verified", "target", item,
                       "error", results.error().message);
    return;
  }
  for (const EndpointResult& result : *results) {
    outcomes_->Add({std::string(ToString(result.verdict.outcome))}, 1);
  }
  State state;
  EndpointOutcome before = EndpointOutcome::kVerified;
  {
    const MutexLock lock(mu_);
    const auto found = states_.find(item);
    if (found == states_.end()) return;  // forgotten meanwhile
    found->second.results = *results;
    // Without the right to read a Service nothing is known about its servers.
    if (OutcomeOf(*results) == EndpointOutcome::kUnknown) return;
    before = std::exchange(found->second.outcome, OutcomeOf(*results));
    const auto now = with_.clock.Now();
    // An Event expires after an hour by default.
    const bool again = found->second.outcome != EndpointOutcome::kVerified &&
                       now - found->second.reported >= kReportBadServerAgain;
    if (again) before = EndpointOutcome::kVerified;
    if (found->second.outcome != before) found->second.reported = now;
    state = found->second;
    SetGauges(state);
  }
  Report(state, before);
  TryWithoutFormer(stop, item, state);
}

void EndpointVerifier::TryWithoutFormer(const std::stop_token& stop, const std::string& item,
                                        const State& state) {
  const std::size_t slash = item.find('/');
  const std::string resource = item.substr(0, slash);
  const std::string key = item.substr(slash + 1);
  const auto trial = rotations_.Trial(resource, key);
  if (!trial) return;
  const auto results = check_(stop, resource, key, &*trial);
  if (stop.stop_requested()) return;
  if (!results || results->empty()) return rotations_.Interrupted(resource, key);
  const EndpointResult& worst = *WorstOf(*results);
  const bool verified = worst.verdict.outcome == EndpointOutcome::kVerified;
  const auto event = rotations_.Tried(resource, key, *trial, verified, with_.clock.WallNow());
  ReportRotation(state.reference, event,
                 verified ? "Every server is trusted with the CA of the source alone"
                          : "A former CA is still needed: with the CA of the source alone, " +
                                MessageOf(worst));
  if (event == RotationEvent::kDue && reconcile_) reconcile_(resource, key);
}

void EndpointVerifier::ReportRotation(const clientgo::record::ObjectReference& target,
                                      RotationEvent event, const std::string& message) {
  const std::string_view reason = ReasonOf(event);
  if (reason.empty()) return;
  const bool warning = event == RotationEvent::kStillNeeded;
  LOG(INFO) << Kv("Rotation of a CA", "kind", target.kind, "object", target.name, "reason", reason,
                  "message", message);
  with_.events.Event(
      target, warning ? clientgo::record::kEventTypeWarning : clientgo::record::kEventTypeNormal,
      reason, message);
}

void EndpointVerifier::SetGauges(const State& state) {
  const auto& reference = state.reference;
  const std::vector<std::string> labels = {reference.kind, reference.name};
  if (state.results.empty()) {
    verified_->Remove(labels);
    expiration_->Remove(labels);
    return;
  }
  verified_->Set(labels, state.outcome == EndpointOutcome::kVerified ? 1 : 0);
  std::optional<CertificateTime> first;
  for (const EndpointResult& result : state.results) {
    const auto& expires = result.verdict.expires;
    if (expires && (!first || *expires < *first)) first = expires;
  }
  if (first) {
    expiration_->Set(labels, static_cast<double>(first->time_since_epoch().count()));
  } else {
    expiration_->Remove(labels);
  }
}

void EndpointVerifier::Report(const State& state, EndpointOutcome before) {
  const EndpointResult* worst = WorstOf(state.results);
  if (worst == nullptr || state.outcome == before) return;
  const bool good = state.outcome == EndpointOutcome::kVerified;
  const std::string message = Capitalized(MessageOf(*worst));
  const auto line = Kv(good ? "Verified a server again" : "A server is not verified", "kind",
                       state.reference.kind, "object", state.reference.name, "outcome",
                       ToString(state.outcome), "message", message);
  if (good) {
    VLOG(2) << line;
  } else {
    LOG(WARNING) << line;
  }
  with_.events.Event(
      state.reference,
      good ? clientgo::record::kEventTypeNormal : clientgo::record::kEventTypeWarning,
      "Endpoint" + std::string(ToString(state.outcome)), message);
}

std::vector<EndpointVerifier::Status> EndpointVerifier::All() const {
  const MutexLock lock(mu_);
  std::vector<Status> all;
  for (const auto& [item, state] : states_) {
    for (const EndpointResult& result : state.results) {
      all.push_back({state.reference.kind, state.reference.name, result});
    }
  }
  return all;
}

std::chrono::nanoseconds EndpointVerifier::Jittered(double least, double most) const {
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_real_distribution<double> factor(least, most);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(options_.period * factor(random));
}

}  // namespace capstan::controllers::cainjector
