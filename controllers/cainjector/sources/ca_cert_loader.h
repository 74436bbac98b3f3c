// SPDX-License-Identifier: Apache-2.0
// CaCertLoader gets the CA certificates in a Secret or a ConfigMap for a target. It reads the
// object's metadata through a Resolver and checks that the target may use the object. Then it loads
// one key of the data, with one GET for each version of the object, even when many targets, sources
// and workers request it at once.
//
// Between reconciles it holds the certificates, and no other data, of at most `entries_max` objects
// and `bytes_max` bytes. Then those that were used least recently are loaded again. It also holds
// that an object has no usable certificate. An entry is held until the object changes or is
// forgotten. Thread-safe. Differs from upstream, which sends a GET for every reconcile.
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
#include <utility>

#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/sources/consent.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

// Returns the type of cached Secrets: their identity and the annotations that sources check.
const runtime::ResourceType& SecretMetadataType();

// Returns the type of cached ConfigMaps: their identity and the annotation that the source checks.
const runtime::ResourceType& ConfigMapMetadataType();

// CaCertRequest is an object that a target names, and what allows its use.
struct CaCertRequest {
  struct OptIn {
    std::string_view annotation;
    std::string value;
    Failure missing;  // when the annotation does not have the value
  };
  runtime::ObjectKey key;
  const Consent& consent;
  std::optional<OptIn> opt_in = {};  // nullopt: consent is enough
  std::string data_key = "ca.crt";   // REQUIRES: IsDataKey
  std::string whose = {};            // " of Certificate ns/x", after the name of a missing object
  std::optional<Link> at = {};       // the broken link when the object cannot be read
};

struct CaCertLoaderOptions {
  enum class Kind { kSecret, kConfigMap };
  Kind kind = Kind::kSecret;
  std::size_t entries_max = 1024;
  std::size_t bytes_max = std::size_t{4} * 1024 * 1024;
};

class CaCertLoader {
 public:
  // `metadata` reads objects of SecretMetadataType() or ConfigMapMetadataType(). Both outlive it.
  CaCertLoader(rest::Client& client, resolver::Resolver& metadata, CaCertLoaderOptions options = {})
      : client_(client), metadata_(metadata), options_(options) {}

  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, const CaCertRequest& request);
  // Counts what was loaded or used. Read it before the cache, for Forget.
  std::uint64_t Uses() const;
  // Drops the object "namespace/name", unless it was used after Uses() returned `uses`: then
  // another worker knows a newer state of the cache.
  void Forget(std::string_view key, std::uint64_t uses);
  // Drops the objects for which `is_referenced` returns false.
  void DropUnreferenced(const std::function<bool(std::string_view key)>& is_referenced);
  // Return the number of entries that are held, and the bytes of their certificates.
  std::size_t Size() const;
  std::size_t ByteSize() const;

 private:
  // Loaded is the part of an object that its sources use.
  struct Loaded {
    std::string version;
    tl::expected<SourceBundlePtr, Failure> bundle;
    std::map<std::string, std::string, std::less<>> annotations;  // those that sources check
  };
  using Outcome = tl::expected<std::shared_ptr<const Loaded>, Failure>;

  // Entry is one key of the data of one version of an object. Guarded by mu_.
  struct Entry {
    std::string cached_version;  // in the cache when the GET was sent
    bool loading = true;
    Outcome outcome;  // its version is newer when the cache lags
    std::uint64_t last_used = 0;
    std::size_t bytes = 0;

    bool Has(std::string_view version) const {
      if (version == cached_version) return true;
      return !loading && outcome && (*outcome)->version == version;
    }
  };

  // EntryKey is "namespace/name" and the key of the data.
  using EntryKey = std::pair<std::string, std::string>;
  using Entries = std::map<EntryKey, std::shared_ptr<Entry>>;

  tl::expected<SourceBundlePtr, Failure> GetAllowed(std::stop_token stop,
                                                    const CaCertRequest& request,
                                                    const runtime::Object& metadata);
  // Returns the data of an object that the cache holds at `version`. The data may be newer.
  Outcome GetVersion(std::stop_token stop, const EntryKey& key, std::string_view version);
  Outcome Load(std::stop_token stop, const EntryKey& key, const std::shared_ptr<Entry>& entry);
  Outcome Fetch(std::stop_token stop, const EntryKey& key) const;
  std::string Name(std::string_view key) const;
  // Return the size of what an entry holds, and whether it is the same until the object changes.
  static std::size_t BytesOf(const Outcome& outcome);
  static bool MayBeHeld(const Outcome& outcome);
  Entries::iterator Erase(Entries::iterator entry) CAPSTAN_REQUIRES(mu_);
  void MakeRoom() CAPSTAN_REQUIRES(mu_);

  rest::Client& client_;
  resolver::Resolver& metadata_;
  const CaCertLoaderOptions options_;

  mutable Mutex mu_;
  CondVar loaded_;
  Entries entries_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t bytes_ CAPSTAN_GUARDED_BY(mu_) = 0;  // of all entries
  std::uint64_t uses_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

}  // namespace capstan::cainjector
