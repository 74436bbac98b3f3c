// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_verifier.h"

#include <glog/logging.h>

#include <algorithm>
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

std::string ItemOf(const clientgo::runtime::ResourceType& type, std::string_view key) {
  return type.gvr.resource + "/" + std::string(key);
}

// Returns the first server that is not verified, or else the first one; nullptr without a server.
const EndpointResult* WorstOf(const std::vector<EndpointResult>& results) {
  const auto bad = std::find_if(results.begin(), results.end(), [](const EndpointResult& result) {
    return result.verdict.outcome != EndpointOutcome::kVerified;
  });
  if (bad != results.end()) return &*bad;
  return results.empty() ? nullptr : &results.front();
}

EndpointOutcome OutcomeOf(const std::vector<EndpointResult>& results) {
  const EndpointResult* worst = WorstOf(results);
  return worst == nullptr ? EndpointOutcome::kVerified : worst->verdict.outcome;
}

std::string MessageOf(const EndpointResult& result) {
  std::string message = "The server " + result.server + " of " +
                        (result.place == "spec" ? "this object" : "the " + result.place);
  if (!result.address.empty() && result.address != result.server) {
    message += ", at " + result.address + ",";
  }
  return result.verdict.outcome == EndpointOutcome::kVerified
             ? message + " is trusted with the injected CA bundle"
             : message + " is not verified: " + result.verdict.message;
}

}  // namespace

EndpointVerifier::EndpointVerifier(const Collaborators& with, std::chrono::nanoseconds period,
                                   Check check)
    : with_(with),
      period_(period),
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
      queue_({.clock = with.clock}) {}

void EndpointVerifier::Observe(const clientgo::runtime::ResourceType& type,
                               const clientgo::runtime::Object& target, bool written) {
  const std::string item = ItemOf(type, target.key());
  {
    const MutexLock lock(mu_);
    const auto [found, added] = states_.try_emplace(item);
    found->second.reference = {.api_version = type.gvr.ApiVersion(),
                               .kind = type.kind,
                               .namespace_ = std::string(target.namespace_()),
                               .name = std::string(target.name()),
                               .uid = target.uid(),
                               .resource_version = target.resource_version()};
    if (!added && !written) return;
  }
  // After a start all targets are new.
  queue_.AddAfter(item, written ? kVerifyAfterWrite : Jittered(0, 0.1));
}

void EndpointVerifier::Forget(const clientgo::runtime::ResourceType& type, std::string_view key) {
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
  const std::size_t slash = item.find('/');
  const auto results = check_(stop, item.substr(0, slash), item.substr(slash + 1));
  if (stop.stop_requested()) return;
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
    before = std::exchange(found->second.outcome, OutcomeOf(*results));
    state = found->second;
    SetGauges(state);
  }
  Report(state, before);
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
  if (first) expiration_->Set(labels, static_cast<double>(first->time_since_epoch().count()));
}

void EndpointVerifier::Report(const State& state, EndpointOutcome before) {
  const EndpointResult* worst = WorstOf(state.results);
  if (worst == nullptr || state.outcome == before) return;
  const bool good = state.outcome == EndpointOutcome::kVerified;
  const std::string message = MessageOf(*worst);
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
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period_ * factor(random));
}

}  // namespace capstan::controllers::cainjector
