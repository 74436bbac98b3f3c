// SPDX-License-Identifier: Apache-2.0
// SecretSource: the ca.crt of a Secret that opted in. Whether the Secret exists and opted in is
// asked of a SecretCache, its content of SecretContents. Thread-safe. Mirrors
// secretDataSource in cert-manager's pkg/controller/cainjector/sources.go.
#pragma once

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_cache.h"
#include "controllers/cainjector/sources/secret_contents.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class SecretSource final : public Source {
 public:
  // Both outlive the source.
  SecretSource(SecretContents& contents, SecretCache& secrets, SourceOptions options);

  std::string_view annotation() const override { return kInjectCaFromSecret; }
  std::string_view kind() const override { return "Secret"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFrom(std::stop_token stop,
                                                 const clientgo::runtime::ObjectKey& key,
                                                 const clientgo::api::ObjectMetadata* secret);

  SecretContents& contents_;
  SecretCache& secrets_;
  const SourceOptions options_;
};

}  // namespace controllers::cainjector
