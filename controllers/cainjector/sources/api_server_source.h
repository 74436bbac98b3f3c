// SPDX-License-Identifier: Apache-2.0
// ApiServerSource: the CA that the connection to the API server is verified with. A file is read
// again now and then: Reload tells when its content changed.
//
// Thread-safe. Mirrors kubeconfigDataSource in cert-manager's pkg/controller/cainjector/sources.go.
// Differs: upstream reads the file once.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/transport/config.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class ApiServerSource final : public Source {
 public:
  // `tls` of the client's configuration: its CA data, else its CA file.
  explicit ApiServerSource(clientgo::transport::TlsConfig tls, bool keep_text = false);

  std::string_view annotation() const override { return kInjectApiServerCa; }
  std::string_view kind() const override { return "APIServer"; }
  // All that say "true" want the same; any other value wants nothing.
  std::optional<std::string> Reference(std::string_view value) const override;
  std::string Describe(std::string_view /*value*/) const override { return "the API server"; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value) override;
  // Reads the file, if it is one. True: what Get returns is not what it returned before.
  bool Reload();

 private:
  using Outcome = tl::expected<SourceBundlePtr, Failure>;
  Outcome Read(const std::string& pem) const;

  const clientgo::transport::TlsConfig tls_;
  const bool keep_text_;
  clientgo::util::Mutex mu_;
  std::string text_ GUARDED_BY(mu_);  // what was read last, or why it could not be
  Outcome outcome_ GUARDED_BY(mu_);
};

}  // namespace controllers::cainjector
