// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/live_sources.h"

#include <array>
#include <utility>

#include "clientgo/api/certificate.h"
#include "clientgo/api/config_map.h"
#include "controllers/cainjector/sources/api_server_source.h"
#include "controllers/cainjector/sources/certificate_source.h"
#include "controllers/cainjector/sources/config_map_source.h"
#include "controllers/cainjector/sources/disabled_source.h"
#include "controllers/cainjector/sources/secret_source.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::Certificate;
using clientgo::runtime::ObjectKey;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::Expected;

NamespaceScope ScopeOf(const CaInjectorOptions& options) {
  return {.namespaces = options.namespaces, .ignored = options.ignore_namespaces};
}

// A CertificateSource whose cache holds, of all Certificates, the one that was just asked for.
class LiveCertificates final : public Source {
 public:
  LiveCertificates(clientgo::rest::Client& client, SecretContents& contents, SecretCache& secrets,
                   const CaInjectorOptions& options)
      : client_(client),
        source_(contents, fetched_, secrets,
                {.scope = ScopeOf(options), .available = [this] { return available_; }}) {}

  std::string_view annotation() const override { return source_.annotation(); }
  std::string_view kind() const override { return source_.kind(); }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop,
                                             std::string_view value) override {
    if (const auto key = ParseReference(annotation(), "a Certificate", value)) Fetch(stop, *key);
    return source_.Get(std::move(stop), value);
  }

 private:
  void Fetch(const std::stop_token& stop, const ObjectKey& key) {
    fetched_.Delete(key.String());
    available_ = {};
    auto certificate = client_.Get(stop, Certificate::Type(), key);
    if (certificate) {
      fetched_.Upsert(*std::move(certificate));
      return;
    }
    Error error = std::move(certificate.error());
    if (IsNotFound(error)) {
      // There is no such Certificate, or there are no Certificates at all.
      auto any = client_.List(stop, Certificate::Type(), {.namespace_ = key.namespace_, .limit = 1},
                              [](const clientgo::runtime::ObjectPtr&) {});
      if (any) return;
      error = std::move(any.error());
    }
    available_ = Err(error.Wrap("Certificates cannot be read"));
  }

  clientgo::rest::Client& client_;
  clientgo::cache::Indexer fetched_;
  Expected<void> available_;
  CertificateSource source_;
};

// Where kube-controller-manager writes what every service account is given.
constexpr std::array<std::string_view, 2> kRootCaNamespaces = {"kube-system", "default"};
constexpr std::string_view kRootCa = "kube-root-ca.crt";

class LiveApiServer final : public Source {
 public:
  LiveApiServer(clientgo::rest::Client& client, bool keep_text)
      : client_(client), keep_text_(keep_text) {}

  std::string_view annotation() const override { return kInjectApiServerCa; }
  std::string_view kind() const override { return "APIServer"; }
  std::optional<std::string> Reference(std::string_view value) const override {
    if (!AsksForInjection(annotation(), value)) return std::nullopt;
    return std::string(value);
  }
  std::string Describe(std::string_view /*value*/) const override {
    return "the API server" + (from_.empty() ? "" : " (" + from_ + ")");
  }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop,
                                             std::string_view value) override {
    if (!source_) source_ = Find(stop);
    return source_->Get(std::move(stop), value);
  }

 private:
  std::unique_ptr<ApiServerSource> Find(const std::stop_token& stop) {
    for (const std::string_view ns : kRootCaNamespaces) {
      const ObjectKey key{.namespace_ = std::string(ns), .name = std::string(kRootCa)};
      const auto found = clientgo::rest::Get<clientgo::api::ConfigMap>(stop, client_, key);
      if (!found) continue;
      clientgo::transport::TlsConfig tls;
      tls.ca_data = (*found)->Find("ca.crt").value_or("");
      if (tls.ca_data.empty()) continue;
      from_ = "ConfigMap " + key.String();
      return std::make_unique<ApiServerSource>(std::move(tls), keep_text_);
    }
    from_ = "the CA of the kubeconfig";
    return std::make_unique<ApiServerSource>(client_.config().tls, keep_text_);
  }

  clientgo::rest::Client& client_;
  const bool keep_text_;
  std::string from_;
  std::unique_ptr<ApiServerSource> source_;
};

}  // namespace

LiveSources::LiveSources(clientgo::rest::Client& client, const CaInjectorOptions& options)
    : contents_(client, {.keep_text = !options.merge_bundles}),
      secrets_(nothing_, resolver::NewClientResolver(client, SecretMetadataType())) {
  Add(std::make_unique<SecretSource>(contents_, secrets_,
                                     SourceOptions{.scope = ScopeOf(options)}));
  if (options.certificates) {
    Add(std::make_unique<LiveCertificates>(client, contents_, secrets_, options));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFrom, "Certificate",
                                         "--enable-certificates-data-source=false"));
  }
  if (options.config_maps) {
    Add(std::make_unique<ConfigMapSource>(
        resolver::NewResolver<clientgo::api::ConfigMap>({.client = client, .informers = {}}),
        nothing_, SourceOptions{.scope = ScopeOf(options), .keep_text = !options.merge_bundles}));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFromConfigMap, "ConfigMap",
                                         "feature gate ConfigMapSource"));
  }
  Add(std::make_unique<LiveApiServer>(client, !options.merge_bundles));
}

void LiveSources::Add(std::unique_ptr<Source> source) {
  owned_.push_back(std::move(source));
  all_.push_back(owned_.back().get());
}

}  // namespace controllers::cainjector
