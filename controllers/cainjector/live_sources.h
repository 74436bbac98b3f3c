// SPDX-License-Identifier: Apache-2.0
// LiveSources: the sources of `Sources`, in the same precedence and by the same rules, without its
// caches: each look asks the API server. For who looks once, as `capstan` does.
//
// What depends on the process that injects is not known here: that it may not list a kind, or was
// told to leave a namespace alone. What the one who asks may not read is Forbidden to them. The API
// server's CA is that of pods, kube-root-ca.crt, as a manager in the cluster has it; where that
// ConfigMap cannot be read, the client's own.
// For one thread. No upstream.
#pragma once

#include <memory>
#include <vector>

#include "clientgo/cache/store.h"
#include "clientgo/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/sources/secret_cache.h"
#include "controllers/cainjector/sources/secret_contents.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class LiveSources {
 public:
  // `client` outlives it.
  LiveSources(clientgo::rest::Client& client, const CaInjectorOptions& options);

  // In order of precedence. Once it was asked for what it holds, the API server's describes itself
  // with where its CA is from.
  const std::vector<Source*>& all() const { return all_; }

 private:
  void Add(std::unique_ptr<Source> source);

  clientgo::cache::Indexer nothing_;  // what is in no cache is asked for
  SecretContents contents_;
  LabelledSecrets secrets_;
  std::vector<std::unique_ptr<Source>> owned_;
  std::vector<Source*> all_;
};

}  // namespace controllers::cainjector
