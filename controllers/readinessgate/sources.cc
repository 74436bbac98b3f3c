// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/sources.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/why_unknown.h"
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
  config_maps_ = std::make_unique<ConfigMapCaches>(
      ConfigMapCaches::Collaborators{.informers = informers_,
                                     .lookups = options_.lookups,
                                     .handler = WakeOnAny(WakeCause::kConfigMap)},
      needs.config_maps);
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

EventHandler Sources::WakeOnAny(WakeCause cause) const {
  const auto wake = [this, cause] { on_change_(cause); };
  return {.on_add = [wake](const ObjectPtr&, bool) { wake(); },
          .on_update = [wake](const ObjectPtr&, const ObjectPtr&) { wake(); },
          .on_delete = [wake](const ObjectPtr&, bool) { wake(); }};
}

void Sources::Start(std::stop_token stop) { informers_.Start(std::move(stop)); }

bool Sources::IsSettled() const {
  const auto all = informers_.Statuses();
  return HasPods() && std::all_of(all.begin(), all.end(), [](const auto& cache) {
           return cache.synced || IsDenied(cache.reflector);
         });
}

Expected<void> Sources::Ready() const {
  constexpr int kNamedMax = 3;  // a line of /readyz, not a list
  std::string why;
  int unsynced = 0;
  for (const auto& cache : informers_.Statuses()) {
    if (cache.synced || ++unsynced > kNamedMax) continue;
    why += (why.empty() ? "" : "; ") +
           runtime::WhyNotSynced(cache.name, cache.reflector, options_.reflector.clock.Now());
  }
  if (unsynced > kNamedMax) why += "; and " + std::to_string(unsynced - kNamedMax) + " more";
  if (why.empty()) return {};
  return Err(ErrorReason::kUnknown, std::move(why));
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

Expected<std::shared_ptr<const Node>> Sources::OwnNode() const {
  if (node_ == nullptr) return nullptr;
  if (!node_->HasSynced() && IsDenied(node_->Status())) {
    return Err(ErrorReason::kServiceUnavailable, WhyUnknown(*node_));
  }
  return std::static_pointer_cast<const Node>(node_->store().GetByKey(options_.node_name));
}

Expected<std::shared_ptr<const ConfigMap>> Sources::FindConfigMap(const ObjectKey& key) const {
  return config_maps_->Find(key);
}

}  // namespace controllers::readinessgate
