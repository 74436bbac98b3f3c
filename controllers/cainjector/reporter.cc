// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/reporter.h"

#include "clientgo/util/logging.h"

namespace controllers::cainjector {

using clientgo::runtime::Object;
using clientgo::util::Kv;

Reporter::Reporter(const clientgo::runtime::ResourceType& type,
                   clientgo::record::EventRecorder& events, TargetMetrics& metrics,
                   Outcomes& outcomes, clientgo::util::Clock& clock)
    : type_(type), events_(events), metrics_(metrics), outcomes_(outcomes), clock_(clock) {}

void Reporter::Injected(const Object& target, std::string_view source_kind,
                        std::string_view message) {
  Note(target.key(), Reason::kInjected);
  Count(source_kind, Reason::kInjected);
  InSync(target.key(), true);
  VLOG(2) << Kv("Injected", "kind", type_.kind, "object", target.key(), "message", message);
  Event(target, Reason::kInjected, message);
}

void Reporter::Unchanged(const Object& target, std::string_view source_kind) {
  Note(target.key(), Reason::kUnchanged);
  Count(source_kind, Reason::kUnchanged);
  InSync(target.key(), true);
  VLOG(4) << Kv("Already right", "kind", type_.kind, "object", target.key());
}

void Reporter::Failed(const Object& target, std::string_view source_kind, const Failure& failure) {
  Count(source_kind, failure.reason);
  if (IsNormal(failure.reason) || IsExcluded(failure.reason)) {
    metrics_.in_sync->Remove({type_.kind, std::string(target.key())});
  } else {
    InSync(target.key(), false);
  }
  if (!Note(target.key(), failure.reason, failure.message)) return;
  const auto line = Kv("Not injected", "kind", type_.kind, "object", target.key(), "reason",
                       ToString(failure.reason), "message", failure.message);
  if (IsNormal(failure.reason)) {
    VLOG(2) << line;
  } else {
    LOG(WARNING) << line;
  }
  Event(target, failure.reason, failure.message);
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

void Reporter::NotAsked(std::string_view key) {
  outcomes_.Forget(type_.kind, key);
  metrics_.in_sync->Remove({type_.kind, std::string(key)});
}

void Reporter::Gone(std::string_view key) {
  NotAsked(key);
  Expires(key, {});
}

bool Reporter::Note(std::string_view key, Reason reason, std::string_view message) {
  return outcomes_.Put({.kind = type_.kind,
                        .name = std::string(key),
                        .reason = reason,
                        .message = std::string(message),
                        .since = clock_.WallNow()});
}

void Reporter::Count(std::string_view source_kind, Reason reason) {
  metrics_.injections->Add({type_.kind, std::string(source_kind), std::string(ToString(reason))});
}

void Reporter::InSync(std::string_view key, bool in_sync) {
  metrics_.in_sync->Set({type_.kind, std::string(key)}, in_sync ? 1 : 0);
}

void Reporter::Event(const Object& target, Reason reason, std::string_view message) {
  const std::string_view type =
      IsNormal(reason) ? clientgo::record::kEventTypeNormal : clientgo::record::kEventTypeWarning;
  events_.Event({.api_version = type_.gvr.ApiVersion(),
                 .kind = type_.kind,
                 .namespace_ = std::string(target.namespace_()),
                 .name = std::string(target.name()),
                 .uid = std::string(target.uid()),
                 .resource_version = std::string(target.resource_version())},
                type, ToString(reason), message);
}

}  // namespace controllers::cainjector
