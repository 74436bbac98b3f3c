// SPDX-License-Identifier: Apache-2.0
// CertificateSource: the ca.crt of the Secret that a cert-manager Certificate is kept in. Names a
// reason for each link of the chain that can be broken: Certificate, its secretName, the Secret,
// the Secret's claim to belong to the Certificate, its content. Thread-safe.
// Mirrors certificateDataSource in cert-manager's pkg/controller/cainjector/sources.go.
#pragma once

#include "clientgo/cache/store.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_cache.h"
#include "controllers/cainjector/sources/secret_contents.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class CertificateSource final : public Source {
 public:
  // `certificates` is a cache of api::Certificate, for which options.available speaks. All outlive
  // the source.
  CertificateSource(SecretContents& contents, const clientgo::cache::StoreReader& certificates,
                    SecretCache& secrets, SourceOptions options);

  std::string_view annotation() const override { return kInjectCaFrom; }
  std::string_view kind() const override { return "Certificate"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFrom(std::stop_token stop,
                                                 const clientgo::runtime::ObjectKey& certificate,
                                                 const clientgo::runtime::ObjectKey& key,
                                                 const clientgo::api::ObjectMetadata* secret);

  SecretContents& contents_;
  const clientgo::cache::StoreReader& certificates_;
  SecretCache& secrets_;
  const SourceOptions options_;
};

}  // namespace controllers::cainjector
