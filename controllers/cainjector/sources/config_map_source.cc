// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <memory>
#include <string>
#include <utility>

#include "capstan/clientgo/api/config_map.h"

namespace capstan::controllers::cainjector {
namespace {

tl::expected<SourceBundlePtr, Failure> BundleOf(const clientgo::api::ConfigMap& config_map,
                                                std::string_view data_key, bool keep_text) {
  const std::string name = "ConfigMap " + std::string(config_map.key());
  const auto pem = config_map.Find(data_key);
  if (!pem || pem->empty()) {
    return Fail(Reason::kNoCaData, name + " has no data in " + std::string(data_key));
  }
  return MakeSourceBundle(std::string(data_key) + " of " + name, *pem, keep_text);
}

}  // namespace

tl::expected<SourceBundlePtr, Failure> ConfigMapSource::Get(std::stop_token stop,
                                                            std::string_view value) {
  if (!IsKeyReference(value)) {
    return BadAnnotation(annotation(), value,
                         R"("namespace/name" or "namespace/name/key" of a ConfigMap)");
  }
  const KeyReference reference = SplitKeyReference(value);
  const auto key = clientgo::runtime::ObjectKey::Parse(reference.object);
  if (auto outside = options_.scope.Outside("ConfigMap", key)) return tl::unexpected(*outside);
  const auto found = config_maps_.Get(std::move(stop), key);
  if (!found) return tl::unexpected(found.error());
  if (found->object == nullptr) {
    return AsWatched(found->watched, Fail(Reason::kSourceNotFound,
                                          "ConfigMap " + key.String() + " does not exist"));
  }
  return AsWatched(found->watched,
                   BundleOf(static_cast<const clientgo::api::ConfigMap&>(*found->object),
                            reference.data_key, options_.keep_text));
}

}  // namespace capstan::controllers::cainjector
