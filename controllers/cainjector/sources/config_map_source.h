// SPDX-License-Identifier: Apache-2.0
// ConfigMapSource is the certificates in one key of a ConfigMap. A CA bundle is public, so no
// opt-in is needed. The value must hold certificates and nothing else, not even comments.
//
// Changes of ConfigMaps with the label cache.capstan.dev/enabled=true are injected at once. Others
// are read when a target is reconciled, at least every ten minutes. Thread-safe. Has no upstream.
#pragma once

#include <string_view>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/object_reader.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::controllers::cainjector {

inline constexpr const char* kCachedConfigMaps = "cache.capstan.dev/enabled=true";

class ConfigMapSource final : public Source {
 public:
  // `config_maps` reads clientgo::api::ConfigMap, and outlives the source.
  ConfigMapSource(ObjectReader& config_maps, SourceOptions options)
      : config_maps_(config_maps), options_(std::move(options)) {}

  std::string_view annotation() const override { return kInjectCaFromConfigMap; }
  std::string_view kind() const override { return "ConfigMap"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;

 private:
  ObjectReader& config_maps_;
  const SourceOptions options_;
};

}  // namespace capstan::controllers::cainjector
