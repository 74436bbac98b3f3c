// SPDX-License-Identifier: Apache-2.0
// bench_metadata_informer --kubeconfig=FILE [--watch-list=false] [--list-compression=on|off]
// [--http2=off] runs one metadata informer for Secrets. Its counterparts are
// hack/bench/peers/metadatainformer and hack/bench/peers/kubers. It prints one line when it has
// synced. Then it prints "KEY present" or "KEY absent" for each line "namespace/name" of its
// standard input, and runs until that ends or SIGKILL.
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/api/object_metadata.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/clientcmd/config.h"
#include "capstan/heap.h"
#include "capstan/rest/client.h"
#include "capstan/thread.h"

namespace {

using capstan::Expected;
using capstan::transport::Compression;
using capstan::transport::Http2;

struct Options {
  std::string kubeconfig = {};
  bool watch_list = true;
  Compression list_compression = Compression::kAuto;
  Http2 http2 = Http2::kAuto;
};

Expected<void> Run(const Options& options) {
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = options.kubeconfig});
  if (!config) return tl::unexpected(config.error());
  config->list_compression = options.list_compression;
  config->http2 = options.http2;
  const auto start = std::chrono::steady_clock::now();
  auto client = capstan::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());

  const auto secrets = capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  capstan::cache::SharedInformerFactory factory(**client,
                                                {.reflector = {.watch_list = options.watch_list}});
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
  capstan::KeepHeapSmall();
  capstan::KeepStacksSmall();
  Options options;
  const std::map<std::string_view, std::function<void()>> known = {
      {"--watch-list=true", [&] { options.watch_list = true; }},
      {"--watch-list=false", [&] { options.watch_list = false; }},
      {"--list-compression=auto", [&] { options.list_compression = Compression::kAuto; }},
      {"--list-compression=on", [&] { options.list_compression = Compression::kOn; }},
      {"--list-compression=off", [&] { options.list_compression = Compression::kOff; }},
      {"--http2=auto", [&] { options.http2 = Http2::kAuto; }},
      {"--http2=off", [&] { options.http2 = Http2::kOff; }},
  };
  constexpr std::string_view kKubeconfig = "--kubeconfig=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kKubeconfig.size()) == kKubeconfig) {
      options.kubeconfig = argument.substr(kKubeconfig.size());
    } else if (const auto found = known.find(argument); found != known.end()) {
      found->second();
    } else {
      std::cerr << "usage: bench_metadata_informer --kubeconfig=FILE [--watch-list=false] "
                   "[--list-compression=on|off] [--http2=off]\n";
      return 1;
    }
  }
  if (auto done = Run(options); !done) {
    std::cerr << done.error().message << '\n';
    return 1;
  }
  return 0;
}
