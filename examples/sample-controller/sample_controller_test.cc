// SPDX-License-Identifier: Apache-2.0
// sample_controller_test PROGRAM [--real KUBECONFIG] runs the test cases of upstream's
// controller_test.go, one SyncHandler each, and then the whole program on the embedded API server
// or on the cluster of a kubeconfig. Exit code 0: passed.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "sample-controller/controller.h"
#include "sample-controller/foo.h"
#include "testing/example_test.h"
#include "testing/objects.h"
#include "testing/program.h"

namespace {

using capstan::Client;
using capstan::Expected;
using capstan::Patch;
using capstan::runtime::ObjectKey;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Running;
using capstan::testing::Scope;

Foo NewFoo(const std::string& ns, const std::string& name, std::optional<int> replicas) {
  Foo foo;
  foo.metadata.name = name;
  foo.metadata.namespace_ = ns;
  foo.spec.deployment_name = name + "-deployment";
  foo.spec.replicas = replicas;
  return foo;
}

// Fixture has an API server of its own. Sync calls SyncHandler once, with caches that have all
// objects, and no controller runs.
class Fixture {
 public:
  using Writes = std::map<std::string, std::uint64_t>;  // "create deployments": 1

  Fixture() {
    Value(server_.Start(), "the embedded API server starts");
    Value(server_.CreateObjects({capstan::CustomResourceDefinition<Foo>()}), "the CRD");
    client_ = Value(capstan::rest::Client::New(server_.Config()), "a client");
  }

  template <class T>
  T Create(const T& object) {
    return *Value(Client<T>(*client_).Create({}, object), "create an object");
  }
  template <class T>
  T Update(const T& object) {
    return *Value(Client<T>(*client_).Update({}, object), "update an object");
  }
  template <class T>
  T Get(const std::string& name) {
    return *Value(Client<T>(*client_).Get({}, {"default", name}), "get " + name);
  }
  bool HasEvent(const Foo& foo, std::string_view reason, std::string_view message) {
    return Eventually([&] { return ::HasEvent(*client_, foo.metadata.uid, reason, message); });
  }

  Expected<void> Sync(const Foo& foo) {
    const auto manager =
        Value(capstan::Manager::New(server_.Config(), {.name = "sample-controller"}), "a manager");
    const auto foos = ListerFor<Foo>(*manager);  // creates the caches
    const auto deployments = ListerFor<Deployment>(*manager);
    server_.ResetRequests();
    Running running(*manager);
    Require(manager->informers().WaitForCacheSync({}), "the caches sync");
    const auto synced = SyncHandler(*manager, {}, capstan::Request::For(capstan::KeyOf(foo)));
    writes_ = {};
    for (const auto& [request, code, count] : server_.Requests()) {
      const bool reads = request.verb == "get" || request.verb == "list" || request.verb == "watch";
      if (reads || request.resource == "events") continue;
      const std::string status = request.subresource.empty() ? "" : "/" + request.subresource;
      writes_[request.verb + " " + request.resource + status] += count;
    }
    Value(running.Stop(), "the manager ends");
    return synced;
  }
  // Requires that the last Sync has sent these writes, and no others except Events.
  void RequireWrites(const Writes& wanted) const {
    std::string found;
    for (const auto& [write, count] : writes_) found += write + ": " + std::to_string(count) + "; ";
    Require(writes_ == wanted, "the writes are: " + found);
  }

