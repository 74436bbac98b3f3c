// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <algorithm>
#include <utility>

namespace controllers::cainjector {
namespace {

using clientgo::runtime::ObjectKey;

struct KeyReference {
  std::string_view object;  // "namespace/name"
  std::string_view data_key = "ca.crt";
};

KeyReference Split(std::string_view value) {
  const std::size_t slash = value.find('/');
  const std::size_t second = slash == std::string_view::npos ? slash : value.find('/', slash + 1);
  if (second == std::string_view::npos) return {.object = value};
  return {.object = value.substr(0, second), .data_key = value.substr(second + 1)};
}

bool IsDataKey(std::string_view key) {
  return !key.empty() && key.find('/') == std::string_view::npos;
}

}  // namespace

ConfigMapSource::ConfigMapSource(
    controllers::resolver::NamespacedResourceResolver<clientgo::api::ConfigMap> config_maps,
    const clientgo::cache::StoreReader& watched, SourceOptions options)
    : config_maps_(std::move(config_maps)), watched_(watched), options_(std::move(options)) {}

std::optional<std::string> ConfigMapSource::Reference(std::string_view value) const {
  return std::string(Split(value).object);
}

tl::expected<SourceBundlePtr, Failure> ConfigMapSource::Get(std::stop_token stop,
                                                            std::string_view value) {
  const KeyReference reference = Split(value);
  const auto key = ParseReference(annotation(), "a ConfigMap", reference.object);
  if (!key || !IsDataKey(reference.data_key)) {
    return BadAnnotation(annotation(), value,
                         R"("namespace/name" or "namespace/name/key" of a ConfigMap)");
  }
  if (auto outside = options_.scope.Outside("ConfigMap", *key)) return tl::unexpected(*outside);
  auto bundle = Read(std::move(stop), *key, reference.data_key);
  const bool watched = watched_.GetByKey(key->String()) != nullptr;
  if (!bundle) {
    bundle.error().watched = watched;
    return tl::unexpected(std::move(bundle.error()));
  }
  bundle->watched = watched;
  return std::make_shared<const SourceBundle>(*std::move(bundle));
}

tl::expected<SourceBundle, Failure> ConfigMapSource::Read(std::stop_token stop,
                                                          const ObjectKey& key,
                                                          std::string_view data_key) {
  const std::string name = "ConfigMap " + key.String();
  const auto config_map = config_maps_.Get(std::move(stop), key.namespace_, key.name);
  if (!config_map) {
    if (IsNotFound(config_map.error())) {
      return Fail(Reason::kSourceNotFound, name + " does not exist");
    }
    return tl::unexpected(ApiFailure("cannot use " + name, config_map.error()));
  }
  const auto pem = (*config_map)->Find(data_key);
  if (!pem || pem->empty()) {
    return Fail(Reason::kNoCaData, name + " has no data in " + std::string(data_key));
  }
  const std::string where = std::string(data_key) + " of " + name;
  auto bundle = MakeSourceBundle(where, *pem, options_.keep_text);
  if (bundle && !IsOnlyPem(*pem)) {
    return Fail(Reason::kInvalidBundle,
                where + " has text around its certificates; it must hold nothing else");
  }
  return bundle;
}

}  // namespace controllers::cainjector
