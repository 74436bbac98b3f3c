// SPDX-License-Identifier: Apache-2.0
#include "memcached/controller.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/api/core/v1/config_map.h"
#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/log.h"
#include "memcached/memcached.h"

namespace {

using capstan::Condition;
using capstan::Err;
using capstan::Expected;
using capstan::Request;
using capstan::api::apps::v1::Deployment;
using capstan::api::core::v1::ConfigMap;
using capstan::runtime::ObjectKey;

constexpr char kByConfigMap[] = "configMapName";
constexpr char kOperator[] = "memcached-operator";

ObjectKey StateOf(const Memcached& memcached) {
  return {memcached.metadata.namespace_, memcached.metadata.name + "-state"};
}

std::string ConfigHashOf(const Deployment& deployment) {
  const auto& annotations = deployment.spec.template_.metadata.annotations;
  const auto found = annotations.find(kConfigHash);
  return found == annotations.end() ? "" : found->second;
}

// The API server adds defaults to a container, so only its image is compared.
std::vector<std::string> ImagesOf(const Deployment& deployment) {
  std::vector<std::string> images;
  for (const auto& container : deployment.spec.template_.spec.containers) {
    images.push_back(container.image);
  }
  return images;
}

Deployment NewDeployment(const Memcached& memcached, std::string image) {
  Deployment wanted;
  wanted.metadata.name = memcached.metadata.name;
  wanted.metadata.namespace_ = memcached.metadata.namespace_;
  wanted.spec.replicas = memcached.spec.size;
  auto& labels = wanted.spec.selector.emplace().match_labels;
  labels = {{"controller", memcached.metadata.name}};
  wanted.spec.template_.metadata.labels = labels;
  wanted.spec.template_.spec.containers = {{.name = "memcached", .image = std::move(image)}};
  return wanted;
}

Condition Unavailable(const Memcached& memcached, std::string reason, std::string message) {
  return {.type = "Available",
          .status = std::string(capstan::kConditionFalse),
          .observed_generation = memcached.metadata.generation,
          .reason = std::move(reason),
          .message = std::move(message)};
}

// Returns a hash of the data (FNV-1a). It is the same in each version of the program, so that an
// update restarts no pods.
std::string HashOf(const ConfigMap& map) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text + '\0') hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  };
  for (const auto& [key, value] : map.data) {
    add(key);
    add(value);
  }
  return std::to_string(hash);
}

class MemcachedReconciler final : public capstan::Reconciler {
 public:
  MemcachedReconciler(capstan::Manager& manager, capstan::metrics::Metrics& metrics,
                      Settings settings)
      : manager_(manager),
        settings_(std::move(settings)),
        memcacheds_(manager.client()),
        deployments_(manager.client()),
        config_maps_(manager.client()),
        applies_(metrics.NewCounter("memcached_deployment_applies_total",
                                    "Deployments that were applied.", {"namespace"})) {}

  tl::expected<capstan::Result, capstan::ReconcileError> Reconcile(
      std::stop_token stop, const Request& request) override {
    const auto memcached = ListerFor<Memcached>(manager_).Get(request.String());
    if (memcached == nullptr) return capstan::Result{};
    const auto done = memcached->metadata.deletion_timestamp ? Finalize(stop, *memcached)
                                                             : Ensure(stop, *memcached);
    if (!done) return tl::unexpected(capstan::ReconcileError{.error = done.error()});
    return capstan::Result{};
  }

 private:
  Expected<void> Ensure(const std::stop_token& stop, const Memcached& cached) {
    Memcached memcached = cached;
    if (capstan::AddFinalizer(memcached.metadata, kFinalizer)) {
      // The write comes back as an event, and the next reconciliation does the rest.
      return Patch(stop, cached, memcached);
    }
    if (auto created = CreateState(stop, memcached); !created) return created;
    const auto found = ListerFor<Deployment>(manager_).Get(capstan::KeyOf(memcached).String());
    if (found != nullptr && !capstan::IsControlledBy(found->metadata, memcached)) {
      return RefuseDeployment(stop, memcached);
    }
    std::string config_hash;
    const Condition available = Available(memcached, config_hash);
    auto deployment = EnsureDeployment(stop, memcached, found, config_hash);
    if (!deployment) return Err(deployment.error());
    return UpdateStatus(stop, memcached, **deployment, available);
  }

  Expected<void> CreateState(const std::stop_token& stop, const Memcached& memcached) {
    const ObjectKey key = StateOf(memcached);
    if (ListerFor<ConfigMap>(manager_).Get(key.String()) != nullptr) return {};
    ConfigMap state;
    state.metadata.name = key.name;
    state.metadata.namespace_ = key.namespace_;
    state.data = {{"uid", memcached.metadata.uid}};
    return capstan::IgnoreAlreadyExists(
        config_maps_.Create(stop, state, {.field_manager = kOperator}));
  }

  // A Deployment of others stays as it is. The error is retried with backoff.
  Expected<void> RefuseDeployment(const std::stop_token& stop, Memcached& memcached) {
    const std::string message =
        "Deployment " + memcached.metadata.name + " exists and is not controlled by this Memcached";
    auto updated = UpdateStatus(stop, memcached, Deployment(),
                                Unavailable(memcached, "DeploymentExists", message));
    if (!updated) return updated;
    return Err(capstan::ErrorReason::kAlreadyExists, message);
  }

