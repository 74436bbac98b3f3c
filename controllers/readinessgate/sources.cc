// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/sources.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/runtime/cache_sync.h"

namespace controllers::readinessgate {

using clientgo::api::ConfigMap;
using clientgo::api::Node;
using clientgo::api::Pod;
using clientgo::cache::EventHandler;
using clientgo::cache::SharedInformer;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

clientgo::api::PodFields FieldsFor(const GateNeeds& needs) {
  clientgo::api::PodFields fields{
      .annotations = {needs.annotations.begin(), needs.annotations.end()},
      .labels = {needs.labels.begin(), needs.labels.end()}};
  for (const std::string_view ours : {kReadyKey, kStatusKey, kGateSetKey}) {
    if (!needs.annotations.contains(ours)) fields.annotations.emplace_back(ours);
  }
  return fields;
}

std::shared_ptr<const Pod> AsPod(const ObjectPtr& object) {
  return std::static_pointer_cast<const Pod>(object);
}

// Synced, or the API server has said that it never will be.
bool IsSettled(const SharedInformer& informer) {
  if (informer.HasSynced()) return true;
  const auto status = informer.Status();
  return status.last_error && clientgo::util::IsPermanent(*status.last_error);
}

}  // namespace

Sources::Sources(clientgo::rest::Client& client, const SourcesOptions& options,
                 const GateNeeds& needs, OnChange on_change)
    : options_(options),
      on_change_(std::move(on_change)),
      pod_type_(clientgo::api::MakePodType(FieldsFor(needs))),
      informers_(client, {.reflector = options.reflector}) {
  WatchPods();
  if (needs.node) {
    node_ = &informers_.ForType(Node::Type(),
                                {.field_selector = "metadata.name=" + options_.node_name});
    const auto added = node_->AddEventHandler(WakeOnAny(WakeCause::kNode));
    CHECK(added) << added.error().message;
  }
  for (const std::string& key : needs.config_maps) WatchConfigMap(ObjectKey::Parse(key));
}

Sources::~Sources() = default;

void Sources::WatchPods() {
  pods_ = &informers_.ForType(pod_type_, {.field_selector = "spec.nodeName=" + options_.node_name});
  const auto wake = [this](const ObjectPtr& object) {
    if (IsOurs(*AsPod(object))) on_change_(WakeCause::kPod);
  };
  const auto added = pods_->AddEventHandler(
      {.on_add = [wake](const ObjectPtr& object, bool) { wake(object); },
       .on_update =
           [this](const ObjectPtr& before, const ObjectPtr& after) {
             if (IsOurs(*AsPod(before)) || IsOurs(*AsPod(after))) on_change_(WakeCause::kPod);
           },
       .on_delete = [wake](const ObjectPtr& object, bool) { wake(object); }});
  CHECK(added) << added.error().message;
}

void Sources::WatchConfigMap(const ObjectKey& key) {
  SharedInformer& informer = informers_.ForType(
      ConfigMap::Type(),
      {.namespace_ = key.namespace_, .field_selector = "metadata.name=" + key.name});
  const auto added = informer.AddEventHandler(WakeOnAny(WakeCause::kConfigMap));
  CHECK(added) << added.error().message;
  // The chain ends with the cache: an evaluation never sends a request.
  std::vector<std::unique_ptr<resolver::ObjectResolver>> chain;
  chain.push_back(resolver::NewInformerResolver(informer, false));
  config_maps_.emplace(key.String(), std::make_unique<Resolver>(resolver::NewResolverChain(
                                         "configmaps", std::move(chain), options_.lookups)));
}

EventHandler Sources::WakeOnAny(WakeCause cause) const {
  const auto wake = [this, cause] { on_change_(cause); };
  return {.on_add = [wake](const ObjectPtr&, bool) { wake(); },
          .on_update = [wake](const ObjectPtr&, const ObjectPtr&) { wake(); },
          .on_delete = [wake](const ObjectPtr&, bool) { wake(); }};
}

void Sources::Start(std::stop_token stop) { informers_.Start(std::move(stop)); }

bool Sources::HasSynced() const {
  const auto all = informers_.informers();
  return pods_->HasSynced() && std::all_of(all.begin(), all.end(), [](const SharedInformer* one) {
           return IsSettled(*one);
         });
}

Expected<void> Sources::Ready() const {
  for (const SharedInformer* informer : informers_.informers()) {
    if (informer->HasSynced()) continue;
    return Err(ErrorReason::kUnknown,
               runtime::WhyNotSynced(*informer, options_.reflector.clock.Now()));
  }
  return {};
}

bool Sources::IsOurs(const Pod& pod) const {
  // The field selector asks for this node's; what the server sends all the same is not believed.
  return pod.node_name() == options_.node_name && pod.UsesCsiDriver(options_.csi_driver) &&
         !pod.mirror() && !pod.IsFinished();
}

std::vector<std::shared_ptr<const Pod>> Sources::Pods() const {
  std::vector<std::shared_ptr<const Pod>> ours;
  for (const ObjectPtr& object : pods_->store().List()) {
    auto pod = AsPod(object);
    if (IsOurs(*pod)) ours.push_back(std::move(pod));
  }
  return ours;
}

std::shared_ptr<const Pod> Sources::FindPod(std::string_view key) const {
  return AsPod(pods_->store().GetByKey(key));
}

std::shared_ptr<const Node> Sources::OwnNode() const {
  if (node_ == nullptr) return nullptr;
  return std::static_pointer_cast<const Node>(node_->store().GetByKey(options_.node_name));
}

Expected<std::shared_ptr<const ConfigMap>> Sources::FindConfigMap(const ObjectKey& key) const {
  const auto found = config_maps_.find(key.String());
  if (found == config_maps_.end()) {
    return Err(ErrorReason::kUnknown, "ConfigMap " + key.String() + " is not watched");
  }
  return found->second->Get({}, key.namespace_, key.name);
}

}  // namespace controllers::readinessgate
