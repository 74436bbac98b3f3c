// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/ca_cert_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/api/object_metadata.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::runtime::ObjectKey;
using clientgo::util::MutexLock;

std::vector<std::string> CheckedAnnotations() {
  return {std::string(kAllowDirectInjection), std::string(kCertificateName)};
}

std::string Name(const ObjectKey& key) { return "Secret " + key.String(); }

// Returns the type of a GET: ca.crt and the annotations that sources check, and no other data.
const clientgo::runtime::ResourceType& CaCertType() {
  static const clientgo::runtime::ResourceType type =
      api::MakeSecretType({.data_key = "ca.crt", .annotations = CheckedAnnotations()});
  return type;
}

tl::expected<SourceBundlePtr, Failure> BundleOf(const api::Secret& secret, const std::string& name,
                                                bool keep_text) {
  const auto pem = secret.data();
  if (!pem || pem->empty()) return Fail(Reason::kNoCaData, name + " has no data in ca.crt");
  return MakeSourceBundle("ca.crt of " + name, *pem, keep_text);
}

// Returns true when the outcome stays the same until the Secret changes.
bool MayBeHeld(const CaCertLoader::Outcome& outcome) {
  return outcome.has_value() || RetryAfter(outcome.error().reason) == Retry::kOnChange;
}

}  // namespace

const clientgo::runtime::ResourceType& SecretMetadataType() {
  static const clientgo::runtime::ResourceType type =
      clientgo::api::MakeMetadataType({.gvr = clientgo::api::SecretsResource(),
                                       .kind = "Secret",
                                       .namespaced = true,
                                       .annotations = CheckedAnnotations()});
  return type;
}

CaCertLoader::Outcome CaCertLoader::Get(std::stop_token stop, const ObjectKey& key,
                                        std::string_view version) {
  std::shared_ptr<Entry> entry;
  {
    const MutexLock lock(mu_);
    const auto found = entries_.find(key.String());
    if (found != entries_.end()) entry = found->second;
    if (entry && entry->Has(version)) {
      entry->last_used = ++uses_;
      const bool loaded =
          loaded_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !entry->loading; });
      if (loaded) return entry->outcome;
      return tl::unexpected(
          ApiFailure("failed to get " + Name(key),
                     {.reason = clientgo::util::ErrorReason::kCanceled, .message = "stopped"}));
    }
    entry = std::make_shared<Entry>();
    entry->cached_version = version;
    entry->last_used = ++uses_;
    entries_.insert_or_assign(key.String(), entry);
    MakeRoom();
  }
  return Load(std::move(stop), key, entry);
}

CaCertLoader::Outcome CaCertLoader::Load(std::stop_token stop, const ObjectKey& key,
                                         const std::shared_ptr<Entry>& entry) {
  Outcome outcome = Fetch(std::move(stop), key);
  const MutexLock lock(mu_);
  entry->outcome = outcome;
  entry->loading = false;
  loaded_.NotifyAll();
  const auto found = entries_.find(key.String());
  const bool is_current = found != entries_.end() && found->second == entry;
  if (is_current && !MayBeHeld(outcome)) entries_.erase(found);
  return outcome;
}

CaCertLoader::Outcome CaCertLoader::Fetch(std::stop_token stop, const ObjectKey& key) const {
  const auto object = client_.Get(std::move(stop), CaCertType(), key);
  if (!object && IsNotFound(object.error())) {
    return Fail(Reason::kSourceNotFound, Name(key) + " does not exist");
  }
  if (!object) return tl::unexpected(ApiFailure("failed to get " + Name(key), object.error()));
  const auto& secret = static_cast<const api::Secret&>(**object);
  return std::make_shared<const LoadedSecret>(LoadedSecret{
      .version = secret.resource_version(),
      .bundle = BundleOf(secret, Name(key), options_.keep_text),
      .allow_direct_injection =
          std::optional<std::string>(secret.Annotation(kAllowDirectInjection)),
      .certificate_name = std::optional<std::string>(secret.Annotation(kCertificateName))});
}

std::uint64_t CaCertLoader::Uses() const {
  const MutexLock lock(mu_);
  return uses_;
}

void CaCertLoader::Forget(std::string_view key, std::uint64_t uses) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(std::string(key));
  if (found != entries_.end() && found->second->last_used <= uses) entries_.erase(found);
}

void CaCertLoader::DropUnreferenced(
    const std::function<bool(std::string_view key)>& is_referenced) {
  std::vector<std::string> keys;
  const std::uint64_t uses = Uses();
  {
    const MutexLock lock(mu_);
    for (const auto& [key, entry] : entries_) keys.push_back(key);
  }
  for (const std::string& key : keys) {  // without the lock: is_referenced may take others
    if (!is_referenced(key)) Forget(key, uses);
  }
}

std::size_t CaCertLoader::Size() const {
  const MutexLock lock(mu_);
  return entries_.size();
}

void CaCertLoader::MakeRoom() {
  if (entries_.size() <= options_.entries_max) return;
  const auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const auto& a, const auto& b) { return a.second->last_used < b.second->last_used; });
  entries_.erase(oldest);
}

}  // namespace capstan::controllers::cainjector
