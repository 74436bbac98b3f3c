// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/referenced_secrets.h"

#include <algorithm>
#include <utility>

#include "capstan/log.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cainjector {
namespace {

constexpr std::size_t kFailuresShown = 3;

// Returns an object with the name "namespace/name" and nothing else.
runtime::ObjectPtr NameOnly(std::string_view key) {
  const runtime::ObjectKey name = runtime::ObjectKey::Parse(key);
  return runtime::MakeObject<runtime::Object>(
      {.namespace_ = name.namespace_, .name = name.name, .uid = "", .resource_version = ""});
}

}  // namespace

ReferencedSecrets::ReferencedSecrets(Collaborators with, std::size_t watches_max)
    : with_(std::move(with)), watches_max_(watches_max) {}

ReferencedSecrets::~ReferencedSecrets() {
  for (const auto& [key, watch] : watches_) {
    if (watch != nullptr) watch->Stop();  // it calls this object
  }
}

void ReferencedSecrets::Start(const runtime::ObjectKey& key) {
  V(2).InfoS("Watching a Secret", "secret", key.String());
  auto watch = with_.informers.WatchObject(
      SecretMetadataType(), key,
      [this](const runtime::ObjectPtr& secret) { with_.changes.Send(*secret); });
  const MutexLock lock(mu_);
  watches_[key.String()] = std::move(watch);
}

std::optional<resolver::Resolution> ReferencedSecrets::FromWatch(const runtime::ObjectKey& key) {
  const std::string name = key.String();
  bool start = false;
  bool log_limit = false;
  WatchPtr watch;
  {
    const MutexLock lock(mu_);
    const auto found = watches_.find(name);
    if (found != watches_.end()) {
      watch = found->second;
    } else if (watches_.size() < watches_max_) {
      beyond_limit_.erase(name);
      watches_.try_emplace(name);
      start = true;
    } else {
      beyond_limit_.insert(name);
      log_limit = !std::exchange(logged_limit_, true);
    }
  }
  if (log_limit) {
    WarningS("More Secrets are referenced than are watched", "limit", watches_max_, "effect",
             "targets of the others are reconciled every ten minutes; "
             "/readyz?verbose shows how many");
  }
  if (start) Start(key);
  if (watch == nullptr || !watch->HasSynced()) return std::nullopt;
  if (auto secret = watch->Get()) return resolver::Resolution{.object = std::move(secret)};
  return resolver::Resolution{
      .object = Err(ErrorReason::kNotFound, "Secret " + name + " does not exist")};
}

resolver::Resolution ReferencedSecrets::Get(std::stop_token stop, const runtime::ObjectKey& key) {
  if (auto found = FromWatch(key)) return *std::move(found);
  // No change is missed: the watch sends an event for the Secret when it has synced.
  return with_.live->Get(std::move(stop), key);
}

void ReferencedSecrets::End(const std::string& key) {
  WatchPtr watch;
  {
    const MutexLock lock(mu_);
    watch = std::move(watches_[key]);
    watches_.erase(key);
  }
  V(2).InfoS("Ended the watch of a Secret that nothing refers to", "secret", key);
  watch->Stop();
  // A target that has begun to refer to it relies on the watch, so it must read it again.
  with_.changes.Send(*NameOnly(key));
}

void ReferencedSecrets::Sweep() {
  std::vector<std::string> watched;
  std::vector<std::string> unwatched;
  {
    const MutexLock lock(mu_);
    for (const auto& [key, watch] : watches_) {
      if (watch != nullptr) watched.push_back(key);
    }
    unwatched.assign(beyond_limit_.begin(), beyond_limit_.end());
  }
  for (const std::string& key : watched) {
    if (!with_.is_referenced(key)) End(key);
  }
  for (const std::string& key : unwatched) {
    const bool referenced = with_.is_referenced(key);
    if (referenced && WatchCount() >= watches_max_) continue;
    {
      const MutexLock lock(mu_);
      beyond_limit_.erase(key);
    }
    with_.changes.Send(*NameOnly(key));  // the next read starts a watch
  }
}

std::size_t ReferencedSecrets::WatchCount() const {
  const MutexLock lock(mu_);
  return watches_.size();
}

ReferencedSecrets::Summary ReferencedSecrets::Summarize() {
  Summary summary;
  std::vector<std::pair<std::string, WatchPtr>> watches;
  {
    const MutexLock lock(mu_);
    for (const auto& [key, watch] : watches_) {
      if (watch != nullptr) watches.emplace_back(key, watch);
    }
    summary.beyond_limit = beyond_limit_.size();
  }
  for (const auto& [key, watch] : watches) {
    const auto error = watch->Status().last_error;
    if (!error) {
      ++(watch->HasSynced() ? summary.watched : summary.waiting);
      continue;
    }
    if (++summary.failing > kFailuresShown) continue;
    if (!summary.failures.empty()) summary.failures += "; ";
    summary.failures += key + ": " + error->message;
  }
  return summary;
}

std::string ReferencedSecrets::Note() {
  const Summary summary = Summarize();
  std::string note;
  if (summary.failing > 0) {
    note = std::to_string(summary.failing) + " of " + std::to_string(WatchCount()) +
           " Secrets cannot be watched: " + summary.failures;
    if (summary.failing > kFailuresShown) note += "; and others";
  }
  if (summary.beyond_limit > 0) {
    if (!note.empty()) note += "; ";
    note += std::to_string(summary.beyond_limit) + " Secrets are beyond the limit of " +
            std::to_string(watches_max_) +
            " watches, and their targets are reconciled every ten minutes";
  }
  return note;
}

}  // namespace capstan::cainjector
