// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/secret_source.h"

#include <utility>

namespace controllers::cainjector {
namespace {

using clientgo::runtime::ObjectKey;

tl::unexpected<Failure> NotAllowed(const ObjectKey& key) {
  return Fail(Reason::kNotAllowed, "Secret " + key.String() + " does not carry the annotation " +
                                       std::string(kAllowDirectInjection) + ": \"true\"");
}

}  // namespace

SecretSource::SecretSource(SecretContents& contents, SecretCache& secrets, SourceOptions options)
    : contents_(contents), secrets_(secrets), options_(std::move(options)) {}

tl::expected<SourceBundlePtr, Failure> SecretSource::Get(std::stop_token stop,
                                                         std::string_view value) {
  auto key = ParseReference(annotation(), "a Secret", value);
  if (!key) return tl::unexpected(std::move(key.error()));
  if (auto outside = options_.scope.Outside("Secret", *key)) return tl::unexpected(*outside);
  const auto known = secrets_.Get(stop, *key);
  if (!known) return tl::unexpected(known.error());
  return AsWatched(known->watched, GetFrom(std::move(stop), *key, known->secret.get()));
}

tl::expected<SourceBundlePtr, Failure> SecretSource::GetFrom(
    std::stop_token stop, const ObjectKey& key, const clientgo::api::ObjectMetadata* secret) {
  if (secret == nullptr) {
    contents_.Forget(key.String());
    return Fail(Reason::kSourceNotFound, "Secret " + key.String() + " does not exist");
  }
  if (secret->Annotation(kAllowDirectInjection) != "true") return NotAllowed(key);
  const auto content = contents_.Get(std::move(stop), key, secret->resource_version());
  if (!content) return tl::unexpected(content.error());
  // Once more, of what was read: the cache may lag behind it.
  if ((*content)->allow_direct_injection != "true") return NotAllowed(key);
  return (*content)->bundle;
}

}  // namespace controllers::cainjector
