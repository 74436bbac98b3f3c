// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/reporter.h"

#include <utility>

#include "clientgo/util/logging.h"

namespace controllers::cainjector {

using clientgo::runtime::Object;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

Reporter::Reporter(const clientgo::runtime::ResourceType& type,
                   clientgo::record::EventRecorder& events, metrics::Metrics::Counter& injections)
    : type_(type), events_(events), injections_(injections) {}

void Reporter::Injected(const Object& target, std::string_view source_kind,
                        std::string_view message) {
  Forget(target.key());
  Count(source_kind, Reason::kInjected);
  VLOG(2) << Kv("Injected", "kind", type_.kind, "object", target.key(), "message", message);
  Event(target, clientgo::record::kEventTypeNormal, Reason::kInjected, message);
}

void Reporter::Unchanged(const Object& target, std::string_view source_kind) {
  Forget(target.key());
  Count(source_kind, Reason::kUnchanged);
  VLOG(4) << Kv("Already right", "kind", type_.kind, "object", target.key());
}

void Reporter::Failed(const Object& target, std::string_view source_kind, const Failure& failure) {
  Count(source_kind, failure.reason);
  // The text of a broken connection differs from try to try, though nothing changed.
  std::string what(ToString(failure.reason));
  if (failure.reason != Reason::kError) what += ": " + failure.message;
  {
    const MutexLock lock(mu_);
    const auto [last, is_new] = told_.try_emplace(std::string(target.key()), what);
    if (!is_new && last->second == what) return;
    last->second = std::move(what);
  }
  LOG(WARNING) << Kv("Not injected", "kind", type_.kind, "object", target.key(), "reason",
                     ToString(failure.reason), "message", failure.message);
  Event(target, clientgo::record::kEventTypeWarning, failure.reason, failure.message);
}

void Reporter::Forget(std::string_view key) {
  const MutexLock lock(mu_);
  const auto found = told_.find(key);
  if (found != told_.end()) told_.erase(found);
}

void Reporter::Count(std::string_view source_kind, Reason reason) {
  injections_.Add({type_.kind, std::string(source_kind), std::string(ToString(reason))});
}

void Reporter::Event(const Object& target, std::string_view type, Reason reason,
                     std::string_view message) {
  events_.Event({.api_version = type_.gvr.ApiVersion(),
                 .kind = type_.kind,
                 .namespace_ = std::string(target.namespace_()),
                 .name = std::string(target.name()),
                 .uid = std::string(target.uid()),
                 .resource_version = std::string(target.resource_version())},
                type, ToString(reason), message);
}

}  // namespace controllers::cainjector
