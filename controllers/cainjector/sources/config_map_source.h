// SPDX-License-Identifier: Apache-2.0
// ConfigMapSource: the certificates in one key of a ConfigMap. A CA bundle is public, so there is
// no opt-in; but the value must be certificates and nothing else, comments included.
//
// ConfigMaps with the label cache.capstan.dev/enabled=true are watched, so their changes act at
// once; any other one is fetched when a target is looked at, and looked at again every ten minutes.
// Thread-safe. No upstream: cainjector has no such source.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clientgo/api/config_map.h"
#include "clientgo/cache/store.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/resolver/resolver.h"

namespace controllers::cainjector {

inline constexpr const char* kCachedConfigMaps = "cache.capstan.dev/enabled=true";

class ConfigMapSource final : public Source {
 public:
  // `watched`: the cache that the resolver asks first; it outlives the source.
  ConfigMapSource(
      controllers::resolver::NamespacedResourceResolver<clientgo::api::ConfigMap> config_maps,
      const clientgo::cache::StoreReader& watched, SourceOptions options);

  std::string_view annotation() const override { return kInjectCaFromConfigMap; }
  std::string_view kind() const override { return "ConfigMap"; }
  // Without the key: it is the ConfigMap that changes.
  std::optional<std::string> Reference(std::string_view value) const override;
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;

 private:
  tl::expected<SourceBundle, Failure> Read(std::stop_token stop,
                                           const clientgo::runtime::ObjectKey& key,
                                           std::string_view data_key);

  controllers::resolver::NamespacedResourceResolver<clientgo::api::ConfigMap> config_maps_;
  const clientgo::cache::StoreReader& watched_;
  const SourceOptions options_;
};

}  // namespace controllers::cainjector
