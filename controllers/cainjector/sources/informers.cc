// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/informers.h"

#include <glog/logging.h>

#include <algorithm>

#include "capstan/cache_sync.h"

namespace capstan::cainjector {
namespace {

Expected<void> CheckSynced(const cache::InformerView& view, Clock& clock) {
  for (const cache::SharedInformer* informer : view.informers()) {
    if (informer->HasSynced()) continue;
    return Err(ErrorReason::kUnknown, WhyNotSynced(*informer, clock.Now()));
  }
  return {};
}

}  // namespace

std::unique_ptr<cache::InformerView> NewView(cache::SharedInformerFactory& informers,
                                             const runtime::ResourceType& type,
                                             const std::vector<cache::Scope>& scopes) {
  std::vector<cache::InformerView::NamespacedInformer> namespaced;
  namespaced.reserve(scopes.size());
  for (const cache::Scope& scope : scopes) {
    namespaced.emplace_back(scope.namespace_, &informers.ForType(type, scope));
  }
  return namespaced.empty() ? nullptr : std::make_unique<cache::InformerView>(namespaced);
}

void MustAddIndex(const cache::InformerView& view, const std::string& name,
                  const cache::IndexFunc& index) {
  const auto added = view.AddIndex(name, index);
  CHECK(added) << added.error().message;
}

bool NotServed(const cache::InformerView& view) {
  return std::any_of(view.informers().begin(), view.informers().end(),
                     [](const cache::SharedInformer* informer) {
                       if (informer->HasSynced()) return false;
                       const auto status = informer->Status();
                       return status.last_error && IsNotFound(*status.last_error);
                     });
}

void AddCacheCheck(HealthChecks& readyz, const cache::InformerView& view, const CacheCheck& check,
                   Clock& clock) {
  using Needed = CacheCheck::Needed;
  const auto is_replaced = [other = check.other_version] {
    return other != nullptr && other->HasSynced();
  };
  const auto may_be_missing = [&view, needed = check.needed] {
    return needed == Needed::kNever || (needed == Needed::kIfServed && NotServed(view));
  };
  readyz.AddNote(check.name, [&view, &clock, is_replaced, may_be_missing]() -> std::string {
    if (is_replaced()) return {};
    const auto synced = CheckSynced(view, clock);
    if (!synced) return may_be_missing() ? synced.error().message : std::string();
    for (const cache::SharedInformer* informer : view.informers()) {
      if (std::string why = WhyBehind(*informer); !why.empty()) return why;
    }
    return {};
  });
  if (check.needed == Needed::kNever) return;
  readyz.Add(check.name, [&view, &clock, is_replaced, may_be_missing]() -> Expected<void> {
    if (may_be_missing() || is_replaced()) return {};
    return CheckSynced(view, clock);
  });
}

}  // namespace capstan::cainjector
