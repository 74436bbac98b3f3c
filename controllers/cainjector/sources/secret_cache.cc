// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/secret_cache.h"

#include <utility>

namespace controllers::cainjector {

using clientgo::api::ObjectMetadata;
using clientgo::runtime::ObjectKey;
using Outcome = tl::expected<SecretCache::Known, Failure>;

Outcome ListedSecrets::Get(std::stop_token /*stop*/, const ObjectKey& key) {
  if (available_) {
    const auto available = available_();
    if (!available) {
      return tl::unexpected(Failure{.reason = Reason::kSourceUnavailable,
                                    .message = available.error().message,
                                    .error = available.error()});
    }
  }
  return Known{.secret =
                   std::static_pointer_cast<const ObjectMetadata>(store_.GetByKey(key.String()))};
}

Outcome LabelledSecrets::Get(std::stop_token stop, const ObjectKey& key) {
  auto known = LookUp(std::move(stop), *chain_, key);
  if (known) known->watched = store_.GetByKey(key.String()) != nullptr;
  return known;
}

Outcome LookUp(std::stop_token stop, resolver::ObjectResolver& resolver, const ObjectKey& key) {
  auto object = resolver.Get(std::move(stop), key);
  if (object) {
    return SecretCache::Known{
        .secret = std::static_pointer_cast<const ObjectMetadata>(*std::move(object)),
        .watched = false};
  }
  if (IsNotFound(object.error())) return SecretCache::Known{.watched = false};
  Failure failure = ApiFailure("cannot use Secret " + key.String(), object.error());
  failure.watched = false;
  return tl::unexpected(std::move(failure));
}

}  // namespace controllers::cainjector
