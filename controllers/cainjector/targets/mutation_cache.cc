// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/mutation_cache.h"

#include <algorithm>
#include <utility>

#include "controllers/cainjector/targets/read_gate.h"

namespace capstan::cainjector {

namespace {

// When the informer lags behind more versions, the oldest are forgotten, which costs a request.
constexpr std::size_t kOlderVersionsMax = 8;

}  // namespace

Expected<runtime::ObjectPtr> MutationCache::Get(std::stop_token stop,
                                                const runtime::ObjectPtr& cached) {
  if (runtime::ObjectPtr held = Held(*cached)) return held;
  if (target_.cached_whole()) return cached;
  auto content = Read(stop, *cached, cached->resource_version());
  // The API server that answered is behind the one that the informer watches.
  if (content || !content.error().resource_version_too_large) return content;
  return Read(std::move(stop), *cached);
}

Expected<runtime::ObjectPtr> MutationCache::Read(std::stop_token stop,
                                                 const runtime::Object& cached) {
  return Read(std::move(stop), cached, "");
}

Expected<runtime::ObjectPtr> MutationCache::Read(std::stop_token stop,
                                                 const runtime::Object& cached,
                                                 const std::string& version) {
  const runtime::ObjectKey key = runtime::ObjectKey::Parse(cached.key());
  const bool gated = !target_.cached_whole() && !target_.content_by_get();
  const auto turn = gated ? ReadGate::Get().Enter(stop, key.namespace_) : std::nullopt;
  if (gated && !turn) return Err(ErrorReason::kCanceled, "stopped");
  auto content = Fetch(std::move(stop), key, version);
  if (content && (*content)->uid() == cached.uid()) Put(cached, *content);
  return content;
}

Expected<runtime::ObjectPtr> MutationCache::Fetch(std::stop_token stop,
                                                  const runtime::ObjectKey& key,
                                                  const std::string& version) const {
  if (target_.content_by_get()) return client_.Get(std::move(stop), target_.content_type(), key);
  // A list of one name from the watch cache costs the API server no more than a GET.
  runtime::ObjectPtr found;
  const auto listed =
      client_.List(std::move(stop), target_.content_type(),
                   {.namespace_ = key.namespace_,
                    .field_selector = "metadata.name=" + key.name,
                    .resource_version = version,
                    .resource_version_match = version.empty() ? "" : "NotOlderThan"},
                   [&](runtime::ObjectPtr object) { found = std::move(object); });
  if (!listed) return tl::unexpected(listed.error());
  if (found != nullptr) return found;
  return Err(ErrorReason::kNotFound, target_.type().kind + " " + key.name + " not found");
}

runtime::ObjectPtr MutationCache::Held(const runtime::Object& cached) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(cached.key());
  if (found == entries_.end()) return nullptr;
  const auto& [older_versions, content, bytes] = found->second;
  const std::string version = cached.resource_version();
  const bool caught_up = version == content->resource_version();
  if (caught_up ? !target_.cached_whole() : std::ranges::count(older_versions, version) != 0)
    return content;
  Erase(found);
  return nullptr;
}

void MutationCache::Put(const runtime::Object& cached, runtime::ObjectPtr content) {
  const std::size_t bytes = Target::ByteSize(*content);
  const MutexLock lock(mu_);
  const auto entry = entries_.try_emplace(std::string(cached.key())).first;
  bytes_ += bytes - std::exchange(entry->second.bytes, bytes);
  if (bytes_ > kBytesMax) return Erase(entry);
  auto& [older_versions, held, held_bytes] = entry->second;
  const std::string version = cached.resource_version();
  if (std::ranges::count(older_versions, version) == 0) {
    older_versions = {version};
  } else if (held != nullptr) {
    older_versions.push_back(held->resource_version());
    if (older_versions.size() > kOlderVersionsMax) older_versions.erase(older_versions.begin());
  }
  held = std::move(content);
}

void MutationCache::Forget(std::string_view key) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found != entries_.end()) Erase(found);
}

void MutationCache::Erase(Entries::iterator entry) {
  bytes_ -= entry->second.bytes;
  entries_.erase(entry);
}

std::size_t MutationCache::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

}  // namespace capstan::cainjector
