// SPDX-License-Identifier: Apache-2.0
// pod_labeler_test PROGRAM [--real KUBECONFIG] runs pod-labeler on the embedded API server, or on
// the cluster of a kubeconfig. Exit code 0: passed.
#include <map>
#include <string>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/scope.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/unstructured.h"
#include "testing/example_test.h"
#include "testing/objects.h"
#include "testing/program.h"

namespace {

using capstan::Patch;
using capstan::Unstructured;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Scope;
using Labels = std::map<std::string, std::string>;

constexpr char kAnnotation[] = "example.com/add-pod-name-label";
constexpr char kLabel[] = "example.com/pod-name";

Unstructured NewPod(const std::string& ns, const std::string& name, const Labels& annotations) {
  Unstructured pod =
      Object(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},)"
             R"("spec":{"containers":[{"name":"pause","image":"registry.k8s.io/pause:3.10"}]}})");
  pod.metadata.name = name;
  pod.metadata.namespace_ = ns;
  pod.metadata.annotations = annotations;
  pod.metadata.labels = {{"app", "test"}};
  return pod;
}

class Pods {
 public:
  Pods(capstan::rest::Client& client, std::string ns)
      : pods_(client, Unstructured::TypeFor({"", "v1", "pods"}, "Pod", true)), ns_(std::move(ns)) {}

  void Add(const std::string& name, const Labels& annotations) {
    Create(pods_, NewPod(ns_, name, annotations));
  }
  void Change(const std::string& name, const std::string& patch) {
    Value(pods_.Patch({}, {ns_, name}, Patch::Merge(patch)), "a patch of Pod " + name);
  }
  Labels LabelsOf(const std::string& name) {
    return Value(pods_.Get({}, {ns_, name}), "get Pod " + name)->metadata.labels;
  }
  std::string UidOf(const std::string& name) {
    return Value(pods_.Get({}, {ns_, name}), "get Pod " + name)->metadata.uid;
  }
  void RequireLabels(const std::string& name, const Labels& wanted, const std::string& what) {
    Require(Eventually([&] { return LabelsOf(name) == wanted; }), what);
  }

 private:
  const capstan::Client<Unstructured> pods_;
  const std::string ns_;
};

void TestPodLabeler(const std::string& path, const std::string& kubeconfig) {
  const auto config =
      Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}), "the kubeconfig is read");
  const auto client = Value(capstan::rest::Client::New(config), "a client");
  Scope scope(*client, "pod-labeler");
  Pods pods(*client, scope.NewNamespace());
  const Labels plain = {{"app", "test"}};
  const auto labelled = [](const std::string& name) {
    return Labels{{"app", "test"}, {kLabel, name}};
  };
  pods.Add("before", {{kAnnotation, "true"}});
  Program program(path, kubeconfig);
  pods.RequireLabels("before", labelled("before"), "a Pod that exists gets the label");
  pods.Add("after", {{kAnnotation, "true"}});
  pods.RequireLabels("after", labelled("after"), "a new Pod gets the label");

  pods.Add("later", {});
  pods.Change("later", R"({"metadata":{"annotations":{"example.com/add-pod-name-label":"true"}}})");
  pods.RequireLabels("later", labelled("later"), "a Pod gets the label after its annotation");
  pods.Change("later", R"({"metadata":{"labels":{"example.com/pod-name":"other"}}})");
  pods.RequireLabels("later", labelled("later"), "a changed label is repaired");
  pods.Change("later", R"({"metadata":{"annotations":{"example.com/add-pod-name-label":null}}})");
  pods.RequireLabels("later", plain, "the label goes with the annotation");

  const std::string long_name(64, 'a');
  pods.Add(long_name, {{kAnnotation, "true"}});
  const std::string uid = pods.UidOf(long_name);
  const auto warned = [&](int count) {
    return Eventually([&] {
      return HasEvent(*client, uid, "NameTooLong",
                      "The name has more than 63 characters, so it cannot be a label", count);
    });
  };
  Require(warned(1), "an Event about a Pod whose name is too long");
  pods.Change(long_name, R"({"metadata":{"labels":{"example.com/pod-name":"other"}}})");
  Require(warned(2), "the Event is counted");
  pods.RequireLabels(long_name, plain, "a Pod with a long name has no label");
  program.Stop();
}

// Pods that need no label, or cannot have it, are not patched.
void TestWritesOnlyWhatDiffers(const std::string& path) {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the embedded API server starts");
  const capstan::testing::TempDir folder;
  const auto client = Value(capstan::rest::Client::New(server.Config()), "a client");
  Pods pods(*client, "default");
  const std::string long_name(64, 'a');
  pods.Add("plain", {});
  pods.Add("false", {{kAnnotation, "false"}});
  pods.Add(long_name, {{kAnnotation, "true"}});
  pods.Add("one", {{kAnnotation, "true"}});
  Program program(path, folder.Write("kubeconfig", server.Kubeconfig("")));
  pods.RequireLabels("one", {{"app", "test"}, {kLabel, "one"}}, "a Pod gets the label");
  pods.Add("two", {{kAnnotation, "true"}});  // its label comes after all work for the others
  pods.RequireLabels("two", {{"app", "test"}, {kLabel, "two"}}, "another Pod gets the label");
  Require(pods.LabelsOf(long_name) == Labels{{"app", "test"}}, "a long name is no label");
  program.Stop();
  const std::string agent = "pod-labeler/";
  Require(server.CountRequests({.verb = "patch", .resource = "pods", .user_agent = agent}) == 2,
          "each label is one patch");
  Require(server.CountRequests({.verb = "get", .resource = "pods", .user_agent = agent}) == 0,
          "Pods are read from the cache");
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || argc == 4, "usage: pod_labeler_test PROGRAM [--real KUBECONFIG]");
    TestPodLabeler(argv[1], kubeconfig);
    if (argc == 2) TestWritesOnlyWhatDiffers(argv[1]);
  });
}
