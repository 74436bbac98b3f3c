// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <string>
#include <utility>

#include "capstan/api/object_metadata.h"

namespace capstan::cainjector {

using Outcome = tl::expected<SourceBundlePtr, Failure>;

Outcome ConfigMapSource::GetFor(std::stop_token stop, std::string_view value,
                                std::string_view target_namespace) {
  if (!IsKeyReference(value)) {
    return BadAnnotation(annotation(), value,
                         R"("namespace/name" or "namespace/name/key" of a ConfigMap)");
  }
  const KeyReference reference = SplitKeyReference(value);
  const auto key = runtime::ObjectKey::Parse(reference.object);
  if (auto outside = options_.scope.Outside("ConfigMap", key)) return tl::unexpected(*outside);
  const Consent consent(options_.shared_namespaces, "ConfigMap", key, target_namespace);
  const std::uint64_t uses = loader_.Uses();
  const auto found = config_maps_.Get(stop, key);
  if (!found) return tl::unexpected(found.error());
  if (found->object == nullptr) loader_.Forget(key.String(), uses);
  return AsWatched(found->watched, Load(std::move(stop), reference, found->object.get(), consent));
}

Outcome ConfigMapSource::Load(std::stop_token stop, const KeyReference& reference,
                              const runtime::Object* config_map, const Consent& consent) {
  const auto key = runtime::ObjectKey::Parse(reference.object);
  if (config_map == nullptr) {
    return tl::unexpected(
        consent.Hide({.reason = Reason::kSourceNotFound,
                      .message = "ConfigMap " + key.String() + " does not exist"}));
  }
  const auto& metadata = static_cast<const api::ObjectMetadata&>(*config_map);
  if (!consent.IsGiven(metadata.Annotation(kAllowInjectionInto))) {
    return tl::unexpected(consent.Missing());
  }
  const auto loaded = loader_.Get(std::move(stop), key, config_map->resource_version(),
                                  std::string(reference.data_key));
  if (!loaded) return tl::unexpected(loaded.error());
  // Checked again because the cache may lag behind the loaded version.
  if (!consent.IsGiven((*loaded)->allow_injection_into)) return tl::unexpected(consent.Missing());
  return (*loaded)->bundle;
}

}  // namespace capstan::cainjector
