// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/source_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/cache/informer_factory.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Named(const std::vector<Source*>& sources) {
  std::vector<std::string> named;
  for (const Source* source : sources) {
    named.push_back(std::string(source->kind()) + " " + std::string(source->annotation()));
  }
  return named;
}

TEST(SourceSetTest, OrdersSourcesByPrecedence) {
  for (const bool enabled : {true, false}) {
    FakeCluster cluster;
    const CaInjectorOptions options{
        .certificates = enabled, .config_maps = enabled, .cluster_trust_bundles = enabled};

    const SourceSet sources(*cluster.client, options);

    EXPECT_THAT(Named(sources.all()),
                ElementsAre("Secret cert-manager.io/inject-ca-from-secret",
                            "Certificate cert-manager.io/inject-ca-from",
                            "ConfigMap capstan.dev/inject-ca-from-configmap",
                            "APIServer cert-manager.io/inject-apiserver-ca",
                            "ClusterTrustBundle capstan.dev/inject-ca-from-clustertrustbundle",
                            "Union capstan.dev/inject-ca-from"));
  }
}

TEST(SourceSetTest, DisabledSourcesFailWithTheirSetting) {
  FakeCluster cluster;
  const CaInjectorOptions options{.certificates = false, .config_maps = false};
  const SourceSet sources(*cluster.client, options);

  const auto certificate = sources.all()[1]->Get({}, "ns/a");
  const auto config_map = sources.all()[2]->Get({}, "ns/a");

  EXPECT_EQ(certificate.error().reason, Reason::kSourceDisabled);
  EXPECT_EQ(certificate.error().message,
            "Certificates are disabled as a source (--enable-certificates-data-source=false)");
  EXPECT_EQ(config_map.error().reason, Reason::kSourceDisabled);
  EXPECT_EQ(sources.all()[4]->Get({}, "a").error().message,
            "ClusterTrustBundles are disabled as a source (feature gate ClusterTrustBundleSource)");
  EXPECT_EQ(cluster.Count(""), 0U);
}

// The sources of the manager. Its caches do not run in this test.
TEST(SourceSetTest, ReadsFromCachesWithoutRequests) {
  FakeCluster cluster;
  metrics::Metrics metrics({.version = "0", .commit = "0"});
  cache::SharedInformerFactory informers(*cluster.client, {});
  const SourceSet sources({.client = *cluster.client, .informers = informers, .metrics = metrics},
                          {});

  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(sources.all()[i]->Get({}, "ns/a").error().reason, Reason::kSourceUnavailable);
  }
  EXPECT_EQ(cluster.Count(""), 0U);
}

}  // namespace
}  // namespace capstan::cainjector
