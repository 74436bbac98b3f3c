// SPDX-License-Identifier: Apache-2.0
// hello_test PROGRAM [--real KUBECONFIG] runs hello on the embedded API server, or on the cluster
// of a kubeconfig. Exit code 0: passed.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/client/client.h"
#include "capstan/clientgo/clientcmd/config.h"
#include "capstan/kind/unstructured.h"
#include "capstan/testing/eventually.h"
#include "testing/example_test.h"

namespace {

using capstan::Unstructured;
using capstan::testing::Eventually;
using Objects = capstan::Client<Unstructured>;

// Program runs until Stop, or until it is destroyed.
class Program {
 public:
  Program(const std::string& path, const std::string& kubeconfig) : pid_(fork()) {
    if (pid_ != 0) return;
    execl(path.c_str(), path.c_str(), ("--kubeconfig=" + kubeconfig).c_str(),
          "--metrics-listen-address=127.0.0.1:0", nullptr);
    std::_Exit(127);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { End(); }
  void Stop() { Require(End() == 0, "the program ends with exit code 0 after SIGTERM"); }

 private:
  // Returns the exit code; -1: it ended already, or by a signal.
  int End() {
    const pid_t pid = std::exchange(pid_, 0);
    int status = 0;
    if (pid == 0 || kill(pid, SIGTERM) != 0 || waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t pid_;
};

Unstructured Object(std::string_view json) { return Value(Unstructured::FromJson(json), "JSON"); }

// Creates an object. A server serves a new kind, and accepts objects in a new namespace, some time
// after its creation.
Unstructured Create(const Objects& client, const Unstructured& object) {
  capstan::Expected<capstan::Ptr<Unstructured>> created;
  Eventually([&] { return (created = client.Create({}, object)).has_value(); });
  return *Value(std::move(created), object.kind() + " is created");
}

void TestHello(const std::string& path, const std::string& kubeconfig) {
  const auto config = Value(capstan::clientgo::clientcmd::LoadConfig({.kubeconfig = kubeconfig}),
                            "the kubeconfig is read");
  const auto client = Value(capstan::clientgo::rest::Client::New(config), "a client");
  const auto definition_type =
      Unstructured::TypeFor({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                            "CustomResourceDefinition", false);
  const auto namespace_type = Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false);
  const auto foo_type =
      Unstructured::TypeFor({"samplecontroller.k8s.io", "v1alpha1", "foos"}, "Foo", true);
  const auto deployment_type =
      Unstructured::TypeFor({"apps", "v1", "deployments"}, "Deployment", true);
  const auto event_type = Unstructured::TypeFor({"", "v1", "events"}, "Event", true);
  const Objects definitions(*client, definition_type);
  const Objects namespaces(*client, namespace_type);
  const Objects foos(*client, foo_type);
  const Objects deployments(*client, deployment_type);
  const Objects events(*client, event_type);

  Create(definitions, Object(Output(path + " --print-crds")));
  const std::string ns = Create(namespaces, Object(R"({"apiVersion":"v1","kind":"Namespace",)"
                                                   R"("metadata":{"generateName":"hello-"}})"))
                             .metadata.name;
  const Unstructured created =
      Create(foos, Object(R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo",)"
                          R"("metadata":{"name":"example","namespace":")" +
                          ns + R"("},"spec":{"deploymentName":"web"}})"));
  Require(created.Get<int>({"spec", "replicas"}) == 1, "the server sets the default of replicas");

  {
    Program program(path, kubeconfig);
    const capstan::ObjectKey foo{ns, "example"};
    const capstan::ObjectKey web{ns, "web"};
    const auto has = [](const Objects& objects, const capstan::ObjectKey& key,
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
    const auto has_event = [&] {
      const auto all = events.List({}, {.namespace_ = ns});
      return all && std::any_of(all->begin(), all->end(), [&](const auto& event) {
               return event->template Get<std::string>({"reason"}) == "Synced" &&
                      event->template Get<std::string>({"involvedObject", "uid"}) ==
                          created.metadata.uid;
             });
    };
    Require(Eventually(has_event), "an Event about the Foo");

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
  Require(namespaces.Delete({}, {.namespace_ = "", .name = ns}).has_value(),
          "the namespace is deleted");
  Require(definitions.Delete({}, {.namespace_ = "", .name = "foos.samplecontroller.k8s.io"})
              .has_value(),
          "the definition is deleted");
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || (argc == 4 && std::string_view(argv[2]) == "--real"),
            "usage: hello_test PROGRAM [--real KUBECONFIG]");
    TestHello(argv[1], kubeconfig);
  });
}
