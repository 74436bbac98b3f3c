// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/target_contents.h"

#include <utility>

namespace controllers::cainjector {

using clientgo::runtime::Object;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

Expected<ObjectPtr> TargetContents::Get(std::stop_token stop, const ObjectPtr& cached) {
  if (target_.cached_whole()) return cached;
  {
    const MutexLock lock(mu_);
    const auto found = entries_.find(cached->key());
    if (found != entries_.end()) {
      const auto& [asked_version, content] = found->second;
      const std::string_view version = cached->resource_version();
      if (version == asked_version || version == content->resource_version()) return content;
    }
  }
  auto content = client_.Get(
      std::move(stop), target_.content_type(),
      {.namespace_ = std::string(cached->namespace_()), .name = std::string(cached->name())});
  if (content) Hold(*cached, *content);
  return content;
}

void TargetContents::Written(const Object& cached, ObjectPtr written) {
  if (!target_.cached_whole()) Hold(cached, std::move(written));
}

void TargetContents::Hold(const Object& cached, ObjectPtr content) {
  const MutexLock lock(mu_);
  entries_.insert_or_assign(std::string(cached.key()),
                            Entry{.asked_version = std::string(cached.resource_version()),
                                  .content = std::move(content)});
}

void TargetContents::Forget(std::string_view key) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found != entries_.end()) entries_.erase(found);
}

std::size_t TargetContents::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

}  // namespace controllers::cainjector
