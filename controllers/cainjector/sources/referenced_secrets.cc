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
  const MutexLock lock(mu_);
  for (const auto& [key, watch] : watches_) {
    if (watch.registration != nullptr) watch.informer->RemoveEventHandler(watch.registration);
  }
}

ReferencedSecrets::Watch ReferencedSecrets::Start(const ObjectKey& key) const {
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
  return watch;
}

const SharedInformer* ReferencedSecrets::SyncedWatch(const ObjectKey& key) {
  const std::string name = key.String();
  auto found = watches_.find(name);
  if (found == watches_.end()) {
    if (watches_.size() >= watches_max_) {
      if (!std::exchange(told_limit_, true)) {
        LOG(WARNING) << Kv("More Secrets are referenced than are watched", "limit", watches_max_,
                           "remedy",
                           "those beyond it are looked at every ten minutes; see "
                           "/readyz?verbose for how many");
      }
      beyond_limit_.insert(name);
      return nullptr;
    }
    beyond_limit_.erase(name);
    found = watches_.emplace(name, Start(key)).first;
  }
  const SharedInformer* informer = found->second.informer;
  return informer != nullptr && informer->HasSynced() ? informer : nullptr;
}

tl::expected<SecretCache::Known, Failure> ReferencedSecrets::Get(std::stop_token stop,
                                                                 const ObjectKey& key) {
  {
    const MutexLock lock(mu_);
    if (const SharedInformer* informer = SyncedWatch(key)) {
      return Known{.secret = std::static_pointer_cast<const ObjectMetadata>(
                       informer->store().GetByKey(key.String()))};
    }
  }
  // The watch tells of what it finds once it has its answer, so nothing is missed meanwhile.
  return LookUp(std::move(stop), *with_.live, key);
}

void ReferencedSecrets::End(const std::string& key) {
  SharedInformer* informer = nullptr;
  {
    const MutexLock lock(mu_);
    informer = std::exchange(watches_[key], Watch{}).informer;
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
    for (const auto& [key, watch] : watches_) watched.push_back(key);
    unwatched.assign(beyond_limit_.begin(), beyond_limit_.end());
  }
  for (const std::string& key : watched) {
    if (!with_.is_referenced(key)) End(key);
  }
  for (const std::string& key : unwatched) {
    const bool referenced = with_.is_referenced(key);
    if (referenced && Watches() >= watches_max_) continue;
    {
      const MutexLock lock(mu_);
      beyond_limit_.erase(key);
    }
    with_.on_change(key);  // who asks for it again gets a watch
  }
}

std::size_t ReferencedSecrets::Watches() const {
  const MutexLock lock(mu_);
  return watches_.size();
}

ReferencedSecrets::Summary ReferencedSecrets::Summarize() const {
  const MutexLock lock(mu_);
  Summary summary{.beyond_limit = beyond_limit_.size()};
  for (const auto& [key, watch] : watches_) {
    if (watch.informer == nullptr) continue;
    const auto error = watch.informer->Status().last_error;
    if (!error) {
      ++(watch.informer->HasSynced() ? summary.watched : summary.waiting);
      continue;
    }
    if (++summary.failing > kFailuresTold) continue;
    if (!summary.failures.empty()) summary.failures += "; ";
    summary.failures += key + ": " + error->message;
  }
  return summary;
}

std::string ReferencedSecrets::Note() const {
  const Summary summary = Summarize();
  std::string note;
  if (summary.failing > 0) {
    note = std::to_string(summary.failing) + " of " + std::to_string(Watches()) +
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
