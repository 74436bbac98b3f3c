// SPDX-License-Identifier: Apache-2.0
// hello keeps a Deployment for each Foo, as Kubernetes' sample-controller does.
// docs/library/first-controller.md explains this program.
#include <stop_token>
#include <string>
#include <utility>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/capstan.h"

using capstan::Expected;
using capstan::Manager;
using capstan::Request;
using capstan::api::apps::v1::Deployment;

struct Foo {
  capstan::ObjectMeta metadata;
  struct Spec {
    std::string deployment_name;
    int replicas = 1;
  } spec;
  struct Status {
    int available_replicas = 0;
  } status;
};
template <>
inline constexpr auto capstan::kKind<Foo> =
    Kind("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos")
        .Namespaced()
        .Spec(Field("deploymentName", &Foo::Spec::deployment_name).Required().MinLength(1),
              Field("replicas", &Foo::Spec::replicas).Minimum(0).Maximum(10).Default(1))
        .Status(Field("availableReplicas", &Foo::Status::available_replicas));

Deployment NewDeployment(const Foo& foo) {
  Deployment wanted;
  wanted.metadata.name = foo.spec.deployment_name;
  wanted.metadata.namespace_ = foo.metadata.namespace_;
  wanted.spec.replicas = foo.spec.replicas;
  auto& labels = wanted.spec.selector.emplace().match_labels;
  labels = {{"controller", foo.metadata.name}};
  wanted.spec.template_.metadata.labels = labels;
  wanted.spec.template_.spec.containers = {{.name = "nginx", .image = "nginx:latest"}};
  return wanted;
}

Expected<void> Reconcile(Manager& manager, const std::stop_token& stop, const Request& request) {
  const auto foo = ListerFor<Foo>(manager).Get(request.String());  // from the cache: no API call
  if (foo == nullptr) return {};  // it was deleted, and Kubernetes deletes what it owns
  Deployment wanted = NewDeployment(*foo);
  auto deployment = ListerFor<Deployment>(manager).Get(capstan::KeyOf(wanted).String());
  if (deployment != nullptr && !capstan::IsControlledBy(deployment->metadata, *foo)) {
    manager.events().Event(capstan::ReferenceTo(*foo), "Warning", "ErrResourceExists",
                           "Deployment " + wanted.metadata.name + " is not managed by Foo");
    return {};
  }
  if (deployment == nullptr || deployment->spec.replicas != foo->spec.replicas) {
    if (auto owned = capstan::SetControllerReference(*foo, wanted.metadata); !owned) return owned;
    auto applied = capstan::Client<Deployment>(manager.client())
                       .Apply(stop, wanted, {.field_manager = "hello", .force = true});
    if (!applied) return Err(std::move(applied.error()));  // retried with backoff
    deployment = *std::move(applied);
    manager.events().Event(capstan::ReferenceTo(*foo), "Normal", "Synced",
                           "Foo synced successfully");
  }
  const int available = deployment->status.available_replicas;
  if (available == foo->status.available_replicas) return {};
  Foo changed = *foo;
  changed.status.available_replicas = available;
  return capstan::IgnoreNotFound(
      capstan::Client<Foo>(manager.client()).UpdateStatus(stop, changed));
}

int main(int argc, char** argv) {
  const auto set_up = [](Manager& manager) {
    return ControllerFor<Foo>(manager).Owns<Deployment>().Reconcile(Reconcile);
  };
  return capstan::RunManager(argc, argv,
                             {.name = "hello",
                              .set_up = set_up,
                              .crds = {capstan::CustomResourceDefinition<Foo>()},
                              .leader_elect = false});
}