 private:
  capstan::testing::apiserver::Server server_;
  std::unique_ptr<capstan::rest::Client> client_;
  Writes writes_;
};

void RequireDeploymentOf(const Deployment& found, const Foo& foo) {
  const auto wanted = Value(NewDeployment(foo), "the wanted Deployment");
  const std::map<std::string, std::string> labels = {{"app", "nginx"},
                                                     {"controller", foo.metadata.name}};
  Require(
      found.spec.selector->match_labels == labels && found.spec.template_.metadata.labels == labels,
      "the labels of the Deployment");
  const auto& containers = found.spec.template_.spec.containers;
  Require(found.spec.replicas == wanted.spec.replicas && containers.size() == 1 &&
              containers.front().name == "nginx" && containers.front().image == "nginx:latest",
          "the spec of the Deployment");
  Require(found.metadata.owner_references == wanted.metadata.owner_references &&
              capstan::IsControlledBy(found.metadata, foo),
          "the owner of the Deployment");
}

void TestCreatesDeployment() {
  Fixture f;
  const Foo foo = f.Create(NewFoo("default", "test", 1));
  Value(f.Sync(foo), "sync");
  f.RequireWrites({{"create deployments", 1}, {"update foos/status", 1}});
  RequireDeploymentOf(f.Get<Deployment>("test-deployment"), foo);
  Require(f.HasEvent(foo, "Synced", "Foo synced successfully"), "the Event Synced");
}

void TestDoNothing() {
  Fixture f;
  const Foo foo = f.Create(NewFoo("default", "test", 1));
  const Deployment before = f.Create(Value(NewDeployment(foo), "the Deployment"));
  Value(f.Sync(foo), "sync");
  f.RequireWrites({{"update foos/status", 1}});
  Require(f.Get<Deployment>("test-deployment").metadata.resource_version ==
              before.metadata.resource_version,
          "the Deployment is unchanged");
  const std::string version = f.Get<Foo>("test").metadata.resource_version;
  Value(f.Sync(foo), "sync again");
  f.RequireWrites({{"update foos/status", 1}});
  Require(f.Get<Foo>("test").metadata.resource_version == version,
          "the same status changes nothing");
}

void TestUpdateDeployment() {
  Fixture f;
  Foo foo = f.Create(NewFoo("default", "test", 1));
  f.Create(Value(NewDeployment(foo), "the Deployment"));
  foo.spec.replicas = 2;
  const Foo changed = f.Update(foo);
  Value(f.Sync(changed), "sync");
  f.RequireWrites({{"patch deployments", 1}, {"update foos/status", 1}});
  RequireDeploymentOf(f.Get<Deployment>("test-deployment"), changed);
}

void TestNotControlledByUs() {
  Fixture f;
  const Foo foo = f.Create(NewFoo("default", "test", 1));
  Deployment taken = Value(NewDeployment(foo), "the Deployment");
  taken.metadata.owner_references.clear();
  f.Create(taken);
  const auto synced = f.Sync(foo);
  const std::string message =
      "Resource \"test-deployment\" already exists and is not managed by Foo";
  Require(!synced && synced.error().message == message, "the error says what is wrong");
  f.RequireWrites({});
  Require(f.HasEvent(foo, "ErrResourceExists", message), "the Event ErrResourceExists");
}

// Runs the program.
void TestProgram(const std::string& path, const std::string& kubeconfig) {
  const auto config =
      Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}), "the kubeconfig is read");
  const auto client = Value(capstan::rest::Client::New(config), "a client");
  Scope scope(*client, "sample-controller", {Output(path + " --print-crds")});
  const std::string ns = scope.NewNamespace();
  const Client<Foo> foos(*client);
  const Client<Deployment> deployments(*client);
  const Foo foo = Create(foos, NewFoo(ns, "example-foo", 1));
  const ObjectKey foo_key = capstan::KeyOf(foo);
  const ObjectKey key{ns, "example-foo-deployment"};
  const auto replicas_are = [&](int wanted) {
    return Eventually([&] {
      const auto found = deployments.Get({}, key);
      return found && (*found)->spec.replicas == wanted;
    });
  };

  Program program(path, kubeconfig);
  Require(replicas_are(1), "a Deployment with 1 replica");
  const auto first = Value(deployments.Get({}, key), "the Deployment");
  RequireDeploymentOf(*first, foo);
  Require(Eventually([&] {
            return HasEvent(*client, foo.metadata.uid, "Synced", "Foo synced successfully");
          }),
          "the Event Synced");

  Value(foos.Patch({}, foo_key, Patch::Merge(R"({"spec":{"replicas":2}})")), "a patch");
  Require(replicas_are(2), "the Deployment follows its Foo");
  Value(deployments.Patch({}, key, Patch::Merge(R"({"spec":{"replicas":5}})")), "a patch");
  Require(replicas_are(2), "the number of replicas is repaired");
  Value(deployments.PatchStatus(
            {}, key,
            Patch::Merge(R"({"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}})")),
        "a patch of the status");
  Require(Eventually([&] {
            const auto found = foos.Get({}, foo_key);
            return found && (*found)->status.available_replicas == 2;
          }),
          "a Foo with 2 available replicas");
  Value(deployments.Delete({}, key), "delete the Deployment");
  Require(Eventually([&] {
            const auto found = deployments.Get({}, key);
            return found && (*found)->metadata.uid != first->metadata.uid;
          }),
          "the Deployment is created again");

  Deployment taken = Value(NewDeployment(foo), "a Deployment of another owner");
  taken.metadata.name = "taken-deployment";
  taken.metadata.owner_references.clear();
  const Deployment before = Create(deployments, taken);
  const Foo late = Create(foos, NewFoo(ns, "taken", 3));
  Require(Eventually([&] {
            return HasEvent(
                *client, late.metadata.uid, "ErrResourceExists",
                "Resource \"taken-deployment\" already exists and is not managed by Foo");
          }),
          "the Event ErrResourceExists");
  Require(Value(deployments.Get({}, {ns, "taken-deployment"}), "the Deployment")
                  ->metadata.resource_version == before.metadata.resource_version,
          "the Deployment of another owner is unchanged");
  Require(!foos.Create({}, NewFoo(ns, "eleven", 11)), "the server rejects 11 replicas");
  program.Stop();
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || argc == 4, "usage: sample_controller_test PROGRAM [--real KUBECONFIG]");
    TestCreatesDeployment();
    TestDoNothing();
    TestUpdateDeployment();
    TestNotControlledByUs();
    TestProgram(argv[1], kubeconfig);
  });
}
