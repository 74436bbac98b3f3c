// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/referenced_secrets.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/cainjector/sources/secret_contents.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ObjectMetadata;
using clientgo::cache::SharedInformer;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

constexpr std::size_t kFailuresTold = 3;

}  // namespace

ReferencedSecrets::ReferencedSecrets(Collaborators with, std::size_t watches_max)
    : with_(std::move(with)), watches_max_(watches_max) {}

ReferencedSecrets::~ReferencedSecrets() {
  // The informers are the factory's; what they would call is not.
  for (const auto& [key, watch] : watches_) {
    if (watch.registration != nullptr) watch.informer->RemoveEventHandler(watch.registration);
  }
}

void ReferencedSecrets::Start(const ObjectKey& key) {
  VLOG(2) << Kv("Watching a Secret", "secret", key.String());
  Watch watch{.informer = &with_.informers.ForType(
                  SecretMetadataType(),
                  {.namespace_ = key.namespace_, .field_selector = "metadata.name=" + key.name})};
  const auto changed = [this](const ObjectPtr& secret) { with_.on_change(secret->key()); };
  auto registration = watch.informer->AddEventHandler(
      {.on_add = [changed](const ObjectPtr& secret, bool) { changed(secret); },
       .on_update = [changed](const ObjectPtr&, const ObjectPtr& now) { changed(now); },
       .on_delete = [changed](const ObjectPtr& last, bool) { changed(last); }});
  if (registration) watch.registration = *std::move(registration);  // else the process is stopping
  const MutexLock lock(mu_);
  watches_[key.String()] = std::move(watch);
}

std::optional<SecretCache::Known> ReferencedSecrets::FromWatch(const ObjectKey& key) {
  const std::string name = key.String();
  bool start = false;
  bool tell_limit = false;
  std::vector<Watches::iterator> used;
  {
    const MutexLock lock(mu_);
    const auto found = watches_.find(name);
    if (found != watches_.end()) {
      if (found->second.informer == nullptr) return std::nullopt;
      ++found->second.users;
      used = {found};
    } else if (watches_.size() < watches_max_) {
      beyond_limit_.erase(name);
      watches_.try_emplace(name);
      start = true;
    } else {
      beyond_limit_.insert(name);
      tell_limit = !std::exchange(told_limit_, true);
    }
  }
  if (tell_limit) {
    LOG(WARNING) << Kv("More Secrets are referenced than are watched", "limit", watches_max_,
                       "remedy",
                       "those beyond it are looked at every ten minutes; see "
                       "/readyz?verbose for how many");
  }
  if (start) Start(key);
  if (used.empty()) return std::nullopt;
  const SharedInformer& informer = *used.front()->second.informer;
  std::optional<Known> known;
  if (informer.HasSynced()) {
    known = Known{
        .secret = std::static_pointer_cast<const ObjectMetadata>(informer.store().GetByKey(name))};
  }
  Release(used);
  return known;
}

tl::expected<SecretCache::Known, Failure> ReferencedSecrets::Get(std::stop_token stop,
                                                                 const ObjectKey& key) {
  if (auto known = FromWatch(key)) return *std::move(known);
  // The watch tells of what it finds once it has its answer, so nothing is missed meanwhile.
  return LookUp(std::move(stop), *with_.live, key);
}

std::vector<ReferencedSecrets::Watches::iterator> ReferencedSecrets::Use() {
  const MutexLock lock(mu_);
  std::vector<Watches::iterator> used;
  for (auto watch = watches_.begin(); watch != watches_.end(); ++watch) {
    if (watch->second.informer == nullptr) continue;
    ++watch->second.users;
    used.push_back(watch);
  }
  return used;
}

void ReferencedSecrets::Release(const std::vector<Watches::iterator>& used) {
  const MutexLock lock(mu_);
  for (const auto& watch : used) --watch->second.users;
  released_.NotifyAll();
}

void ReferencedSecrets::End(const std::string& key) {
  SharedInformer* informer = nullptr;
  {
    const MutexLock lock(mu_);
    Watch& watch = watches_[key];
    released_.Wait(mu_, [&]() REQUIRES(mu_) { return watch.users == 0; });
    informer = std::exchange(watch, Watch{}).informer;
  }
  VLOG(2) << Kv("Nobody refers to a Secret any more, its watch ends", "secret", key);
  with_.informers.RemoveInformer(*informer);
  {
    const MutexLock lock(mu_);
    watches_.erase(key);
  }
  // Who has begun to refer to it meanwhile was told that it is watched: have them ask again.
  with_.on_change(key);
}

void ReferencedSecrets::Sweep() {
  std::vector<std::string> watched;
  std::vector<std::string> unwatched;
  {
    const MutexLock lock(mu_);
    for (const auto& [key, watch] : watches_) {
      if (watch.informer != nullptr) watched.push_back(key);
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
    with_.on_change(key);  // who asks for it again gets a watch
  }
}

std::size_t ReferencedSecrets::WatchCount() const {
  const MutexLock lock(mu_);
  return watches_.size();
}

ReferencedSecrets::Summary ReferencedSecrets::Summarize() {
  Summary summary;
  const auto used = Use();
  for (const auto& watch : used) {
    const auto& [key, state] = *watch;
    const auto error = state.informer->Status().last_error;
    if (!error) {
      ++(state.informer->HasSynced() ? summary.watched : summary.waiting);
      continue;
    }
    if (++summary.failing > kFailuresTold) continue;
    if (!summary.failures.empty()) summary.failures += "; ";
    summary.failures += key + ": " + error->message;
  }
  Release(used);
  const MutexLock lock(mu_);
  summary.beyond_limit = beyond_limit_.size();
  return summary;
}

std::string ReferencedSecrets::Note() {
  const Summary summary = Summarize();
  std::string note;
  if (summary.failing > 0) {
    note = std::to_string(summary.failing) + " of " + std::to_string(WatchCount()) +
           " Secrets cannot be watched: " + summary.failures;
    if (summary.failing > kFailuresTold) note += "; and others";
  }
  if (summary.beyond_limit > 0) {
    if (!note.empty()) note += "; ";
    note += std::to_string(summary.beyond_limit) + " Secrets are beyond the limit of " +
            std::to_string(watches_max_) + " watches and looked at every ten minutes";
  }
  return note;
}

}  // namespace controllers::cainjector
