// SPDX-License-Identifier: Apache-2.0
// e2e_cache_dump FLAGS: runs an informer on the metadata of all Secrets and prints its cache. For
// each line on stdin it prints "namespace/name resourceVersion" of every object, then "end". It
// exits at the end of stdin. The scenarios compare this with a LIST of another client.
#include <iostream>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/api/object_metadata.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace {

using clientgo::util::Expected;

constexpr std::string_view kKubeconfigFlag = "--kubeconfig=";

void Dump(const clientgo::cache::StoreReader& store) {
  for (const auto& object : store.List()) {
    std::cout << object->key() << ' ' << object->resource_version() << '\n';
  }
  std::cout << "end" << std::endl;
}

Expected<void> Run(const std::string& kubeconfig) {
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = kubeconfig});
  if (!config) return tl::unexpected(config.error());
  config->user_agent = "e2e-cache-dump";
  auto client = clientgo::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());

  const auto secrets = clientgo::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  clientgo::cache::SharedInformerFactory factory(**client, {});
  const auto& informer = factory.ForType(secrets);
  std::stop_source stop;
  factory.Start(stop.get_token());
  for (std::string line; std::getline(std::cin, line);) Dump(informer.store());
  stop.request_stop();
  factory.Shutdown();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view flag = argc == 2 ? argv[1] : "";
  if (flag.substr(0, kKubeconfigFlag.size()) != kKubeconfigFlag) {
    std::cerr << "usage: e2e_cache_dump --kubeconfig=FILE\n";
    return 1;
  }
  if (auto done = Run(std::string(flag.substr(kKubeconfigFlag.size()))); !done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
  return 0;
}
