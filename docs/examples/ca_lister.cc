// SPDX-License-Identifier: Apache-2.0
// ca_lister [KUBECONFIG] is the complete controller in README.md. It logs each Secret that allows
// the injection of its CA, after each change.
#include <glog/logging.h>

#include "capstan/clientgo/api/object_metadata.h"
#include "capstan/clientgo/clientcmd/config.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/controller_runtime/controller.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/controller_runtime/signals.h"

using capstan::clientgo::api::ObjectMetadata;
using capstan::clientgo::util::Kv;
using capstan::controller_runtime::Request;

constexpr char kAllowed[] = "cert-manager.io/allow-direct-injection";

class CaLister final : public capstan::controller_runtime::Reconciler {
 public:
  explicit CaLister(const capstan::clientgo::cache::StoreReader& secrets) : secrets_(secrets) {}

  tl::expected<capstan::controller_runtime::Result, capstan::controller_runtime::ReconcileError>
  Reconcile(std::stop_token /*stop*/, const Request& request) override {
    const auto secret = secrets_.Get(request.String());  // from the cache: no API call
    if (secret && secret->Annotation(kAllowed) == "true") {
      LOG(INFO) << Kv("May be injected", "secret", secret->key());
    }
    return {};  // an error here would be retried with backoff
  }

 private:
  capstan::clientgo::cache::Lister<ObjectMetadata> secrets_;
};

int Fail(const capstan::clientgo::util::Error& error) {
  LOG(ERROR) << error.message;
  return 1;
}

int main(int argc, char** argv) {
  capstan::controller_runtime::BlockSignals();
  const capstan::controller_runtime::SignalWaiter signals;  // SIGTERM becomes a stop token
  auto config = capstan::clientgo::clientcmd::LoadConfig({.kubeconfig = argc > 1 ? argv[1] : ""});
  if (!config) return Fail(config.error());
  auto client = capstan::clientgo::rest::Client::New(*config);
  if (!client) return Fail(client.error());

  // The cache keeps only the identity and one annotation of each Secret.
  const auto type = capstan::clientgo::api::MakeMetadataType({.gvr = {"", "v1", "secrets"},
                                                              .kind = "Secret",
                                                              .namespaced = true,
                                                              .annotations = {kAllowed}});
  capstan::clientgo::cache::SharedInformerFactory informers(**client, {});
  auto& secrets = informers.ForType(type);
  CaLister reconciler(secrets.store());
  capstan::controller_runtime::Controller controller(reconciler, {.name = "ca-lister"});
  controller.Watch(secrets,
                   [](const auto& object) { return std::vector{Request::Parse(object.key())}; });
  capstan::controller_runtime::Manager manager(informers, **client, {});
  manager.Add(controller);
  if (auto ended = manager.Start(signals.token()); !ended) return Fail(ended.error());
  return 0;
}
