// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/object_reader.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/cache_sync.h"
#include "capstan/logging.h"

namespace capstan::cainjector {

tl::expected<ObjectReader::Found, Failure> StoreObjectReader::Get(std::stop_token /*stop*/,
                                                                  const runtime::ObjectKey& key) {
  if (const auto available = informers_.Available(); !available) {
    return tl::unexpected(Failure{.reason = Reason::kSourceUnavailable,
                                  .message = available.error().message,
                                  .error = available.error()});
  }
  return Found{.object = informers_.GetByKey(key.String())};
}

tl::expected<ObjectReader::Found, Failure> ResolverObjectReader::Get(
    std::stop_token stop, const runtime::ObjectKey& key) {
  auto object = resolver_->Get(std::move(stop), key);
  if (!object && !IsNotFound(object.error())) {
    Failure failure = ApiFailure("cannot use " + kind_ + " " + key.String(), object.error());
    failure.watched = false;
    return tl::unexpected(std::move(failure));
  }
  return Found{.object = object ? *std::move(object) : nullptr,
               .watched = is_watched_ && is_watched_(key.String())};
}

InformerSet::InformerSet(cache::SharedInformerFactory& informers, const runtime::ResourceType& type,
                         const std::vector<cache::Scope>& scopes, Clock& clock)
    : type_(type), clock_(clock) {
  std::vector<cache::InformerView::NamespacedInformer> namespaced;
  namespaced.reserve(scopes.size());
  for (const cache::Scope& scope : scopes) {
    namespaced.emplace_back(scope.namespace_, &informers.ForType(type, scope));
  }
  if (!namespaced.empty()) view_.emplace(namespaced);
}

const std::vector<cache::SharedInformer*>& InformerSet::informers() const {
  static const std::vector<cache::SharedInformer*> none;
  return view_ ? view_->informers() : none;
}

void InformerSet::AddIndex(const std::string& name, const cache::IndexFunc& index) {
  if (!view_) return;
  const auto added = view_->AddIndex(name, index);
  CHECK(added) << added.error().message;
}

Expected<void> InformerSet::Available() const {
  for (const cache::SharedInformer* informer : informers()) {
    if (informer->HasSynced()) continue;
    const auto status = informer->Status();
    std::string why = type_.kind + "s cannot be listed";
    if (status.last_error) why += ": " + status.last_error->message;
    return Err(ErrorReason::kUnknown, std::move(why));
  }
  return {};
}

Expected<void> InformerSet::CheckSynced() const {
  for (const cache::SharedInformer* informer : informers()) {
    if (informer->HasSynced()) continue;
    return Err(ErrorReason::kUnknown, WhyNotSynced(*informer, clock_.Now()));
  }
  return {};
}

std::string InformerSet::WhyBehind() const {
  for (const cache::SharedInformer* informer : informers()) {
    if (std::string why = capstan::WhyBehind(*informer); !why.empty()) return why;
  }
  return {};
}

bool InformerSet::NotServed() const {
  return std::any_of(informers().begin(), informers().end(),
                     [](const cache::SharedInformer* informer) {
                       if (informer->HasSynced()) return false;
                       const auto status = informer->Status();
                       return status.last_error && IsNotFound(*status.last_error);
                     });
}

runtime::ObjectPtr InformerSet::GetByKey(std::string_view key) const {
  return view_ ? view_->store().GetByKey(key) : nullptr;
}

std::vector<runtime::ObjectPtr> InformerSet::ByIndex(std::string_view name,
                                                     std::string_view value) const {
  return view_ ? view_->store().ByIndex(name, value) : std::vector<runtime::ObjectPtr>();
}

}  // namespace capstan::cainjector
