// SPDX-License-Identifier: Apache-2.0
// namespaces_test PROGRAM [--real KUBECONFIG] runs the functions and the program of this example on
// the embedded API server, or on the cluster of a kubeconfig. Exit code 0: passed.
#include <algorithm>
#include <string>
#include <string_view>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/rest/client.h"
#include "capstan/unstructured.h"
#include "namespaces.h"
#include "testing/example_test.h"

namespace {

void TestNamespaces(const std::string& program, const std::string& kubeconfig) {
  const auto config =
      Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}), "the kubeconfig is read");
  const auto client = Value(capstan::rest::Client::New(config), "a client");
  const auto type = capstan::Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false);
  const capstan::Client<capstan::Unstructured> namespaces(*client, type);
  capstan::Unstructured wanted("v1", "Namespace");
  wanted.metadata.generate_name = "blue-";
  const std::string blue =
      Value(namespaces.Create({}, wanted), "create a namespace")->metadata.name;
  const auto names = Value(ListNamespaces(*client), "the namespaces are listed");
  Require(std::find(names.begin(), names.end(), blue) != names.end(), "the new one is listed");

  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  Require(Output(program + " " + kubeconfig) == lines, "the program prints what is listed");
  Value(namespaces.Delete({}, {.namespace_ = "", .name = blue}), "delete the namespace");

  capstan::testing::apiserver::Server stopped;
  Value(stopped.Start(), "another API server starts");
  const auto late = Value(capstan::rest::Client::New(stopped.Config()), "its client");
  stopped.Stop();
  const auto refused = ListNamespaces(*late);
  Require(!refused && refused.error().message.starts_with("failed to list the namespaces: "),
          "an error says what failed");
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || (argc == 4 && std::string_view(argv[2]) == "--real"),
            "usage: namespaces_test PROGRAM [--real KUBECONFIG]");
    TestNamespaces(argv[1], kubeconfig);
  });
}
