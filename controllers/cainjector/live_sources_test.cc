// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/live_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/cache/informer_factory.h"
#include "controllers/cainjector/sources.h"
#include "controllers/cainjector/testing/fakes.h"

namespace controllers::cainjector {
namespace {

std::vector<std::string> Named(const std::vector<Source*>& sources) {
  std::vector<std::string> named;
  for (const Source* source : sources) {
    named.push_back(std::string(source->kind()) + " " + std::string(source->annotation()));
  }
  return named;
}

// Whoever adds a source, or changes the precedence, has to do it in both.
TEST(LiveSourcesTest, AreThoseOfTheInjectorInItsPrecedence) {
  for (const bool enabled : {true, false}) {
    FakeCluster cluster;
    metrics::Metrics metrics({.version = "0", .commit = "0"});
    clientgo::cache::SharedInformerFactory informers(*cluster.client, {});
    const CaInjectorOptions options{.certificates = enabled, .config_maps = enabled};
    const Sources cached({.client = *cluster.client, .informers = informers, .metrics = metrics},
                         options, {});
    LiveSources live(*cluster.client, options);

    EXPECT_EQ(Named(live.all()), Named(cached.all()));
    for (std::size_t i = 0; !enabled && i < live.all().size(); ++i) {
      const auto left = live.all()[i]->Get({}, "ns/a");
      const auto right = cached.all()[i]->Get({}, "ns/a");
      const bool disabled = !right && right.error().reason == Reason::kSourceDisabled;
      EXPECT_EQ(!left && left.error().reason == Reason::kSourceDisabled, disabled);
    }
  }
}

}  // namespace
}  // namespace controllers::cainjector
