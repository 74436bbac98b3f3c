// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_caches.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/cache_sync.h"
#include "capstan/log.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::readinessgate {

namespace {

std::string_view Words(ErrorReason reason) {
  switch (reason) {
    case ErrorReason::kUnauthorized:
      return "unauthorized";
    case ErrorReason::kForbidden:
      return "forbidden";
    case ErrorReason::kNotFound:
      return "not found";
    default:
      return ToString(reason);
  }
}

// More than the agent's own two values and the name of a gate set have together.
constexpr std::size_t kAnnotationBytesMax = 4096;

PodFields FieldsFor(const GateNeeds& needs, const std::string& csi_driver) {
  // Ours come first, so that they are not cut.
  PodFields fields{
      .annotations = {std::string(kReadyKey), std::string(kStatusKey), std::string(kGateSetKey)},
      .annotation_bytes_max = kAnnotationBytesMax,
      .markers = {needs.markers.begin(), needs.markers.end()},
      .labels = {needs.labels.begin(), needs.labels.end()},
      .conditions = needs.conditions,
      .csi_driver = csi_driver};
  fields.annotations.insert(fields.annotations.end(), needs.annotations.begin(),
                            needs.annotations.end());
  if (!needs.annotations.empty()) fields.annotation_bytes_max += kAnnotationValueBytesMax;
  fields.conditions->emplace(kCertGatesCondition);
  return fields;
}

void MustAddHandler(cache::SharedInformer& informer, cache::EventHandler handler) {
  const auto added = informer.AddEventHandler(std::move(handler));
  CHECK(added) << added.error().message;
}

PodPtr AsPod(const runtime::ObjectPtr& object) { return runtime::StaticObjectCast<Pod>(object); }

}  // namespace

std::string WhyUnknown(const cache::SharedInformer& informer, std::string_view ns) {
  std::string what = informer.type().gvr.resource;
  if (!ns.empty()) what.append(" in namespace ").append(ns);
  const auto status = informer.Status();
  if (!IsDenied(status)) return what + " have not been read yet";
  return "cannot list " + what + ": " + std::string(Words(status.last_error->reason));
}

cache::EventHandler WakeOnChange(PassTicker& ticker, WakeCause cause) {
  const auto wake = [&ticker, cause] { ticker.Wake(cause); };
  return {.on_add = [wake](const runtime::ObjectPtr&, bool) { wake(); },
          .on_update = [wake](const runtime::ObjectPtr&, const runtime::ObjectPtr&) { wake(); },
          .on_delete = [wake](const runtime::ObjectPtr&, bool) { wake(); }};
}

ConfigMapCaches::ConfigMapCaches(Collaborators with, const Names& keys)
    : with_(std::move(with)), named_type_(MakeGateConfigMapType(with_.data_keys)) {
  std::map<std::string, Names> namespaces;
  for (const std::string& text : keys) {
    runtime::ObjectKey key = runtime::ObjectKey::Parse(text);
    namespaces[std::move(key.namespace_)].insert(std::move(key.name));
  }
  for (const auto& [ns, names] : namespaces) {
    if (names.size() > kNamesMax) {
      WatchNamespace(ns, names);
    } else {
      for (const std::string& name : names) WatchName(ns, name);
    }
  }
}

std::shared_ptr<ConfigMapCaches::Cache> ConfigMapCaches::MakeCache(
    const runtime::ResourceType& type, const cache::Scope& scope) const {
  cache::SharedInformer& informer = with_.informers.ForType(type, scope);
  MustAddHandler(informer, with_.handler);
  // There is no client, because an evaluation never sends a request.
  return std::make_shared<Cache>(
      Cache{.informer = &informer,
            .resolver = resolver::NewResolver(
                TypeOf<api::ConfigMap>(), {.informers = {&informer}, .counter = with_.lookups})});
}

void ConfigMapCaches::WatchName(const std::string& ns, const std::string& name) {
  auto cache =
      MakeCache(named_type_, {.namespace_ = ns, .field_selector = "metadata.name=" + name});
  const MutexLock lock(mu_);
  caches_.insert_or_assign(ns + "/" + name, std::move(cache));
}

void ConfigMapCaches::WatchNamespace(const std::string& ns, const Names& names) {
  const auto& type =
      types_.emplace(ns, MakeGateConfigMapType(with_.data_keys, names)).first->second;
  auto cache = MakeCache(type, {.namespace_ = ns});
  shared_.emplace(ns, Shared{.informer = cache->informer, .names = names});
  const MutexLock lock(mu_);
  for (const std::string& name : names) {
    std::string key = ns;
    caches_.insert_or_assign(std::move(key.append("/").append(name)), cache);
  }
}

void ConfigMapCaches::FallBack() {
  for (auto it = shared_.begin(); it != shared_.end();) {
    const auto& [ns, shared] = *it;
    const auto error = shared.informer->Status().last_error;
    if (shared.informer->HasSynced() || !error || !IsForbidden(*error)) {
      ++it;
      continue;
    }
    InfoS("No right to list the ConfigMaps of a namespace, watching each by its name", "namespace",
          ns, "configMaps", shared.names.size());
    for (const std::string& name : shared.names) WatchName(ns, name);
    with_.informers.RemoveInformer(*shared.informer);
    it = shared_.erase(it);
  }
}

