// SPDX-License-Identifier: Apache-2.0
// hello_test PROGRAM [--real KUBECONFIG] runs hello: on the embedded API server, which starts in
// milliseconds, or on the cluster of a kubeconfig. Exit code 0: passed.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/client/client.h"
#include "capstan/clientgo/cache/informer_factory.h"
#include "capstan/clientgo/clientcmd/config.h"
#include "capstan/kind/unstructured.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"

namespace {

using capstan::Unstructured;
using Objects = capstan::Client<Unstructured>;

void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}
template <class T>
T Value(capstan::clientgo::util::Expected<T> result, const std::string& what) {
  Require(result.has_value(), what + ": " + (result ? "" : result.error().message));
  return *std::move(result);
}

// Returns what a command prints.
std::string Output(const std::string& command) {
  std::string text;
  FILE* out = popen(command.c_str(), "r");
  Require(out != nullptr, command);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  Require(pclose(out) == 0, command);
  return text;
}

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

// Watched knows the newest version of each object of one kind.
class Watched {
 public:
  Watched(capstan::clientgo::cache::SharedInformerFactory& informers,
          const capstan::clientgo::runtime::ResourceType& type) {
    const auto set = [this](const capstan::clientgo::runtime::ObjectPtr& object) {
      const std::lock_guard lock(mutex_);
      objects_[std::string(object->key())] = dynamic_cast<const Unstructured&>(*object);
      changed_.notify_all();
    };
    const auto added = informers.ForType(type).AddEventHandler(
        {.on_add = [set](const auto& object, bool /*initial*/) { set(object); },
         .on_update = [set](const auto& /*old*/, const auto& object) { set(object); }});
    Require(added.has_value(), "the informer takes a handler");
  }
  // Waits for an object that fulfils the condition, at most a minute. Returns it.
  Unstructured Await(const std::string& what,
                     const std::function<bool(const Unstructured&)>& condition) {
    std::unique_lock lock(mutex_);
    Unstructured found;
    const bool in_time = changed_.wait_for(lock, std::chrono::minutes(1), [&] {
      for (const auto& [key, object] : objects_) {
        if (!condition(object)) continue;
        found = object;
        return true;
      }
      return false;
    });
    Require(in_time, what);
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Unstructured, std::less<>> objects_;
};

Unstructured Object(std::string_view json) { return Value(Unstructured::FromJson(json), "JSON"); }

// Creates an object. A server serves a new kind, and accepts objects in a new namespace, some time
// after its creation.
Unstructured Create(const Objects& client, const Unstructured& object) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (;;) {
    auto created = client.Create({}, object);
    if (created) return **created;
    Require(std::chrono::steady_clock::now() < end,
            object.kind() + " cannot be created: " + created.error().message);
  }
}

void RunTest(const std::string& path, const std::string& kubeconfig) {
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

  Create(definitions, Object(Output(path + " crd")));
  const std::string ns = Create(namespaces, Object(R"({"apiVersion":"v1","kind":"Namespace",)"
                                                   R"("metadata":{"generateName":"hello-"}})"))
                             .metadata.name;
  const Unstructured created =
      Create(foos, Object(R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo",)"
                          R"("metadata":{"name":"example","namespace":")" +
                          ns + R"("},"spec":{"deploymentName":"web"}})"));
  Require(created.Get<int>({"spec", "replicas"}) == 1, "the server sets the default of replicas");

  std::stop_source stop;
  capstan::clientgo::cache::SharedInformerFactory informers(*client, {.scope = {.namespace_ = ns}});
  Watched watched_foos(informers, foo_type);
  Watched watched_deployments(informers, deployment_type);
  Watched watched_events(informers, event_type);
  informers.Start(stop.get_token());
  {
    Program program(path, kubeconfig);
    const auto has_replicas = [](int replicas) {
      return [=](const Unstructured& object) {
        return object.Get<int>({"spec", "replicas"}) == replicas;
      };
    };
    const Unstructured deployment =
        watched_deployments.Await("a Deployment with 1 replica", has_replicas(1));
    Require(deployment.metadata.name == "web", "it has the name in the Foo");
    Require(deployment.metadata.owner_references.size() == 1 &&
                deployment.metadata.owner_references[0].uid == created.metadata.uid,
            "the Foo owns it");
    watched_events.Await("an Event about the Foo", [&](const Unstructured& event) {
      return event.Get<std::string>({"reason"}) == "Synced" &&
             event.Get<std::string>({"involvedObject", "uid"}) == created.metadata.uid;
    });

    const capstan::clientgo::runtime::ObjectKey foo{.namespace_ = ns, .name = "example"};
    const capstan::clientgo::runtime::ObjectKey web{.namespace_ = ns, .name = "web"};
    Value(foos.Patch({}, foo, capstan::Patch::Merge(R"({"spec":{"replicas":3}})")), "a patch");
    watched_deployments.Await("a Deployment with 3 replicas", has_replicas(3));
    Value(deployments.PatchStatus(
              {}, web,
              capstan::Patch::Merge(
                  R"({"status":{"replicas":2,"readyReplicas":2,"availableReplicas":2}})")),
          "a patch of the status");
    watched_foos.Await("a Foo with 2 available replicas", [](const Unstructured& object) {
      return object.Get<int>({"status", "availableReplicas"}) == 2;
    });
    Require(!foos.Patch({}, foo, capstan::Patch::Merge(R"({"spec":{"replicas":11}})")),
            "the server rejects 11 replicas");
    program.Stop();
  }
  stop.request_stop();
  informers.Shutdown();
  Require(namespaces.Delete({}, {.namespace_ = "", .name = ns}).has_value(),
          "the namespace is deleted");
  Require(definitions.Delete({}, {.namespace_ = "", .name = "foos.samplecontroller.k8s.io"})
              .has_value(),
          "the definition is deleted");
}

}  // namespace

int main(int argc, char** argv) try {
  const bool real = argc == 4 && std::string_view(argv[2]) == "--real";
  Require(argc == 2 || real, "usage: hello_test PROGRAM [--real KUBECONFIG]");
  if (real) {
    RunTest(argv[1], argv[3]);
    return 0;
  }
  capstan::testing::apiserver::Server server;
  Value(server.Start().map([] { return true; }), "the embedded API server starts");
  const capstan::testing::TempDir folder;
  RunTest(argv[1], folder.Write("kubeconfig", server.Kubeconfig("")));
  return 0;
} catch (const std::exception& error) {
  std::cerr << "FAILED: " << error.what() << '\n';
  return 1;
}
