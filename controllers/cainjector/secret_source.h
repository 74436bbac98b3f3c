// SPDX-License-Identifier: Apache-2.0
// SecretSource: the ca.crt of a Secret that opted in. Whether the Secret exists and opted in is
// asked of a metadata-only cache; its content takes one GET for each version of the Secret, however
// many targets and workers want it at once.
//
// What is held between reconciles: the certificates (never other data) of at most `entries_max`
// Secrets, until the Secret changes, goes, or Forget. Failures that only a change of the Secret can
// mend are held the same way. Thread-safe. Mirrors secretDataSource in cert-manager's
// pkg/controller/cainjector/sources.go. Differs: upstream does a GET for every reconcile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "clientgo/cache/store.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/annotations.h"
#include "controllers/cainjector/source.h"

namespace controllers::cainjector {

// What is cached of Secrets: identity and the opt-in annotation.
const clientgo::runtime::ResourceType& SecretMetadataType();

struct SecretSourceOptions {
  std::string namespace_ = {};  // the only one that is watched; empty: all are
  bool keep_text = false;       // fill SourceBundle::text
  std::size_t entries_max = 1024;
};

class SecretSource final : public Source {
 public:
  // `secrets` is a cache of SecretMetadataType. Both outlive the source.
  SecretSource(clientgo::rest::Client& client, const clientgo::cache::StoreReader& secrets,
               SecretSourceOptions options);

  std::string_view annotation() const override { return kInjectCaFromSecret; }
  std::string_view kind() const override { return "Secret"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;
  // No target refers to this Secret any more ("namespace/name").
  void Forget(std::string_view key);
  std::size_t Size() const;  // Secrets of which something is held

 private:
  using Outcome = tl::expected<SourceBundlePtr, Failure>;
  // The content of one version of one Secret. Guarded by mu_.
  struct Entry {
    std::string asked_version;  // what the cache said when the GET was sent
    std::string got_version;    // what the GET returned: newer when the cache lags
    bool loading = true;
    Outcome outcome;
    std::uint64_t last_used = 0;
  };
  struct Fetched {
    std::string version;
    Outcome outcome;
  };

  Outcome GetVersion(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
                     std::string_view version);
  Fetched Fetch(std::stop_token stop, const clientgo::runtime::ObjectKey& key) const;
  Outcome Load(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
               const std::shared_ptr<Entry>& entry);
  void MakeRoom() REQUIRES(mu_);

  clientgo::rest::Client& client_;
  const clientgo::cache::StoreReader& secrets_;
  const SecretSourceOptions options_;

  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar loaded_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_ GUARDED_BY(mu_);
  std::uint64_t uses_ GUARDED_BY(mu_) = 0;
};

}  // namespace controllers::cainjector
