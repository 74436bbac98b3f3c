// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/secret_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/api/secret.h"
#include "clientgo/util/logging.h"

namespace controllers::cainjector {
namespace {

using clientgo::runtime::ObjectKey;
using clientgo::util::MutexLock;

constexpr std::size_t kQuotedMax = 128;  // of an annotation's value in a message

tl::unexpected<Failure> Fail(Reason reason, std::string message) {
  return tl::unexpected(Failure{.reason = reason, .message = std::move(message)});
}

// Exactly one '/', with something on both sides.
std::optional<ObjectKey> ParseReference(std::string_view value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size()) {
    return std::nullopt;
  }
  if (value.find('/', slash + 1) != std::string_view::npos) return std::nullopt;
  return ObjectKey::Parse(value);
}

std::string Name(const ObjectKey& key) { return "Secret " + key.String(); }

tl::unexpected<Failure> NotFound(const ObjectKey& key) {
  return Fail(Reason::kSourceNotFound, Name(key) + " does not exist");
}

tl::unexpected<Failure> NotAllowed(const ObjectKey& key) {
  return Fail(Reason::kNotAllowed, Name(key) + " does not carry the annotation " +
                                       std::string(kAllowDirectInjection) + ": \"true\"");
}

// What a GET of a Secret is decoded to: ca.crt and the opt-in, no other data.
const clientgo::runtime::ResourceType& CaCertType() {
  static const clientgo::runtime::ResourceType type = clientgo::api::MakeSecretType(
      {.data_key = "ca.crt", .annotations = {std::string(kAllowDirectInjection)}});
  return type;
}

// The same until the Secret changes.
bool MayBeHeld(const tl::expected<SourceBundlePtr, Failure>& outcome) {
  return outcome.has_value() || RetryAfter(outcome.error().reason) == Retry::kOnChange;
}

}  // namespace

const clientgo::runtime::ResourceType& SecretMetadataType() {
  static const clientgo::runtime::ResourceType type =
      clientgo::api::MakeMetadataType({.gvr = clientgo::api::SecretsResource(),
                                       .kind = "Secret",
                                       .namespaced = true,
                                       .annotations = {std::string(kAllowDirectInjection)}});
  return type;
}

SecretSource::SecretSource(clientgo::rest::Client& client,
                           const clientgo::cache::StoreReader& secrets, SecretSourceOptions options)
    : client_(client), secrets_(secrets), options_(std::move(options)) {}

SecretSource::Outcome SecretSource::Get(std::stop_token stop, std::string_view value) {
  const auto key = ParseReference(value);
  if (!key) {
    std::string message = "annotation " + std::string(kInjectCaFromSecret) + " is ";
    clientgo::util::AppendQuoted(message, value.substr(0, kQuotedMax));
    return Fail(Reason::kBadAnnotation, message + ", must be \"namespace/name\" of a Secret");
  }
  if (!options_.namespace_.empty() && key->namespace_ != options_.namespace_) {
    return Fail(Reason::kOutsideNamespace, Name(*key) + " is not in namespace " +
                                               options_.namespace_ +
                                               ", the only one that is watched (--namespace)");
  }
  const auto secret = std::static_pointer_cast<const clientgo::api::ObjectMetadata>(
      secrets_.GetByKey(key->String()));
  if (secret == nullptr || secret->Annotation(kAllowDirectInjection) != "true") {
    Forget(key->String());
    if (secret == nullptr) return NotFound(*key);
    return NotAllowed(*key);
  }
  return GetVersion(std::move(stop), *key, secret->resource_version());
}

SecretSource::Outcome SecretSource::GetVersion(std::stop_token stop, const ObjectKey& key,
                                               std::string_view version) {
  std::shared_ptr<Entry> entry;
  {
    const MutexLock lock(mu_);
    const auto found = entries_.find(key.String());
    if (found != entries_.end()) entry = found->second;
    if (entry && (entry->asked_version == version || entry->got_version == version)) {
      entry->last_used = ++uses_;
      const bool loaded = loaded_.Wait(mu_, stop, [&]() REQUIRES(mu_) { return !entry->loading; });
      if (loaded) return entry->outcome;
      return tl::unexpected(
          ApiFailure("failed to get " + Name(key),
                     {.reason = clientgo::util::ErrorReason::kCanceled, .message = "stopped"}));
    }
    entry = std::make_shared<Entry>();
    entry->asked_version = version;
    entry->last_used = ++uses_;
    entries_.insert_or_assign(key.String(), entry);
    MakeRoom();
  }
  return Load(std::move(stop), key, entry);
}

SecretSource::Outcome SecretSource::Load(std::stop_token stop, const ObjectKey& key,
                                         const std::shared_ptr<Entry>& entry) {
  Fetched fetched = Fetch(std::move(stop), key);
  const MutexLock lock(mu_);
  entry->got_version = std::move(fetched.version);
  entry->outcome = fetched.outcome;
  entry->loading = false;
  loaded_.NotifyAll();
  if (!MayBeHeld(fetched.outcome)) {
    const auto found = entries_.find(key.String());
    if (found != entries_.end() && found->second == entry) entries_.erase(found);
  }
  return std::move(fetched.outcome);
}

SecretSource::Fetched SecretSource::Fetch(std::stop_token stop, const ObjectKey& key) const {
  const auto object = client_.Get(std::move(stop), CaCertType(), key);
  if (!object) {
    if (IsNotFound(object.error())) return {.version = {}, .outcome = NotFound(key)};
    return {.version = {},
            .outcome = tl::unexpected(ApiFailure("failed to get " + Name(key), object.error()))};
  }
  const auto& secret = static_cast<const clientgo::api::Secret&>(**object);
  Fetched fetched{.version = std::string(secret.resource_version()), .outcome = {}};
  const auto pem = secret.data();
  if (secret.Annotation(kAllowDirectInjection) != "true") {
    fetched.outcome = NotAllowed(key);
  } else if (!pem || pem->empty()) {
    fetched.outcome = Fail(Reason::kNoCaData, Name(key) + " has no data in ca.crt");
  } else if (auto certificates = ParseBundle(*pem); !certificates) {
    fetched.outcome = Fail(Reason::kInvalidBundle,
                           "ca.crt of " + Name(key) + ": " + certificates.error().message);
  } else {
    fetched.outcome = std::make_shared<const SourceBundle>(
        SourceBundle{.certificates = *std::move(certificates),
                     .text = std::string(options_.keep_text ? *pem : std::string_view())});
  }
  return fetched;
}

void SecretSource::Forget(std::string_view key) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found != entries_.end()) entries_.erase(found);
}

std::size_t SecretSource::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

void SecretSource::MakeRoom() {
  if (entries_.size() <= options_.entries_max) return;
  const auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const auto& a, const auto& b) { return a.second->last_used < b.second->last_used; });
  entries_.erase(oldest);
}

}  // namespace controllers::cainjector