  // Returns the condition. `config_hash` becomes that of the ConfigMap, if there is one.
  Condition Available(const Memcached& memcached, std::string& config_hash) const {
    const Condition available{.type = "Available",
                              .status = std::string(capstan::kConditionTrue),
                              .observed_generation = memcached.metadata.generation,
                              .reason = "Reconciled",
                              .message = "the Deployment is up to date"};
    if (!memcached.spec.config_map_name) return available;
    const ObjectKey key{memcached.metadata.namespace_, *memcached.spec.config_map_name};
    if (const auto map = ListerFor<ConfigMap>(manager_).Get(key.String())) {
      config_hash = HashOf(*map);
      return available;
    }
    return Unavailable(memcached, "ConfigMapMissing", "ConfigMap " + key.name + " does not exist");
  }

  Expected<capstan::Ptr<Deployment>> EnsureDeployment(const std::stop_token& stop,
                                                      const Memcached& memcached,
                                                      const capstan::Ptr<Deployment>& found,
                                                      const std::string& config_hash) {
    Deployment wanted = NewDeployment(memcached, settings_.image_registry + memcached.spec.image);
    if (!config_hash.empty()) {
      wanted.spec.template_.metadata.annotations = {{kConfigHash, config_hash}};
    }
    if (found != nullptr && found->spec.replicas == wanted.spec.replicas &&
        ConfigHashOf(*found) == config_hash && ImagesOf(*found) == ImagesOf(wanted)) {
      return found;
    }
    if (auto owned = capstan::SetControllerReference(memcached, wanted.metadata); !owned) {
      return Err(owned.error());
    }
    // Without force a Deployment of others that is not in the cache yet is a conflict.
    auto applied =
        deployments_.Apply(stop, wanted, {.field_manager = kOperator, .force = found != nullptr});
    if (applied) {
      applies_->Add({memcached.metadata.namespace_});
      capstan::InfoS("Applied", "deployment", capstan::KeyOf(wanted).String());
    }
    return applied;
  }

  Expected<void> UpdateStatus(const std::stop_token& stop, Memcached& memcached,
                              const Deployment& deployment, const Condition& available) {
    Memcached::Status status = memcached.status;
    status.available_replicas = deployment.status.available_replicas;
    if (capstan::SetStatusCondition(status.conditions, available) &&
        available.status == capstan::kConditionFalse) {
      manager_.events().Event(capstan::ReferenceTo(memcached), "Warning", available.reason,
                              available.message);
    }
    if (status == memcached.status) return {};
    memcached.status = std::move(status);
    auto updated = memcacheds_.UpdateStatus(stop, memcached);
    if (!updated) return Err(updated.error());
    return {};
  }

  Expected<void> Finalize(const std::stop_token& stop, const Memcached& cached) {
    Memcached memcached = cached;
    if (!capstan::RemoveFinalizer(memcached.metadata, kFinalizer)) return {};
    if (auto deleted = DeleteState(stop, cached); !deleted) return deleted;
    return Patch(stop, cached, memcached);
  }

  // Deletes what CreateState has created. A ConfigMap without the uid of the Memcached belongs to
  // others.
  Expected<void> DeleteState(const std::stop_token& stop, const Memcached& memcached) {
    const ObjectKey key = StateOf(memcached);
    const auto state = config_maps_.Get(stop, key);
    if (!state) return capstan::IgnoreNotFound(state);
    const auto uid = (*state)->data.find("uid");
    if (uid == (*state)->data.end() || uid->second != memcached.metadata.uid) {
      manager_.events().Event(capstan::ReferenceTo(memcached), "Warning", "NotDeleted",
                              "ConfigMap " + key.name + " belongs to others");
      return {};
    }
    // The version is a precondition: the ConfigMap is still the one that was read.
    auto deleted = capstan::IgnoreNotFound(config_maps_.Delete(
        stop, key, {.uid = (*state)->uid(), .resource_version = (*state)->resource_version()}));
    if (!deleted) return deleted;
    manager_.events().Event(capstan::ReferenceTo(memcached), "Normal", "Deleted",
                            "Deleted ConfigMap " + key.name);
    return {};
  }

  // Sends the difference, and only if `before` is still the newest version.
  Expected<void> Patch(const std::stop_token& stop, const Memcached& before,
                       const Memcached& after) {
    return capstan::IgnoreNotFound(
        memcacheds_.Patch(stop, capstan::KeyOf(before),
                          capstan::MergeFrom(before, after, {.optimistic_lock = true})));
  }

  capstan::Manager& manager_;
  const Settings settings_;
  const capstan::Client<Memcached> memcacheds_;
  const capstan::Client<Deployment> deployments_;
  const capstan::Client<ConfigMap> config_maps_;
  const std::unique_ptr<capstan::metrics::Metrics::Counter> applies_;
};

}  // namespace

Expected<void> AddMemcachedController(capstan::Manager& manager, capstan::metrics::Metrics& metrics,
                                      Settings settings) {
  // So that a change of a ConfigMap finds its Memcacheds without a search.
  auto indexed = AddIndexFor<Memcached>(
      manager, kByConfigMap, [](const Memcached& memcached) -> std::vector<std::string> {
        if (!memcached.spec.config_map_name) return {};
        return {ObjectKey{memcached.metadata.namespace_, *memcached.spec.config_map_name}.String()};
      });
  if (!indexed) return indexed;
  return ControllerFor<Memcached>(manager)
      .Owns<Deployment>()
      .Watches<ConfigMap>(
          [&manager](const ConfigMap& map) {
            std::vector<Request> requests;
            for (const auto& memcached : ListerFor<Memcached>(manager).ByIndex(
                     kByConfigMap, capstan::KeyOf(map).String())) {
              requests.push_back(Request::For(capstan::KeyOf(*memcached)));
            }
            return requests;
          },
          [](const ConfigMap& before, const ConfigMap& after) { return before.data != after.data; })
      .WithOptions({.max_concurrent_reconciles = 2})
      .Complete(std::make_unique<MemcachedReconciler>(manager, metrics, std::move(settings)));
}
