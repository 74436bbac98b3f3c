// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/informer_view.h"

#include <glog/logging.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>

namespace capstan::cache {

// Stores is one StoreReader over the stores of several namespaces.
class InformerView::Stores final : public StoreReader {
 public:
  explicit Stores(const std::vector<NamespacedInformer>& informers) {
    for (const auto& [namespace_, informer] : informers) {
      CHECK(!namespace_.empty()) << "an informer of all namespaces beside others of "
                                 << informer->type().gvr.resource;
      const bool added = stores_.emplace(namespace_, &informer->store()).second;
      CHECK(added) << "two informers of " << informer->type().gvr.resource << " for namespace "
                   << namespace_;
    }
  }

  runtime::ObjectPtr GetByKey(std::string_view key) const override {
    const auto found = stores_.find(key.substr(0, key.find('/')));
    return found == stores_.end() ? nullptr : found->second->GetByKey(key);
  }
  std::vector<runtime::ObjectPtr> List() const override {
    return Joined<runtime::ObjectPtr>([](const StoreReader& store) { return store.List(); });
  }
  std::vector<std::string> ListKeys() const override {
    return Joined<std::string>([](const StoreReader& store) { return store.ListKeys(); });
  }
  bool HasIndex(std::string_view name) const override {
    return std::any_of(stores_.begin(), stores_.end(),
                       [&](const auto& store) { return store.second->HasIndex(name); });
  }
  std::vector<runtime::ObjectPtr> ByIndex(std::string_view name,
                                          std::string_view value) const override {
    return Joined<runtime::ObjectPtr>(
        [&](const StoreReader& store) { return store.ByIndex(name, value); });
  }
  std::size_t Size() const override {
    std::size_t size = 0;
    for (const auto& [namespace_, store] : stores_) size += store->Size();
    return size;
  }
  std::size_t ByteSize() const override {
    std::size_t bytes = 0;
    for (const auto& [namespace_, store] : stores_) bytes += store->ByteSize();
    return bytes;
  }

 private:
  template <class T, class Read>
  std::vector<T> Joined(Read read) const {
    std::vector<T> all;
    for (const auto& [namespace_, store] : stores_) {
      std::vector<T> some = read(*store);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

  std::map<std::string, const StoreReader*, std::less<>> stores_;
};

InformerView::InformerView(const std::vector<NamespacedInformer>& informers) {
  CHECK(!informers.empty()) << "a view needs an informer";
  for (const auto& [namespace_, informer] : informers) {
    informers_.push_back(informer);
    namespaces_.push_back(namespace_);
  }
  if (informers.size() > 1) stores_ = std::make_unique<Stores>(informers);
  store_ = stores_ != nullptr ? stores_.get() : &informers_.front()->store();
}

InformerView::~InformerView() = default;

const SharedInformer* InformerView::InformerFor(std::string_view ns) const {
  for (std::size_t i = 0; i < informers_.size(); ++i) {
    if (namespaces_[i].empty() || namespaces_[i] == ns) return informers_[i];
  }
  return nullptr;
}

bool InformerView::HasSynced() const {
  return std::all_of(informers_.begin(), informers_.end(),
                     [](const SharedInformer* informer) { return informer->HasSynced(); });
}

bool InformerView::WaitForSync(const std::stop_token& stop) const {
  return std::all_of(informers_.begin(), informers_.end(),
                     [&](const SharedInformer* informer) { return informer->WaitForSync(stop); });
}

Expected<void> InformerView::AddIndex(const std::string& name, const IndexFunc& func) const {
  for (SharedInformer* informer : informers_) {
    if (auto added = informer->AddIndex(name, func); !added) return added;
  }
  return {};
}

}  // namespace capstan::cache
