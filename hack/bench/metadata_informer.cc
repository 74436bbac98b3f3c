// SPDX-License-Identifier: Apache-2.0
// bench_metadata_informer --kubeconfig=FILE [--watch-list=false] runs one metadata informer for
// Secrets. Its counterparts are hack/bench/peers/metadatainformer and hack/bench/peers/kubers. It
// prints one line when it has synced. Then it prints "KEY present" or "KEY absent" for each line
// "namespace/name" of its standard input, and runs until that ends or SIGKILL.
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/api/object_metadata.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/heap.h"
#include "clientgo/util/thread.h"

namespace {

using clientgo::util::Expected;

Expected<void> Run(const std::string& kubeconfig, bool watch_list) {
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = kubeconfig});
  if (!config) return tl::unexpected(config.error());
  const auto start = std::chrono::steady_clock::now();
  auto client = clientgo::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());

  const auto secrets = clientgo::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  clientgo::cache::SharedInformerFactory factory(**client,
                                                 {.reflector = {.watch_list = watch_list}});
  const auto& informer = factory.ForType(secrets);
  std::stop_source stop;
  factory.Start(stop.get_token());
  factory.WaitForCacheSync(stop.get_token());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "synced objects=" << informer.store().Size() << " seconds=" << took.count()
            << " bytes=" << informer.store().ByteSize() << std::endl;
  for (std::string key; std::getline(std::cin, key);) {
    std::cout << key << (informer.store().GetByKey(key) ? " present" : " absent") << std::endl;
  }
  stop.request_stop();
  factory.Shutdown();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  clientgo::util::KeepHeapSmall();
  clientgo::util::KeepStacksSmall();
  constexpr std::string_view kKubeconfig = "--kubeconfig=";
  std::string kubeconfig;
  bool watch_list = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kKubeconfig.size()) == kKubeconfig) {
      kubeconfig = argument.substr(kKubeconfig.size());
    } else if (argument == "--watch-list=false") {
      watch_list = false;
    } else if (argument != "--watch-list=true") {
      std::cerr << "usage: bench_metadata_informer --kubeconfig=FILE [--watch-list=false]\n";
      return 1;
    }
  }
  if (auto done = Run(kubeconfig, watch_list); !done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
  return 0;
}
