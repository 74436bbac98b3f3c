// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/ca_cert_loader.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "capstan/api/gvr.h"
#include "capstan/api/object_metadata.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

using Kind = CaCertLoaderOptions::Kind;

std::vector<std::string> CheckedAnnotations(Kind kind) {
  if (kind == Kind::kConfigMap) return {std::string(kAllowInjectionInto)};
  return {std::string(kAllowDirectInjection), std::string(kCertificateName),
          std::string(kAllowInjectionInto)};
}

std::string Name(Kind kind, const runtime::ObjectKey& key) {
  return (kind == Kind::kSecret ? "Secret " : "ConfigMap ") + key.String();
}

// Returns the type of a GET: one key of the data and the annotations that sources check.
runtime::ResourceType ContentType(Kind kind, const std::string& data_key) {
  const SourceDataOptions options = {.data_key = data_key, .annotations = CheckedAnnotations(kind)};
  return kind == Kind::kSecret ? MakeSecretType(options) : MakeConfigMapDataType(options);
}

tl::expected<SourceBundlePtr, Failure> BundleOf(const SourceData& source, Kind kind,
                                                const std::string& data_key) {
  const std::string name = Name(kind, runtime::ObjectKey::Parse(source.key()));
  const auto pem = source.data();
  if (!pem || pem->empty()) return Fail(Reason::kNoCaData, name + " has no data in " + data_key);
  return MakeSourceBundle(data_key + " of " + name, *pem);
}

std::size_t BytesOf(const CaCertLoader::Outcome& outcome) {
  if (!outcome) return outcome.error().message.size();
  const auto& bundle = (*outcome)->bundle;
  if (!bundle) return bundle.error().message.size();
  std::size_t bytes = 0;
  for (const Certificate& certificate : (*bundle)->certificates) bytes += certificate.der.size();
  return bytes;
}

// Returns true when the outcome stays the same until the Secret changes.
bool MayBeHeld(const CaCertLoader::Outcome& outcome) {
  return outcome.has_value() || RetryAfter(outcome.error().reason) == Retry::kOnChange;
}

}  // namespace

const runtime::ResourceType& SecretMetadataType() {
  static const runtime::ResourceType type =
      api::MakeMetadataType({.gvr = api::SecretsResource(),
                             .kind = "Secret",
                             .namespaced = true,
                             .annotations = CheckedAnnotations(Kind::kSecret),
                             .annotation_bytes_max = kSourceAnnotationBytesMax});
  return type;
}

const runtime::ResourceType& ConfigMapMetadataType() {
  static const runtime::ResourceType type =
      api::MakeMetadataType({.gvr = api::ConfigMapsResource(),
                             .kind = "ConfigMap",
                             .namespaced = true,
                             .annotations = CheckedAnnotations(Kind::kConfigMap),
                             .annotation_bytes_max = kSourceAnnotationBytesMax});
  return type;
}

CaCertLoader::Outcome CaCertLoader::Get(std::stop_token stop, const runtime::ObjectKey& key,
                                        std::string_view version, const std::string& data_key) {
  const EntryKey entry_key(key.String(), data_key);
  std::shared_ptr<Entry> entry;
  {
    const MutexLock lock(mu_);
    const auto found = entries_.find(entry_key);
    if (found != entries_.end()) entry = found->second;
    if (entry && entry->Has(version)) {
      entry->last_used = ++uses_;
      const bool loaded =
          loaded_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !entry->loading; });
      if (loaded) return entry->outcome;
      return tl::unexpected(ApiFailure("failed to get " + Name(options_.kind, key),
                                       {.reason = ErrorReason::kCanceled, .message = "stopped"}));
    }
    entry = std::make_shared<Entry>();
    entry->cached_version = version;
    entry->last_used = ++uses_;
    if (found != entries_.end()) Erase(found);
    entries_.emplace(entry_key, entry);
    MakeRoom();
  }
  return Load(std::move(stop), entry_key, entry);
}

CaCertLoader::Outcome CaCertLoader::Load(std::stop_token stop, const EntryKey& key,
                                         const std::shared_ptr<Entry>& entry) {
  Outcome outcome = Fetch(std::move(stop), runtime::ObjectKey::Parse(key.first), key.second);
  const MutexLock lock(mu_);
  entry->outcome = outcome;
  entry->loading = false;
  loaded_.NotifyAll();
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second != entry) return outcome;
  entry->bytes = BytesOf(outcome);
  bytes_ += entry->bytes;
  if (!MayBeHeld(outcome)) Erase(found);
  MakeRoom();
  return outcome;
}

CaCertLoader::Outcome CaCertLoader::Fetch(std::stop_token stop, const runtime::ObjectKey& key,
                                          const std::string& data_key) const {
  const std::string name = Name(options_.kind, key);
  const auto type = ContentType(options_.kind, data_key);
  const auto object = client_.Get(std::move(stop), type, key);
  if (!object && IsNotFound(object.error())) {
    return Fail(Reason::kSourceNotFound, name + " does not exist");
  }
  if (!object) return tl::unexpected(ApiFailure("failed to get " + name, object.error()));
  const auto& source = static_cast<const SourceData&>(**object);
  return std::make_shared<const LoadedSource>(LoadedSource{
      .version = source.resource_version(),
      .bundle = BundleOf(source, options_.kind, data_key),
      .allow_direct_injection =
          std::optional<std::string>(source.Annotation(kAllowDirectInjection)),
      .certificate_name = std::optional<std::string>(source.Annotation(kCertificateName)),
      .allow_injection_into = std::optional<std::string>(source.Annotation(kAllowInjectionInto))});
}

std::uint64_t CaCertLoader::Uses() const {
  const MutexLock lock(mu_);
  return uses_;
}

void CaCertLoader::Forget(std::string_view key, std::uint64_t uses) {
  const MutexLock lock(mu_);
  auto entry = entries_.lower_bound(EntryKey(key, ""));
  while (entry != entries_.end() && entry->first.first == key) {
    entry = entry->second->last_used <= uses ? Erase(entry) : std::next(entry);
  }
}

void CaCertLoader::DropUnreferenced(
    const std::function<bool(std::string_view key)>& is_referenced) {
  std::set<std::string> keys;
  const std::uint64_t uses = Uses();
  {
    const MutexLock lock(mu_);
    for (const auto& [key, entry] : entries_) keys.insert(key.first);
  }
  for (const std::string& key : keys) {  // without the lock: is_referenced may take others
    if (!is_referenced(key)) Forget(key, uses);
  }
}

std::size_t CaCertLoader::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

std::size_t CaCertLoader::ByteSize() const {
  const MutexLock lock(mu_);
  return bytes_;
}

CaCertLoader::Entries::iterator CaCertLoader::Erase(Entries::iterator entry) {
  bytes_ -= entry->second->bytes;
  return entries_.erase(entry);
}

void CaCertLoader::MakeRoom() {
  while (entries_.size() > options_.entries_max || bytes_ > options_.bytes_max) {
    Erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second->last_used < b.second->last_used;
    }));
  }
}

}  // namespace capstan::cainjector
