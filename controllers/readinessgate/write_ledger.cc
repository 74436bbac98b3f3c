// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/write_ledger.h"

#include <utility>

namespace controllers::readinessgate {

using clientgo::api::Pod;
using clientgo::util::MutexLock;

bool WriteLedger::Want(const Pod& pod, PodOutput wanted) {
  MutexLock lock(mu_);
  Entry& entry = entries_[std::string(pod.key())];
  if (entry.uid != pod.uid()) entry = {.uid = std::string(pod.uid())};
  entry.wanted = std::move(wanted);
  const bool moved_on = !entry.conflict_version.empty() &&
                        IsOlderVersion(entry.conflict_version, pod.resource_version());
  // Who waits is in the queue, and takes the latest wish when its time comes.
  if (entry.not_before > clock_.Now() && !moved_on) return false;
  entry.not_before = {};
  // An event from before our own write is no reason to look again.
  return entry.wanted != entry.written ||
         !IsOlderVersion(pod.resource_version(), entry.written_version);
}

void WriteLedger::Forget(std::string_view key) {
  MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found != entries_.end()) entries_.erase(found);
}

WriteLedger::Step WriteLedger::Next(const std::string& key, std::shared_ptr<const Pod> pod) {
  MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  Entry& entry = found->second;
  if (pod == nullptr || pod->deleting() || pod->uid() != entry.uid) {
    entries_.erase(found);
    return {};
  }
  const auto now = clock_.Now();
  if (entry.not_before > now) return {.wait = entry.not_before - now};
  return Compare(entry, std::move(pod));
}

WriteLedger::Step WriteLedger::Compare(Entry& entry, std::shared_ptr<const Pod> pod) {
  Plan plan{.pod = {},
            .version = std::string(pod->resource_version()),
            .held = HeldBy(*pod, outputs_),
            .wanted = entry.wanted};
  const bool cache_is_older = IsOlderVersion(plan.version, entry.written_version);
  if (cache_is_older) {
    plan.version = entry.written_version;
    plan.held = entry.written;
  }
  if (entry.key_only) plan.wanted.status = plan.held.status;
  if (plan.held == plan.wanted) return {};
  if (!entry.written_version.empty() && plan.wanted == entry.written) {
    // We wrote it, and somebody changed it: each time they wait longer for our answer.
    const auto wait = RetryDelay(WriteError::kDenied, {}, ++entry.restored, random_());
    entry.written = {};
    entry.written_version.clear();
    entry.not_before = clock_.Now() + wait;
    return {.wait = wait, .restores = true};
  }
  const bool same_metadata =
      plan.held.ready == plan.wanted.ready && plan.held.status == plan.wanted.status;
  plan.part = same_metadata ? PatchPart::kStatus : PatchPart::kMetadata;
  plan.pod = std::move(pod);
  return {.plan = std::move(plan)};
}

WriteLedger::Entries::iterator WriteLedger::Find(const std::string& key, const Plan& plan) {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.uid == plan.pod->uid() ? found : entries_.end();
}

void WriteLedger::Wrote(const std::string& key, const Plan& plan, std::string_view version) {
  MutexLock lock(mu_);
  const auto found = Find(key, plan);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.written = plan.held;
  if (plan.part == PatchPart::kMetadata) {
    entry.written.ready = plan.wanted.ready;
    entry.written.status = plan.wanted.status;
  } else {
    entry.written.condition = plan.wanted.condition;
  }
  entry.written_version = version;
  entry.failures = 0;
  entry.logged = false;
  entry.conflict_version.clear();
}

WriteLedger::Failure WriteLedger::Failed(const std::string& key, const Plan& plan,
                                         const clientgo::util::Error& error) {
  Failure failure{.kind = Classify(error)};
  MutexLock lock(mu_);
  const auto found = Find(key, plan);
  if (found == entries_.end()) {
    failure.dropped = true;
    return failure;
  }
  Entry& entry = found->second;
  if (failure.kind == WriteError::kGone || failure.kind == WriteError::kReplaced) {
    entries_.erase(found);
    failure.dropped = true;
    return failure;
  }
  ++entry.failures;
  if (failure.kind == WriteError::kTooLong && !std::exchange(entry.key_only, true)) return failure;
  failure.wait = RetryDelay(failure.kind, error, entry.failures, random_());
  entry.not_before = clock_.Now() + failure.wait;
  entry.conflict_version = failure.kind == WriteError::kConflict ? plan.version : "";
  failure.log = failure.kind != WriteError::kConflict && !std::exchange(entry.logged, true);
  return failure;
}

}  // namespace controllers::readinessgate
