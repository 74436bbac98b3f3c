// SPDX-License-Identifier: Apache-2.0
// The only file of this folder that calls the REST client.
#include "capstan/cache/lister_watcher.h"

#include <string>
#include <utility>

#include "capstan/cache/informer_factory.h"

namespace capstan::cache {
namespace {

// An API server answers so for a resource that it does not serve. The text alone says too little.
Error Explained(Error error, const runtime::GroupVersionResource& gvr) {
  if (!IsNotFound(error) || error.message.find("page not found") == std::string::npos) return error;
  std::string text = gvr.resource + "." + gvr.version;
  if (!gvr.group.empty()) text += "." + gvr.group;
  text += " is not served";
  // Groups of built-in kinds without a dot, such as "apps", have no definitions.
  if (gvr.group.find('.') != std::string::npos) {
    text += "; is its CustomResourceDefinition installed?";
  }
  error.message = text + " (" + error.message + ")";
  return error;
}

class RestListerWatcher final : public ListerWatcher {
 public:
  RestListerWatcher(rest::Client& client, const runtime::ResourceType& type, Scope scope)
      : client_(client), type_(type), scope_(std::move(scope)) {}

  Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) override {
    auto listed = client_.List(call, type_, Scoped(options), on_item);
    if (!listed) return Err(Explained(std::move(listed.error()), type_.gvr));
    return listed;
  }
  Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                 const rest::ListOptions& options) override {
    auto watch = client_.Watch(call, type_, Scoped(options));
    if (!watch) return Err(Explained(std::move(watch.error()), type_.gvr));
    return watch;
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

}  // namespace capstan::cache
