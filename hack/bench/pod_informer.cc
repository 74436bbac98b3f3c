// SPDX-License-Identifier: Apache-2.0
// bench_pod_informer --kubeconfig=FILE [--keep] runs one informer for whole Pods, with --keep for
// four of their fields. Its counterparts are hack/bench/peers/podinformer and kubers-podinformer.
// It prints one line when it has synced, and runs until its standard input ends or SIGKILL.
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>

#include "capstan/api/core/v1/pod.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/clientcmd/config.h"
#include "capstan/heap.h"
#include "capstan/rest/client.h"
#include "capstan/thread.h"
#include "capstan/typed_object.h"

struct PodAddress : capstan::api::core::v1::Pod {};
template <>
inline constexpr auto capstan::kKind<PodAddress> = capstan::kKind<capstan::api::core::v1::Pod>.Keep(
    "metadata.labels", "spec.nodeName", "status.phase", "status.podIPs");

namespace {

using capstan::Expected;

Expected<void> Run(const std::string& kubeconfig, const capstan::runtime::ResourceType& type) {
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig});
  if (!config) return tl::unexpected(config.error());
  const auto start = std::chrono::steady_clock::now();
  auto client = capstan::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());
  capstan::cache::SharedInformerFactory factory(**client, {});
  const auto& informer = factory.ForType(type);
  std::stop_source stop;
  factory.Start(stop.get_token());
  factory.WaitForCacheSync(stop.get_token());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "synced objects=" << informer.store().Size() << " seconds=" << took.count()
            << " bytes=" << informer.store().ByteSize() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  stop.request_stop();
  factory.Shutdown();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  capstan::KeepHeapSmall();
  capstan::KeepStacksSmall();
  constexpr std::string_view kKubeconfig = "--kubeconfig=";
  std::string kubeconfig;
  bool keep = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kKubeconfig)) {
      kubeconfig = argument.substr(kKubeconfig.size());
    } else if (argument == "--keep") {
      keep = true;
    } else {
      std::cerr << "usage: bench_pod_informer --kubeconfig=FILE [--keep]\n";
      return 1;
    }
  }
  const auto done = Run(kubeconfig, keep ? capstan::TypeOf<PodAddress>()
                                         : capstan::TypeOf<capstan::api::core::v1::Pod>());
  if (!done) std::cerr << done.error().message << '\n';
  return done ? 0 : 1;
}
