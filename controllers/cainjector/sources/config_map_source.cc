// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <string>
#include <utility>

namespace capstan::cainjector {

tl::expected<SourceBundlePtr, Failure> ConfigMapSource::GetFor(std::stop_token stop,
                                                               std::string_view value,
                                                               std::string_view target_namespace) {
  if (!IsKeyReference(value)) {
    return BadAnnotation(annotation(), value,
                         R"("namespace/name" or "namespace/name/key" of a ConfigMap)");
  }
  const KeyReference reference = SplitKeyReference(value);
  const auto key = runtime::ObjectKey::Parse(reference.object);
  if (auto outside = options_.scope.Outside("ConfigMap", key)) return tl::unexpected(*outside);
  const Consent consent(options_.shared_namespaces, "ConfigMap", key, target_namespace);
  return config_maps_.Get(
      std::move(stop),
      {.key = key, .consent = consent, .data_key = std::string(reference.data_key)});
}

}  // namespace capstan::cainjector
