// SPDX-License-Identifier: Apache-2.0
// Runs the controller in this process: on the embedded API server, or with --real KUBECONFIG on any
// API server. Exit code 0: passed.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/api/core/v1/config_map.h"
#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/log.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "memcached/controller.h"
#include "memcached/memcached.h"
#include "testing/example_test.h"
#include "testing/objects.h"

namespace {

using capstan::Client;
using capstan::Patch;
using capstan::api::apps::v1::Deployment;
using capstan::api::core::v1::ConfigMap;
using capstan::runtime::ObjectKey;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Running;
using capstan::testing::Scope;

// What others have created is neither changed nor deleted.
void TestObjectsOfOthers(capstan::rest::Client& rest, const std::string& ns) {
  const Client<Memcached> memcacheds(rest);
  const Client<Deployment> deployments(rest);
  const Client<ConfigMap> config_maps(rest);
  const ObjectKey key{ns, "two"};
  const ObjectKey state{ns, "two-state"};
  ConfigMap other_state;
  other_state.metadata.name = state.name;
  other_state.metadata.namespace_ = ns;
  other_state.data = {{"uid", "of another"}};
  Create(config_maps, other_state);
  Deployment other;
  other.metadata.name = key.name;
  other.metadata.namespace_ = ns;
  auto& labels = other.spec.selector.emplace().match_labels;
  labels = {{"app", "other"}};
  other.spec.template_.metadata.labels = labels;
  other.spec.template_.spec.containers = {{.name = "other", .image = "nginx:latest"}};
  Create(deployments, other);
  Memcached wanted;
  wanted.metadata.name = key.name;
  wanted.metadata.namespace_ = ns;
  const Memcached created = Create(memcacheds, wanted);

  const std::string message = "Deployment two exists and is not controlled by this Memcached";
  Require(Eventually([&] {
            const auto found = memcacheds.Get({}, key);
            if (!found) return false;
            const auto* condition =
                capstan::FindStatusCondition((*found)->status.conditions, "Available");
            return condition != nullptr && condition->status == "False" &&
                   condition->message == message;
          }),
          "the Deployment of others is reported");
  const auto event = [&](std::string_view reason, std::string_view text) {
    return Eventually([&] { return HasEvent(rest, created.metadata.uid, reason, text); });
  };
  Require(event("DeploymentExists", message), "with an Event");
  const auto left = Value(deployments.Get({}, key), "the Deployment");
  Require(!capstan::HasControllerReference(left->metadata) &&
              left->spec.template_.spec.containers.at(0).image == "nginx:latest",
          "it is not changed");
  Value(deployments.Delete({}, key), "delete the Deployment");
  Require(Eventually([&] {
            const auto found = deployments.Get({}, key);
            return found && capstan::IsControlledBy((*found)->metadata, created);
          }),
          "the Deployment follows when the name is free");

  Value(memcacheds.Delete({}, key), "delete the Memcached");
  Require(event("NotDeleted", "ConfigMap two-state belongs to others"),
          "the ConfigMap is reported");
  Require(Eventually([&] {
            const auto found = memcacheds.Get({}, key);
            return !found && capstan::IsNotFound(found.error());
          }),
          "the Memcached is deleted");
  Require(config_maps.Get({}, state).has_value(), "the ConfigMap of others is left");
}

void TestMemcached(const capstan::rest::Config& config) {
  const auto rest = Value(capstan::rest::Client::New(config), "a client");
  Scope scope(*rest, "memcached", {capstan::CustomResourceDefinition<Memcached>()});
  const std::string ns = scope.NewNamespace();
  const Client<Memcached> memcacheds(*rest);
  const Client<Deployment> deployments(*rest);
  const Client<ConfigMap> config_maps(*rest);
  const ObjectKey key{ns, "one"};
  const ObjectKey settings{ns, "settings"};

  Memcached wanted;
  wanted.metadata.name = key.name;
  wanted.metadata.namespace_ = key.namespace_;
  wanted.spec.size = 2;
  wanted.spec.config_map_name = settings.name;
  const Memcached created = Create(memcacheds, wanted);
  const auto refused = [&](const std::function<void(Memcached&)>& change) {
    Memcached bad = wanted;
    bad.metadata.name = "bad";
    change(bad);
    const auto result = memcacheds.Create({}, bad);
    return !result && capstan::IsInvalid(result.error());
  };
  Require(refused([](Memcached& bad) { bad.spec.size = 6; }), "the server rejects size 6");

  capstan::metrics::Metrics metrics({.version = "1.0.0", .commit = "test"});
  const auto manager = Value(
      capstan::Manager::New(config, {.name = "memcached-test", .cluster = {.metrics = &metrics}}),
      "a manager");
  Value(AddMemcachedController(*manager, metrics, {.image_registry = "registry.example.com/"}),
        "the controller");
  Running running(*manager);

  const auto deployment_is = [&](const std::function<bool(const Deployment&)>& accepts) {
    const auto found = deployments.Get({}, key);
    return found.has_value() && accepts(**found);
  };
  const auto condition_is = [&](std::string_view status, std::string_view reason) {
    const auto found = memcacheds.Get({}, key);
    if (!found) return false;
    const auto* condition = capstan::FindStatusCondition((*found)->status.conditions, "Available");
    return condition != nullptr && condition->status == status && condition->reason == reason;
  };
  const auto config_hash = [&] {
    const auto found = deployments.Get({}, key);
    if (!found) return std::string();
    auto annotations = (*found)->spec.template_.metadata.annotations;
    return annotations[kConfigHash];
  };

  Require(Eventually([&] {
            return deployment_is([&](const Deployment& found) {
              return found.spec.replicas == 2 && capstan::IsControlledBy(found.metadata, created) &&
                     found.spec.template_.spec.containers.at(0).image ==
                         "registry.example.com/memcached:1.6";
            });
          }),
          "the Deployment is created");
  Require(Eventually([&] { return condition_is("False", "ConfigMapMissing"); }),
          "the missing ConfigMap is reported");
  const ObjectKey state{ns, "one-state"};
  Require(config_maps.Get({}, state).has_value(), "the state is created");

  ConfigMap map;
  map.metadata.name = settings.name;
  map.metadata.namespace_ = settings.namespace_;
  map.data = {{"memory", "64"}};
  Value(config_maps.Create({}, map), "create the ConfigMap");
  Require(Eventually([&] { return condition_is("True", "Reconciled"); }), "it becomes available");
  const std::string hash = config_hash();
  Require(!hash.empty(), "the pods have the hash of the ConfigMap");
  Value(config_maps.Patch({}, settings, Patch::Merge(R"({"data":{"memory":"128"}})")), "a patch");
  Require(Eventually([&] { return config_hash() != hash; }),
          "the pods have the new hash of the ConfigMap");

  const std::string second = config_hash();
  const auto labelled =
      Value(config_maps.Patch({}, settings, Patch::Merge(R"({"metadata":{"labels":{"a":"b"}}})")),
            "label");
  Value(capstan::WaitForCacheVersion(capstan::rest::CallOptions{}, *manager, *labelled),
        "the cache");

  Value(deployments.Patch({}, key, Patch::Merge(R"({"spec":{"replicas":9}})")), "a patch");
  Require(Eventually([&] {
            return deployment_is([](const Deployment& found) { return found.spec.replicas == 2; });
          }),
          "the number of replicas is repaired");
  Require(config_hash() == second, "a label of the ConfigMap does not restart the pods");
  const std::string uid = Value(deployments.Get({}, key), "the Deployment")->metadata.uid;
  Value(deployments.Delete({}, key), "delete the Deployment");
  Require(
      Eventually([&] {
        return deployment_is([&](const Deployment& found) { return found.metadata.uid != uid; });
      }),
      "the Deployment is created again");

  Value(memcacheds.Delete({}, key), "delete the Memcached");
  Require(Eventually([&] {
            const auto found = memcacheds.Get({}, key);
            return !found && capstan::IsNotFound(found.error());
          }),
          "the Memcached is deleted");
  const auto left = config_maps.Get({}, state);
  Require(!left && capstan::IsNotFound(left.error()), "the state is deleted before");
  Require(metrics.Serialize().find("memcached_deployment_applies_total{namespace=\"" + ns) !=
              std::string::npos,
          "the metric is served");
  TestObjectsOfOthers(*rest, ns);
  Value(running.Stop(), "the manager ends");
}

}  // namespace

int main(int argc, char** argv) {
  capstan::InitLogs("memcached_test");
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 1 || (argc == 3 && std::string_view(argv[1]) == "--real"),
            "usage: memcached_test [--real KUBECONFIG]");
    TestMemcached(Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}),
                        "the kubeconfig is read"));
  });
}
