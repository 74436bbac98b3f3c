// SPDX-License-Identifier: Apache-2.0
// hello_test PROGRAM [--real KUBECONFIG] runs hello on the embedded API server, or on the cluster
// of a kubeconfig. Exit code 0: passed.
#include <string>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/scope.h"
#include "capstan/unstructured.h"
#include "testing/example_test.h"
#include "testing/objects.h"
#include "testing/program.h"

namespace {

using capstan::Unstructured;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Scope;
using Objects = capstan::Client<Unstructured>;

void TestHello(const std::string& path, const std::string& kubeconfig) {
  const auto config =
      Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}), "the kubeconfig is read");
  const auto client = Value(capstan::rest::Client::New(config), "a client");
  Scope scope(*client, "hello", {Output(path + " --print-crds")});
  const std::string ns = scope.NewNamespace();
  const Objects foos(
      *client, Unstructured::TypeFor({"samplecontroller.k8s.io", "v1alpha1", "foos"}, "Foo", true));
  const Objects deployments(
      *client, Unstructured::TypeFor({"apps", "v1", "deployments"}, "Deployment", true));

  const Unstructured created =
      Create(foos, Object(R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo",)"
                          R"("metadata":{"name":"example","namespace":")" +
                          ns + R"("},"spec":{"deploymentName":"web"}})"));
  Require(created.Get<int>({"spec", "replicas"}) == 1, "the server sets the default of replicas");

  Program program(path, kubeconfig);
  const capstan::runtime::ObjectKey foo{ns, "example"};
  const capstan::runtime::ObjectKey web{ns, "web"};
  const auto has = [](const Objects& objects, const capstan::runtime::ObjectKey& key,
                      const Unstructured::Path& field, int value) {
    return Eventually([&] {
      const auto found = objects.Get({}, key);
      return found && (*found)->Get<int>(field) == value;
    });
  };
  Require(has(deployments, web, {"spec", "replicas"}, 1), "a Deployment with 1 replica");
  const auto deployment = Value(deployments.Get({}, web), "the Deployment");
  Require(deployment->metadata.owner_references.size() == 1 &&
              deployment->metadata.owner_references[0].uid == created.metadata.uid,
          "the Foo owns it");
  Require(Eventually([&] {
            return HasEvent(*client, created.metadata.uid, "Synced", "Foo synced successfully");
          }),
          "an Event about the Foo");

  Value(foos.Patch({}, foo, capstan::Patch::Merge(R"({"spec":{"replicas":3}})")), "a patch");
  Require(has(deployments, web, {"spec", "replicas"}, 3), "a Deployment with 3 replicas");
  Value(deployments.PatchStatus(
            {}, web,
            capstan::Patch::Merge(
                R"({"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}})")),
        "a patch of the status");
  Require(has(foos, foo, {"status", "availableReplicas"}, 2), "a Foo with 2 available replicas");
  Require(!foos.Patch({}, foo, capstan::Patch::Merge(R"({"spec":{"replicas":11}})")),
          "the server rejects 11 replicas");
  program.Stop();
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || (argc == 4 && std::string_view(argv[2]) == "--real"),
            "usage: hello_test PROGRAM [--real KUBECONFIG]");
    TestHello(argv[1], kubeconfig);
  });
}
