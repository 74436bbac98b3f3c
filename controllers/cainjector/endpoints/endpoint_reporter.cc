// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_reporter.h"

#include <cctype>
#include <utility>

#include "capstan/log.h"

namespace capstan::cainjector {
namespace {

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

// Returns the reason and the message of the Event of a step, empty for what is not reported.
std::pair<std::string_view, std::string> TextOf(RotationEvent event, std::size_t former_cas) {
  switch (event) {
    case RotationEvent::kPublished:
      return {"CAPublished", "The CA of the source is published beside " +
                                 std::to_string(former_cas) +
                                 (former_cas == 1 ? " former CA" : " former CAs")};
    case RotationEvent::kVerified:
      return {"CAVerified", "Every server is trusted with the CA of the source alone"};
    case RotationEvent::kVerifiedInPart:
      return {"CAVerified",
              "Every known server is trusted with the CA of the source alone. The former CA stays "
              "until it expires, because a host name may stand for more servers"};
    case RotationEvent::kRetired:
      return {"CARetired", "Removed the former CA: every server is trusted without it"};
    case RotationEvent::kNone:
    case RotationEvent::kStillNeeded:
    case RotationEvent::kDue:
      break;
  }
  return {};
}

}  // namespace

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

EndpointReporter::EndpointReporter(const Collaborators& with)
    : with_(with),
      verified_(with.metrics.NewGauge(
          "capstan_endpoint_verified",
          "1 when every server of the target is trusted with the target's CA bundle, 0 when not.",
          {"kind", "name"}, metrics::Overflow::kMin)),
      expiration_(with.metrics.NewGauge(
          "capstan_endpoint_certificate_expiration_timestamp_seconds",
          "When the first certificate that a server of the target presents expires.",
          {"kind", "name"}, metrics::Overflow::kMin)),
      needed_(with.metrics.NewGauge(
          "capstan_endpoint_needed_ca_expiration_timestamp_seconds",
          "When the former CA expires that a server of the target still needs.", {"kind", "name"},
          metrics::Overflow::kMin)),
      outcomes_(with.metrics.NewCounter(
          "capstan_endpoint_verifications_total",
          "Verifications of servers by outcome (Verified, or the reason of a failure).",
          {"outcome"})) {}

void EndpointReporter::Count(EndpointOutcome outcome) {
  outcomes_->Add({std::string(ToString(outcome))}, 1);
}

std::optional<EndpointResult> EndpointReporter::Put(const api::ObjectReference& target,
                                                    std::vector<EndpointResult> results) {
  const Key key{target.kind, target.name};
  const MutexLock lock(mu_);
  State& state = states_[key];
  state.results = std::move(results);
  const EndpointResult* worst = WorstOf(state.results);
  const auto outcome = worst == nullptr ? EndpointOutcome::kVerified : worst->verdict.outcome;
  // Without the right to read a Service nothing is known about its servers.
  if (outcome == EndpointOutcome::kUnknown) return std::nullopt;
  const auto now = with_.clock.Now();
  const bool again = outcome != EndpointOutcome::kVerified && now - state.reported >= kReportAgain;
  const bool is_news = worst != nullptr && (outcome != state.outcome || again);
  if (is_news) state.reported = now;
  state.outcome = outcome;
  SetGauges(key, state);
  return is_news ? std::optional(*worst) : std::nullopt;
}

void EndpointReporter::Forget(const std::string& kind, const std::string& name) {
  const MutexLock lock(mu_);
  states_.erase({kind, name});
  verified_->Remove({kind, name});
  expiration_->Remove({kind, name});
  needed_->Remove({kind, name});
}

void EndpointReporter::SetGauges(const Key& key, const State& state) {
  const std::vector<std::string> labels = {key.first, key.second};
  std::optional<CertificateTime> first;
  for (const EndpointResult& result : state.results) {
    const auto& expires = result.verdict.expires;
    if (expires && (!first || *expires < *first)) first = expires;
  }
  if (state.results.empty()) {
    verified_->Remove(labels);
  } else {
    verified_->Set(labels, state.outcome == EndpointOutcome::kVerified ? 1 : 0);
  }
  if (first) {
    expiration_->Set(labels, static_cast<double>(first->time_since_epoch().count()));
  } else {
    expiration_->Remove(labels);
  }
}

void EndpointReporter::Report(const api::ObjectReference& target, const EndpointResult& worst) {
  const EndpointOutcome outcome = worst.verdict.outcome;
  const bool good = outcome == EndpointOutcome::kVerified;
  const std::string message = Capitalized(MessageOf(worst));
  if (good) {
    V(2).InfoS("Verified a server again", "kind", target.kind, "object", target.name, "outcome",
               ToString(outcome), "message", message);
  } else {
    WarningS("A server is not verified", "kind", target.kind, "object", target.name, "outcome",
             ToString(outcome), "message", message);
  }
  with_.events.Event(target, good ? record::kEventTypeNormal : record::kEventTypeWarning,
                     "Endpoint" + std::string(ToString(outcome)), message);
}

void EndpointReporter::Rotation(const api::ObjectReference& target, RotationEvent event,
                                std::size_t former_cas) {
  const auto [reason, message] = TextOf(event, former_cas);
  if (!reason.empty()) WriteStep(target, /*warning=*/false, reason, message);
}

void EndpointReporter::Needed(const api::ObjectReference& target, const NeededCa* needed,
                              RotationEvent event) {
  if (needed == nullptr) return needed_->Remove({target.kind, target.name});
  needed_->Set({target.kind, target.name},
               static_cast<double>(needed->expires.time_since_epoch().count()));
  if (event != RotationEvent::kStillNeeded) return;
  WriteStep(target, /*warning=*/true, "CAStillNeeded",
            "A former CA is still needed, which expires at " + ExpiryText(needed->expires) +
                ": with the CA of the source alone, " + MessageOf(needed->result));
}

void EndpointReporter::WriteStep(const api::ObjectReference& target, bool warning,
                                 std::string_view reason, const std::string& message) {
  InfoS("Rotation of a CA", "kind", target.kind, "object", target.name, "reason", reason, "message",
        message);
  with_.events.Event(target, warning ? record::kEventTypeWarning : record::kEventTypeNormal, reason,
                     message);
}

std::vector<EndpointReporter::Status> EndpointReporter::All() const {
  const MutexLock lock(mu_);
  std::vector<Status> all;
  for (const auto& [key, state] : states_) {
    for (const EndpointResult& result : state.results) {
      all.push_back({.kind = key.first, .name = key.second, .result = result});
    }
  }
  return all;
}

}  // namespace capstan::cainjector
