// SPDX-License-Identifier: Apache-2.0
#include "sample-controller/controller.h"

#include <map>
#include <string>
#include <utility>

#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/log.h"

using capstan::Client;
using capstan::Err;
using capstan::Expected;
using capstan::Manager;
using capstan::Ptr;
using capstan::Request;

namespace {

// Writes the status even if it is the same: the server then changes nothing.
Expected<void> UpdateFooStatus(Manager& manager, const std::stop_token& stop, const Foo& foo,
                               const Deployment& deployment) {
  Foo copy = foo;  // objects of the cache are read-only
  copy.status.available_replicas = deployment.status.available_replicas;
  auto updated =
      Client<Foo>(manager.client()).UpdateStatus(stop, copy, {.field_manager = kFieldManager});
  if (!updated) return Err(std::move(updated.error()));
  return {};
}

}  // namespace

Expected<Deployment> NewDeployment(const Foo& foo) {
  const std::map<std::string, std::string> labels = {{"app", "nginx"},
                                                     {"controller", foo.metadata.name}};
  Deployment deployment;
  deployment.metadata.name = foo.spec.deployment_name;
  deployment.metadata.namespace_ = foo.metadata.namespace_;
  deployment.spec.replicas = foo.spec.replicas;
  deployment.spec.selector.emplace().match_labels = labels;
  deployment.spec.template_.metadata.labels = labels;
  deployment.spec.template_.spec.containers = {{.name = "nginx", .image = "nginx:latest"}};
  auto owned = capstan::SetControllerReference(foo, deployment.metadata);
  if (!owned) return Err(std::move(owned.error()));
  return deployment;
}

Expected<void> SyncHandler(Manager& manager, const std::stop_token& stop, const Request& request) {
  const auto foo = ListerFor<Foo>(manager).Get(request.String());
  if (foo == nullptr) return {};  // Kubernetes deletes the Deployment with its Foo
  if (foo->spec.deployment_name.empty()) {
    // No retry helps. The next change of the Foo comes here again.
    capstan::WarningS("Foo has no deploymentName", "foo", request.String());
    return {};
  }

  const Client<Deployment> deployments(manager.client());
  const capstan::runtime::ObjectKey key{request.namespace_, foo->spec.deployment_name};
  Ptr<Deployment> deployment = ListerFor<Deployment>(manager).Get(key.String());
  if (deployment == nullptr) {
    const auto wanted = NewDeployment(*foo);
    if (!wanted) return Err(wanted.error());
    auto created = deployments.Create(stop, *wanted, {.field_manager = kFieldManager});
    if (!created) return Err(std::move(created.error()));
    deployment = *std::move(created);
  }

  if (!capstan::IsControlledBy(deployment->metadata, *foo)) {
    const std::string message =
        "Resource \"" + key.name + "\" already exists and is not managed by Foo";
    manager.events().Event(capstan::ReferenceTo(*foo), "Warning", kErrResourceExists, message);
    return Err(capstan::ErrorReason::kAlreadyExists, message);
  }

  if (foo->spec.replicas && foo->spec.replicas != deployment->spec.replicas) {
    capstan::V(4).InfoS("Update Deployment", "deployment", key.String(), "desiredReplicas",
                        *foo->spec.replicas);
    Deployment changed = *deployment;
    changed.spec.replicas = foo->spec.replicas;
    auto patched = deployments.Patch(stop, key, capstan::MergeFrom(*deployment, changed),
                                     {.field_manager = kFieldManager});
    if (!patched) return Err(std::move(patched.error()));
    deployment = *std::move(patched);
  }

  if (auto updated = UpdateFooStatus(manager, stop, *foo, *deployment); !updated) return updated;
  manager.events().Event(capstan::ReferenceTo(*foo), "Normal", kSuccessSynced,
                         kMessageResourceSynced);
  return {};
}

Expected<capstan::Controller*> AddSampleController(Manager& manager) {
  return ControllerFor<Foo>(manager)
      .Owns<Deployment>()
      .WithOptions({.max_concurrent_reconciles = 2})
      .Reconcile(SyncHandler);
}
