// SPDX-License-Identifier: Apache-2.0
// ca_lister [KUBECONFIG] is the complete controller in README.md. It logs each Secret that allows
// the injection of its CA, after each change.
#include <glog/logging.h>

#include "clientgo/api/object_metadata.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/util/logging.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/signals.h"

using clientgo::api::ObjectMetadata;
using clientgo::util::Kv;
using controllers::runtime::Request;

constexpr char kAllowed[] = "cert-manager.io/allow-direct-injection";

class CaLister final : public controllers::runtime::Reconciler {
 public:
  explicit CaLister(const clientgo::cache::StoreReader& secrets) : secrets_(secrets) {}

  tl::expected<controllers::runtime::Result, controllers::runtime::ReconcileError> Reconcile(
      std::stop_token /*stop*/, const Request& request) override {
    const auto secret = secrets_.Get(request.String());  // from the cache: no API call
    if (secret && secret->Annotation(kAllowed) == "true") {
      LOG(INFO) << Kv("May be injected", "secret", secret->key());
    }
    return {};  // an error here would be retried with backoff
  }

 private:
  clientgo::cache::Lister<ObjectMetadata> secrets_;
};

int Fail(const clientgo::util::Error& error) {
  LOG(ERROR) << error.message;
  return 1;
}

int main(int argc, char** argv) {
  controllers::runtime::BlockSignals();
  const controllers::runtime::SignalWaiter signals;  // SIGTERM becomes a stop token
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = argc > 1 ? argv[1] : ""});
  if (!config) return Fail(config.error());
  auto client = clientgo::rest::Client::New(*config);
  if (!client) return Fail(client.error());

  // The cache keeps only the identity and one annotation of each Secret.
  const auto type = clientgo::api::MakeMetadataType({.gvr = {"", "v1", "secrets"},
                                                     .kind = "Secret",
                                                     .namespaced = true,
                                                     .annotations = {kAllowed}});
  clientgo::cache::SharedInformerFactory informers(**client, {});
  auto& secrets = informers.ForType(type);
  CaLister reconciler(secrets.store());
  controllers::runtime::Controller controller(reconciler, {.name = "ca-lister"});
  controller.Watch(secrets,
                   [](const auto& object) { return std::vector{Request::Parse(object.key())}; });
  controllers::runtime::Manager manager(informers, **client, {});
  manager.Add(controller);
  if (auto ended = manager.Start(signals.token()); !ended) return Fail(ended.error());
  return 0;
}