Expected<api::ConfigMapPtr> ConfigMapCaches::Find(const runtime::ObjectKey& key) const {
  const MutexLock lock(mu_);
  const auto found = caches_.find(key.String());
  if (found == caches_.end()) {
    return Err(ErrorReason::kUnknown, "ConfigMap " + key.String() + " is not watched");
  }
  Cache& cache = *found->second;
  const auto object = cache.resolver->Get({}, key).object;
  if (object) return runtime::StaticObjectCast<TypedObject<api::ConfigMap>>(*object);
  if (IsNotFound(object.error())) return Err(object.error());
  return Err(ErrorReason::kServiceUnavailable, WhyUnknown(*cache.informer, key.namespace_));
}

GateCaches::GateCaches(rest::Client& client, const GateCachesOptions& options,
                       const GateNeeds& needs, PassTicker& ticker)
    : options_(options),
      pod_type_(MakePodType(FieldsFor(needs, options.csi_driver))),
      informers_(client, {.reflector = options.reflector}) {
  // Pods that have finished stay on a node in any number.
  pods_ = &informers_.ForType(pod_type_,
                              {.field_selector = "spec.nodeName=" + options_.node_name +
                                                 ",status.phase!=Succeeded,status.phase!=Failed"});
  MustAddHandler(*pods_, WakeOnOurPods(ticker));
  if (needs.node) {
    node_ = &informers_.ForType(Node::Type(),
                                {.field_selector = "metadata.name=" + options_.node_name});
    MustAddHandler(*node_, WakeOnChange(ticker, WakeCause::kNode));
  }
  config_maps_ = std::make_unique<ConfigMapCaches>(
      ConfigMapCaches::Collaborators{.informers = informers_,
                                     .lookups = options_.lookups,
                                     .handler = WakeOnChange(ticker, WakeCause::kConfigMap),
                                     .data_keys = needs.config_map_keys},
      needs.config_maps);
}

cache::EventHandler GateCaches::WakeOnOurPods(PassTicker& ticker) const {
  const auto wake = [&ticker](const runtime::ObjectPtr& pod) {
    ticker.Wake(WakeCause::kPod, std::string(pod->key()));
  };
  const auto is_ours = [this](const runtime::ObjectPtr& pod) { return IsOurs(*AsPod(pod)); };
  const auto wake_if_ours = [wake, is_ours](const runtime::ObjectPtr& pod, bool) {
    if (is_ours(pod)) wake(pod);
  };
  return {.on_add = wake_if_ours,
          .on_update =
              [wake, is_ours](const runtime::ObjectPtr& before, const runtime::ObjectPtr& after) {
                if (is_ours(before) || is_ours(after)) wake(after);
              },
          .on_delete = wake_if_ours};
}

bool GateCaches::IsSettled() const {
  const auto all = informers_.Statuses();
  return HasPods() && std::all_of(all.begin(), all.end(), [](const auto& cache) {
           return cache.synced || IsDenied(cache.reflector);
         });
}

Expected<void> GateCaches::Ready() const {
  constexpr int kNamedMax = 3;  // keeps /readyz to one line
  std::string why;
  int unsynced = 0;
  for (const auto& cache : informers_.Statuses()) {
    if (cache.synced || ++unsynced > kNamedMax) continue;
    why += (why.empty() ? "" : "; ") +
           WhyNotSynced(cache.name, cache.reflector, options_.reflector.clock.Now());
  }
  if (unsynced > kNamedMax) why += "; and " + std::to_string(unsynced - kNamedMax) + " more";
  if (why.empty()) return {};
  return Err(ErrorReason::kUnknown, std::move(why));
}

bool GateCaches::IsOurs(const Pod& pod) const {
  // The field selector already selects the node. A pod of another node is ignored all the same.
  return pod.node_name() == options_.node_name && pod.UsesCsiDriver(options_.csi_driver) &&
         !pod.mirror() && !pod.IsFinished();
}

GateCaches::Pods GateCaches::OurPods() const {
  Pods ours;
  for (const runtime::ObjectPtr& object : pods_->store().List()) {
    auto pod = AsPod(object);
    if (IsOurs(*pod)) ours.push_back(std::move(pod));
  }
  return ours;
}

PodPtr GateCaches::FindPod(std::string_view key) const {
  return AsPod(pods_->store().GetByKey(key));
}

Expected<NodePtr> GateCaches::OwnNode() const {
  if (node_ == nullptr) return nullptr;
  if (!node_->HasSynced() && IsDenied(node_->Status())) {
    return Err(ErrorReason::kServiceUnavailable, WhyUnknown(*node_));
  }
  return runtime::StaticObjectCast<Node>(node_->store().GetByKey(options_.node_name));
}

}  // namespace capstan::readinessgate
