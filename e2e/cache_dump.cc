// SPDX-License-Identifier: Apache-2.0
// e2e_cache_dump --kubeconfig=FILE [--http2=auto|off]: runs an informer on the metadata of all
// Secrets and prints its cache. For each line on stdin it prints "namespace/name resourceVersion"
// of every object, then "end". It exits at the end of stdin. The scenarios compare this with a LIST
// of another client.
#include <iostream>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/api/object_metadata.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/clientcmd/config.h"
#include "capstan/error.h"
#include "capstan/heap.h"
#include "capstan/rest/client.h"

namespace {

using capstan::Expected;

constexpr std::string_view kKubeconfigFlag = "--kubeconfig=";
constexpr std::string_view kHttp2Flag = "--http2=";

void Dump(const capstan::cache::StoreReader& store) {
  for (const auto& object : store.List()) {
    std::cout << object->key() << ' ' << object->resource_version() << '\n';
  }
  std::cout << "end" << std::endl;
}

Expected<void> Run(const std::string& kubeconfig, capstan::transport::Http2 http2) {
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig});
  if (!config) return tl::unexpected(config.error());
  config->user_agent = "e2e-cache-dump";
  config->http2 = http2;
  auto client = capstan::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());

  const auto secrets = capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  capstan::cache::SharedInformerFactory factory(**client, {});
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
  capstan::KeepHeapSmall();
  std::string kubeconfig;
  auto http2 = capstan::transport::Http2::kAuto;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag.starts_with(kKubeconfigFlag)) kubeconfig = flag.substr(kKubeconfigFlag.size());
    if (flag.starts_with(kHttp2Flag) && flag.ends_with("=off")) {
      http2 = capstan::transport::Http2::kOff;
    }
  }
  if (kubeconfig.empty()) {
    std::cerr << "usage: e2e_cache_dump --kubeconfig=FILE [--http2=auto|off]\n";
    return 1;
  }
  if (auto done = Run(kubeconfig, http2); !done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
  return 0;
}
