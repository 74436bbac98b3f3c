// SPDX-License-Identifier: Apache-2.0
// SecretSource: the ca.crt of a Secret that opted in. Whether the Secret exists and opted in is
// asked of a metadata-only cache, its content of SecretContents. Thread-safe. Mirrors
// secretDataSource in cert-manager's pkg/controller/cainjector/sources.go.
#pragma once

#include "clientgo/cache/store.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_contents.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class SecretSource final : public Source {
 public:
  // `secrets` is a cache of SecretMetadataType. Both outlive the source.
  SecretSource(SecretContents& contents, const clientgo::cache::StoreReader& secrets,
               SourceOptions options);

  std::string_view annotation() const override { return kInjectCaFromSecret; }
  std::string_view kind() const override { return "Secret"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;

 private:
  SecretContents& contents_;
  const clientgo::cache::StoreReader& secrets_;
  const SourceOptions options_;
};

}  // namespace controllers::cainjector
