// SPDX-License-Identifier: Apache-2.0
// SecretContents: ca.crt of Secrets, one GET for each version of a Secret, however many targets,
// sources and workers want it at once.
//
// What is held between reconciles: the certificates (never other data) of at most `entries_max`
// Secrets, until the Secret changes, goes, or Forget. That there is nothing to use in a Secret is
// held the same way. Thread-safe. No upstream: cainjector does a GET for every reconcile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

// What is cached of Secrets: identity and the annotations that sources check.
const clientgo::runtime::ResourceType& SecretMetadataType();

struct SecretContent {
  tl::expected<SourceBundlePtr, Failure> bundle;
  // The annotations' values; nullopt: absent.
  std::optional<std::string> allow_direct_injection;
  std::optional<std::string> certificate_name;
};

struct SecretContentsOptions {
  bool keep_text = false;  // fill SourceBundle::text
  std::size_t entries_max = 1024;
};

class SecretContents {
 public:
  using Outcome = tl::expected<std::shared_ptr<const SecretContent>, Failure>;

  // `client` outlives it.
  explicit SecretContents(clientgo::rest::Client& client, SecretContentsOptions options = {})
      : client_(client), options_(options) {}

  // The content of the Secret that the cache knows at `version`, or of a newer version of it.
  Outcome Get(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
              std::string_view version);
  // Nobody refers to this Secret any more ("namespace/name").
  void Forget(std::string_view key);
  std::size_t Size() const;  // Secrets of which something is held

 private:
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

  Fetched Fetch(std::stop_token stop, const clientgo::runtime::ObjectKey& key) const;
  Outcome Load(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
               const std::shared_ptr<Entry>& entry);
  void MakeRoom() REQUIRES(mu_);

  clientgo::rest::Client& client_;
  const SecretContentsOptions options_;

  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar loaded_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_ GUARDED_BY(mu_);
  std::uint64_t uses_ GUARDED_BY(mu_) = 0;
};

}  // namespace controllers::cainjector
