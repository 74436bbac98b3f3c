// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/source_registry.h"

#include <utility>

#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/sources/api_server_source.h"
#include "controllers/cainjector/sources/config_map_source.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/sources/system_source.h"
#include "controllers/cainjector/sources/union_source.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {
namespace {

// LiveCertificates reads Certificates from the API server, and distinguishes a missing Certificate
// from a cluster without the kind.
class LiveCertificates final : public ObjectReader {
 public:
  explicit LiveCertificates(rest::Client& client) : client_(client) {}

  tl::expected<Found, Failure> Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    auto certificate = client_.Get(stop, CertManagerCertificate::Type(), key);
    if (certificate) return Found{.object = *std::move(certificate)};
    Error error = std::move(certificate.error());
    if (IsNotFound(error)) {
      const auto listed = client_.List(stop, CertManagerCertificate::Type(),
                                       {.namespace_ = key.namespace_, .limit = 1},
                                       [](const runtime::ObjectPtr&) {});
      if (listed) return Found{};
      error = listed.error();
    }
    error = error.Wrap("Certificates cannot be read");
    return tl::unexpected(
        Failure{.reason = Reason::kSourceUnavailable, .message = error.message, .error = error});
  }

 private:
  rest::Client& client_;
};

}  // namespace

SourceReaders LiveReaders(rest::Client& client, const CaInjectorOptions& options) {
  return {.secret_loader = std::make_unique<CaCertLoader>(client, CaCertLoaderOptions{}),
          .config_map_loader = std::make_unique<CaCertLoader>(
              client, CaCertLoaderOptions{.kind = CaCertLoaderOptions::Kind::kConfigMap}),
          .secrets = std::make_unique<ResolverObjectReader>(
              "Secret", resolver::NewClientResolver(client, SecretMetadataType())),
          .certificates = std::make_unique<LiveCertificates>(client),
          .config_maps = std::make_unique<ResolverObjectReader>(
              "ConfigMap", resolver::NewClientResolver(client, ConfigMapMetadataType())),
          .api_server = std::make_unique<ClusterApiServerSource>(client),
          .trust_bundles = std::make_unique<LiveTrustBundles>(client),
          .system = std::make_unique<SystemSource>(options.system_ca_file)};
}

SourceRegistry::SourceRegistry(SourceReaders readers, const CaInjectorOptions& options)
    : readers_(std::move(readers)) {
  const SourceOptions common = {.scope = options.scope(),
                                .shared_namespaces = options.shared_source_namespaces};
  Add(std::make_unique<SecretSource>(*readers_.secret_loader, *readers_.secrets, common));
  if (options.certificates) {
    Add(std::make_unique<CertificateSource>(*readers_.secret_loader, *readers_.certificates,
                                            *readers_.secrets, common));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFrom, "Certificate",
                                         "--enable-certificates-data-source=false"));
  }
  if (options.config_maps) {
    Add(std::make_unique<ConfigMapSource>(*readers_.config_map_loader, *readers_.config_maps,
                                          common));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFromConfigMap, "ConfigMap",
                                         "feature gate ConfigMapSource"));
  }
  all_.push_back(readers_.api_server.get());
  if (options.cluster_trust_bundles) {
    Add(std::make_unique<TrustBundleSource>(*readers_.trust_bundles));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFromTrustBundle, "ClusterTrustBundle",
                                         "feature gate ClusterTrustBundleSource"));
  }
  std::vector<Source*> listed = all_;
  listed.push_back(readers_.system.get());
  Add(std::make_unique<UnionSource>(std::move(listed),
                                    UnionOptions{.keep_expired = !options.merge_bundles,
                                                 .distrust = options.distrust,
                                                 .clock = options.clock}));
}

void SourceRegistry::Add(std::unique_ptr<Source> source) {
  owned_.push_back(std::move(source));
  all_.push_back(owned_.back().get());
}

}  // namespace capstan::cainjector
