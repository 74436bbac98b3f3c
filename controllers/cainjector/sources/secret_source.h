// SPDX-License-Identifier: Apache-2.0
// The sources whose CA is in ca.crt of a Secret. Both are thread-safe and mirror cert-manager's
// pkg/controller/cainjector/sources.go.
#pragma once

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

// SecretSource is a Secret whose owner allows the injection by an annotation.
class SecretSource final : public Source {
 public:
  // `secrets` loads Secrets, and outlives the source.
  SecretSource(CaCertLoader& secrets, SourceOptions options)
      : secrets_(secrets), options_(std::move(options)) {}

  std::string_view annotation() const override { return kInjectCaFromSecret; }
  std::string_view kind() const override { return "Secret"; }

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  CaCertLoader& secrets_;
  const SourceOptions options_;
};

// CertificateSource is the Secret of a cert-manager Certificate. Each link of the chain has its own
// failure: the Certificate, its secretName, the Secret, the Secret's annotation that names the
// Certificate, and the content.
class CertificateSource final : public Source {
 public:
  // `certificates` reads Certificates, `secrets` loads Secrets. Both outlive the source.
  CertificateSource(resolver::Resolver& certificates, CaCertLoader& secrets, SourceOptions options)
      : certificates_(certificates), secrets_(secrets), options_(std::move(options)) {}

  std::string_view annotation() const override { return kInjectCaFrom; }
  std::string_view kind() const override { return "Certificate"; }

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  resolver::Resolver& certificates_;
  CaCertLoader& secrets_;
  const SourceOptions options_;
};

}  // namespace capstan::cainjector
