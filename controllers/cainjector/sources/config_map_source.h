// SPDX-License-Identifier: Apache-2.0
// ConfigMapSource is the certificates in one key of a ConfigMap. A CA bundle is public, so only a
// target in another namespace needs an opt-in (sources/consent.h). The value must hold certificates
// and nothing else, not even comments.
//
// Changes of ConfigMaps with the label cache.capstan.dev/enabled=true are injected at once. Others
// are read when a target is reconciled, at least every ten minutes. Only the identity of labelled
// ConfigMaps is cached, since any user of a namespace can set the label. Thread-safe. Has no
// upstream.
#pragma once

#include <string_view>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

inline constexpr const char* kCachedConfigMaps = "cache.capstan.dev/enabled=true";

class ConfigMapSource final : public Source {
 public:
  // `config_maps` loads ConfigMaps, and outlives the source.
  ConfigMapSource(CaCertLoader& config_maps, SourceOptions options)
      : config_maps_(config_maps), options_(std::move(options)) {}

  std::string_view annotation() const override { return kInjectCaFromConfigMap; }
  std::string_view kind() const override { return "ConfigMap"; }

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  CaCertLoader& config_maps_;
  const SourceOptions options_;
};

}  // namespace capstan::cainjector
