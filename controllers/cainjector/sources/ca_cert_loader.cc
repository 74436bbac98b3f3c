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

// Returns the type of a GET: one key of the data and the annotations that sources check.
runtime::ResourceType ContentType(Kind kind, const std::string& data_key) {
  const SourceDataOptions options = {.data_key = data_key, .annotations = CheckedAnnotations(kind)};
  return kind == Kind::kSecret ? MakeSecretType(options) : MakeConfigMapDataType(options);
}

tl::expected<SourceBundlePtr, Failure> BundleOf(const SourceData& source, const std::string& name,
                                                const std::string& data_key) {
  const auto pem = source.data();
  if (!pem || pem->empty()) return Fail(Reason::kNoCaData, name + " has no data in " + data_key);
  return MakeSourceBundle(data_key + " of " + name, *pem);
}

runtime::ResourceType MetadataType(Kind kind) {
  const bool secret = kind == Kind::kSecret;
  return api::MakeMetadataType({.gvr = secret ? api::SecretsResource() : api::ConfigMapsResource(),
                                .kind = secret ? "Secret" : "ConfigMap",
                                .namespaced = true,
                                .annotations = CheckedAnnotations(kind),
                                .annotation_bytes_max = kSourceAnnotationBytesMax});
}

}  // namespace

const runtime::ResourceType& SecretMetadataType() {
  static const runtime::ResourceType type = MetadataType(Kind::kSecret);
  return type;
}

const runtime::ResourceType& ConfigMapMetadataType() {
  static const runtime::ResourceType type = MetadataType(Kind::kConfigMap);
  return type;
}

tl::expected<SourceBundlePtr, Failure> CaCertLoader::Get(std::stop_token stop,
                                                         const CaCertRequest& request) {
  const std::string key = request.key.String();
  const std::uint64_t uses = Uses();
  const resolver::Resolution found = metadata_.Get(stop, request.key);
  if (found.object) {
    return AsWatched(found.watched, GetAllowed(std::move(stop), request, **found.object));
  }
  Failure failure = LookupFailure(Name(key), found);
  failure.at = request.at;
  if (failure.reason != Reason::kSourceNotFound) return tl::unexpected(std::move(failure));
  Forget(key, uses);
  failure.message = Name(key) + request.whose + " does not exist";
  return AsWatched(found.watched, tl::unexpected(request.consent.Hide(std::move(failure))));
}

tl::expected<SourceBundlePtr, Failure> CaCertLoader::GetAllowed(std::stop_token stop,
                                                                const CaCertRequest& request,
                                                                const runtime::Object& metadata) {
  const auto refuse = [&request](const auto& annotation_of) -> std::optional<Failure> {
    if (!request.consent.IsGiven(annotation_of(kAllowInjectionInto))) {
      return request.consent.Missing();
    }
    const auto& opt_in = request.opt_in;
    if (opt_in && annotation_of(opt_in->annotation) != opt_in->value) return opt_in->missing;
    return std::nullopt;
  };
  auto refusal = refuse([&](std::string_view name) {
    return static_cast<const api::ObjectMetadata&>(metadata).Annotation(name);
  });
  if (refusal) return tl::unexpected(*std::move(refusal));
  auto loaded = GetVersion(std::move(stop), {request.key.String(), request.data_key},
                           metadata.resource_version());
  if (!loaded) {
    loaded.error().at = request.at;
    return tl::unexpected(std::move(loaded.error()));
  }
  // Checked again because the cache may lag behind the loaded version.
  refusal = refuse([&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = (*loaded)->annotations.find(name);
    if (found == (*loaded)->annotations.end()) return std::nullopt;
    return found->second;
  });
  if (refusal) return tl::unexpected(*std::move(refusal));
  return (*loaded)->bundle;
}

CaCertLoader::Outcome CaCertLoader::GetVersion(std::stop_token stop, const EntryKey& key,
                                               std::string_view version) {
  std::shared_ptr<Entry> entry;
  {
    const MutexLock lock(mu_);
    const auto found = entries_.find(key);
    if (found != entries_.end()) entry = found->second;
    if (entry && entry->Has(version)) {
      entry->last_used = ++uses_;
      const bool loaded =
          loaded_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !entry->loading; });
      if (loaded) return entry->outcome;
      return tl::unexpected(ApiFailure("failed to get " + Name(key.first),
                                       {.reason = ErrorReason::kCanceled, .message = "stopped"}));
    }
    entry = std::make_shared<Entry>();
    entry->cached_version = version;
    entry->last_used = ++uses_;
    if (found != entries_.end()) Erase(found);
    entries_.emplace(key, entry);
    MakeRoom();
  }
  return Load(std::move(stop), key, entry);
}

CaCertLoader::Outcome CaCertLoader::Load(std::stop_token stop, const EntryKey& key,
                                         const std::shared_ptr<Entry>& entry) {
  Outcome outcome = Fetch(std::move(stop), key);
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

CaCertLoader::Outcome CaCertLoader::Fetch(std::stop_token stop, const EntryKey& key) const {
  const auto& [object_key, data_key] = key;
  const std::string name = Name(object_key);
  const auto type = ContentType(options_.kind, data_key);
  const auto object = client_.Get(std::move(stop), type, runtime::ObjectKey::Parse(object_key));
  if (!object && IsNotFound(object.error())) {
    return Fail(Reason::kSourceNotFound, name + " does not exist");
  }
  if (!object) return tl::unexpected(ApiFailure("failed to get " + name, object.error()));
  const auto& source = static_cast<const SourceData&>(**object);
  Loaded loaded{.version = source.resource_version(),
                .bundle = BundleOf(source, name, data_key),
                .annotations = {}};
  for (std::string& annotation : CheckedAnnotations(options_.kind)) {
    const auto value = source.Annotation(annotation);
    if (value) loaded.annotations.emplace(std::move(annotation), *value);
  }
  return std::make_shared<const Loaded>(std::move(loaded));
}

std::string CaCertLoader::Name(std::string_view key) const {
  return (options_.kind == Kind::kSecret ? "Secret " : "ConfigMap ") + std::string(key);
}

std::size_t CaCertLoader::BytesOf(const Outcome& outcome) {
  if (!outcome) return outcome.error().message.size();
  const auto& bundle = (*outcome)->bundle;
  if (!bundle) return bundle.error().message.size();
  std::size_t bytes = 0;
  for (const Certificate& certificate : (*bundle)->certificates) bytes += certificate.der.size();
  return bytes;
}

bool CaCertLoader::MayBeHeld(const Outcome& outcome) {
  return outcome.has_value() || RetryAfter(outcome.error().reason) == Retry::kOnChange;
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
