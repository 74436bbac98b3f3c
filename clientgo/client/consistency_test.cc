// SPDX-License-Identifier: Apache-2.0
#include "capstan/consistency.h"

#include <gtest/gtest.h>

#include <string>

#include "capstan/cache/informer_factory.h"
#include "capstan/client.h"
#include "clientgo/client/testing/kinds.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan {
namespace {

using ConsistencyTest = testing::apiserver::RestFixture;

TEST_F(ConsistencyTest, CacheHasOwnWritesAfterWait) {
  CreateNamespace("ns");
  const Client<testing::ConfigMap> config_maps(*client_);
  cache::SharedInformerFactory informers(*client_, {});
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
