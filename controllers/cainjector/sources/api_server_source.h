// SPDX-License-Identifier: Apache-2.0
// The CA that signs the API server's certificate, as a Source. Thread-safe. Mirrors
// kubeconfigDataSource in cert-manager's pkg/controller/cainjector/sources.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/transport/config.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

// ApiServerSource is the CA of a client's configuration. Differs from upstream: the file is read
// again by Reload.
class ApiServerSource final : public Source {
 public:
  // Uses the CA data of `tls`, or else its CA file.
  explicit ApiServerSource(transport::TlsConfig tls);

  std::string_view annotation() const override { return kInjectApiServerCa; }
  std::string_view kind() const override { return "APIServer"; }
  std::string Describe(std::string_view /*value*/) const override { return "the API server"; }
  bool Reload() override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  using Outcome = tl::expected<SourceBundlePtr, Failure>;
  Outcome Read(const std::string& pem) const;

  const transport::TlsConfig tls_;
  Mutex mu_;
  std::string text_ CAPSTAN_GUARDED_BY(mu_);  // of the last read, or its error
  Outcome outcome_ CAPSTAN_GUARDED_BY(mu_);
};

// ClusterApiServerSource is the CA that pods use for the API server, from the ConfigMap
// kube-root-ca.crt. When that cannot be read, it is the CA of the client. For one thread.
class ClusterApiServerSource final : public Source {
 public:
  // `client` outlives it.
  explicit ClusterApiServerSource(rest::Client& client) : client_(client) {}

  std::string_view annotation() const override { return kInjectApiServerCa; }
  std::string_view kind() const override { return "APIServer"; }
  // After the first Get it also names the place of the CA.
  std::string Describe(std::string_view value) const override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  std::unique_ptr<ApiServerSource> Find(const std::stop_token& stop);

  rest::Client& client_;
  std::string place_;
  std::unique_ptr<ApiServerSource> source_;
};

}  // namespace capstan::cainjector
