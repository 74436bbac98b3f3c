// SPDX-License-Identifier: Apache-2.0
#include "capstan/consistency.h"

#include <gtest/gtest.h>

#include <string>

#include "capstan/cache/informer_factory.h"
#include "capstan/client.h"
#include "capstan/testing/apiserver/server.h"
#include "clientgo/client/testing/kinds.h"

namespace capstan {
namespace {

TEST(ConsistencyTest, CacheHasOwnWritesAfterWait) {
  testing::apiserver::Server server({.tls = false});
  ASSERT_TRUE(server.Start().has_value());
  ASSERT_TRUE(
      server.CreateObjects({R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})"})
          .has_value());
  const auto rest = rest::Client::New({.host = server.url()});
  ASSERT_TRUE(rest.has_value()) << rest.error().message;
  const Client<testing::ConfigMap> config_maps(**rest);
  cache::SharedInformerFactory informers(**rest, {});
  auto& informer = informers.ForType(TypeOf<testing::ConfigMap>());
  const cache::Lister<TypedObject<testing::ConfigMap>> lister(informer.store());
  std::stop_source stop;
  informers.Start(stop.get_token());
  const rest::CallOptions call(stop.get_token(), Clock::Real().After(std::chrono::seconds(20)));

  testing::ConfigMap object;
  object.metadata.namespace_ = "ns";
  object.metadata.name = "a";
  for (int i = 0; i < 20; ++i) {
    object.data["k"] = std::to_string(i);
    const auto applied = config_maps.Apply(call, object, {.field_manager = "me"});
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
    const auto waited = WaitForCacheVersion(call, informer, **applied);
    ASSERT_TRUE(waited.has_value()) << waited.error().message;
    EXPECT_EQ(lister.Get("ns/a")->data.at("k"), std::to_string(i));
  }
  const auto last = lister.Get("ns/a");
  ASSERT_TRUE(config_maps.Delete(call, {"ns", "a"}));
  ASSERT_TRUE(WaitForCacheDeletion(call, informer, *last));
  EXPECT_EQ(lister.Get("ns/a"), nullptr);

  stop.request_stop();
  informers.Shutdown();
}

}  // namespace
}  // namespace capstan
