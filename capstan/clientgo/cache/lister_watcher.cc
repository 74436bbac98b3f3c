// SPDX-License-Identifier: Apache-2.0
// The only file of this folder that calls the REST client.
#include "capstan/clientgo/cache/lister_watcher.h"

#include <utility>

#include "capstan/clientgo/cache/informer_factory.h"

namespace capstan::clientgo::cache {
namespace {

class RestListerWatcher final : public ListerWatcher {
 public:
  RestListerWatcher(rest::Client& client, const runtime::ResourceType& type, Scope scope)
      : client_(client), type_(type), scope_(std::move(scope)) {}

  util::Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) override {
    return client_.List(call, type_, Scoped(options), on_item);
  }
  util::Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                       const rest::ListOptions& options) override {
    return client_.Watch(call, type_, Scoped(options));
  }
  rest::ServerAvailability* availability() override { return &client_.availability(); }

 private:
  rest::ListOptions Scoped(rest::ListOptions options) const {
    options.namespace_ = scope_.namespace_;
    options.label_selector = scope_.label_selector;
    options.field_selector = scope_.field_selector;
    return options;
  }

  rest::Client& client_;
  const runtime::ResourceType& type_;
  const Scope scope_;
};

}  // namespace

std::unique_ptr<ListerWatcher> NewListerWatcher(rest::Client& client,
                                                const runtime::ResourceType& type, Scope scope) {
  return std::make_unique<RestListerWatcher>(client, type, std::move(scope));
}

SharedInformerFactory::SharedInformerFactory(rest::Client& client, FactoryOptions options)
    : SharedInformerFactory(
          [&client](const runtime::ResourceType& type, const Scope& scope) {
            return NewListerWatcher(client, type, scope);
          },
          std::move(options)) {}

}  // namespace capstan::clientgo::cache
