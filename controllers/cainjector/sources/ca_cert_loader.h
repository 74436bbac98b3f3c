// SPDX-License-Identifier: Apache-2.0
// CaCertLoader loads ca.crt of Secrets with one GET for each version of a Secret, even when many
// targets, sources and workers request it at once.
//
// Between reconciles it holds the certificates, and no other data, of at most `entries_max`
// Secrets. It also holds that a Secret has no usable certificate. An entry is held until the Secret
// changes or is forgotten. Thread-safe. Differs from upstream, which sends a GET for every
// reconcile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/util/mutex.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::controllers::cainjector {

// Returns the type of cached Secrets: their identity and the annotations that sources check.
const clientgo::runtime::ResourceType& SecretMetadataType();

// LoadedSecret is the part of a Secret that its sources use.
struct LoadedSecret {
  std::string version;
  tl::expected<SourceBundlePtr, Failure> bundle;
  // The values of the annotations; nullopt: absent.
  std::optional<std::string> allow_direct_injection;
  std::optional<std::string> certificate_name;
};

struct CaCertLoaderOptions {
  bool keep_text = false;  // fill SourceBundle::text
  std::size_t entries_max = 1024;
};

class CaCertLoader {
 public:
  using Outcome = tl::expected<std::shared_ptr<const LoadedSecret>, Failure>;

  // `client` outlives it.
  explicit CaCertLoader(clientgo::rest::Client& client, CaCertLoaderOptions options = {})
      : client_(client), options_(options) {}

  // Returns the Secret that the cache holds at `version`, in that version or a newer one.
  Outcome Get(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
              std::string_view version);
  // Counts what was loaded or used. Read it before the cache, for Forget.
  std::uint64_t Uses() const;
  // Drops the Secret "namespace/name", unless it was used after Uses() returned `uses`: then
  // another worker knows a newer state of the cache.
  void Forget(std::string_view key, std::uint64_t uses);
  // Drops the Secrets for which `is_referenced` returns false.
  void DropUnreferenced(const std::function<bool(std::string_view key)>& is_referenced);
  std::size_t Size() const;  // the number of Secrets that are held

 private:
  // Entry is one version of one Secret. Guarded by mu_.
  struct Entry {
    std::string cached_version;  // in the cache when the GET was sent
    bool loading = true;
    Outcome outcome;  // its version is newer when the cache lags
    std::uint64_t last_used = 0;

    bool Has(std::string_view version) const {
      if (version == cached_version) return true;
      return !loading && outcome && (*outcome)->version == version;
    }
  };

  Outcome Fetch(std::stop_token stop, const clientgo::runtime::ObjectKey& key) const;
  Outcome Load(std::stop_token stop, const clientgo::runtime::ObjectKey& key,
               const std::shared_ptr<Entry>& entry);
  void MakeRoom() CAPSTAN_REQUIRES(mu_);

  clientgo::rest::Client& client_;
  const CaCertLoaderOptions options_;

  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar loaded_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_ CAPSTAN_GUARDED_BY(mu_);
  std::uint64_t uses_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

}  // namespace capstan::controllers::cainjector
