// SPDX-License-Identifier: Apache-2.0
// SecretCache: what is known of a Secret without its content: that it exists, its version, and the
// annotations that sources check. The sources read this and nothing else, so that which Secrets are
// held or watched is somebody else's choice. Implementations are thread-safe.
// No upstream: cainjector's sources read controller-runtime's cache of all Secrets.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "clientgo/api/object_metadata.h"
#include "clientgo/cache/store.h"
#include "clientgo/runtime/object.h"
#include "clientgo/util/error.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/resolver/resolver.h"

namespace controllers::cainjector {

class SecretCache {
 public:
  struct Known {
    std::shared_ptr<const clientgo::api::ObjectMetadata> secret = {};  // null: there is none
    bool watched = true;  // a change is an event; else it has to be looked for now and then
  };
  virtual ~SecretCache() = default;
  // Blocks for a call, or until `stop`, when nothing is held of the Secret. A failure says why
  // nothing can be known. REQUIRES: the key is of names that can exist.
  virtual tl::expected<Known, Failure> Get(std::stop_token stop,
                                           const clientgo::runtime::ObjectKey& key) = 0;
};

// Every Secret that may be a source is in `store`, which outlives this. No calls. `available` says
// why the store cannot be trusted; empty: it always can.
class ListedSecrets final : public SecretCache {
 public:
  explicit ListedSecrets(const clientgo::cache::StoreReader& store,
                         std::function<clientgo::util::Expected<void>()> available = {})
      : store_(store), available_(std::move(available)) {}
  tl::expected<Known, Failure> Get(std::stop_token stop,
                                   const clientgo::runtime::ObjectKey& key) override;

 private:
  const clientgo::cache::StoreReader& store_;
  const std::function<clientgo::util::Expected<void>()> available_;
};

// cert-manager gives this label to the Secrets that it makes, and to those it is told to watch.
inline constexpr const char* kCachedSecrets = "controller.cert-manager.io/fao=true";

// Only the Secrets with that label are in `store`, which outlives this; one GET of the metadata for
// each look at any other. Mirrors the gate SecretsFilteredCaching of cert-manager's controller.
class LabelledSecrets final : public SecretCache {
 public:
  // `chain` asks the caches behind `store` first, then the API server.
  LabelledSecrets(const clientgo::cache::StoreReader& store,
                  std::unique_ptr<resolver::ObjectResolver> chain)
      : store_(store), chain_(std::move(chain)) {}
  tl::expected<Known, Failure> Get(std::stop_token stop,
                                   const clientgo::runtime::ObjectKey& key) override;

 private:
  const clientgo::cache::StoreReader& store_;
  const std::unique_ptr<resolver::ObjectResolver> chain_;
};

// For implementations: what `resolver` answers, as of a Secret that is not watched.
tl::expected<SecretCache::Known, Failure> LookUp(std::stop_token stop,
                                                 resolver::ObjectResolver& resolver,
                                                 const clientgo::runtime::ObjectKey& key);

}  // namespace controllers::cainjector
