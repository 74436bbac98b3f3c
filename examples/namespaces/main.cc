// SPDX-License-Identifier: Apache-2.0
// namespaces [KUBECONFIG] prints the namespaces of a cluster. Without an argument it finds the
// cluster as kubectl does.
#include <iostream>

#include "capstan/clientcmd/config.h"
#include "namespaces.h"

int main(int argc, char** argv) {
  const auto fail = [](const capstan::Error& error) {
    std::cerr << "namespaces: " << error.message << '\n';
    return 1;
  };
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = argc > 1 ? argv[1] : ""});
  if (!config) return fail(config.error());
  auto client = capstan::rest::Client::New(*config);
  if (!client) return fail(client.error());
  const auto names = ListNamespaces(**client);
  if (!names) return fail(names.error());
  for (const std::string& name : *names) std::cout << name << '\n';
}
