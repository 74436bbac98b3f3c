// SPDX-License-Identifier: Apache-2.0
// The chain with a real informer and a real client against the embedded API server, whose request
// log counts the requests.
#include "controllers/resolver/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/api/config_map.h"
#include "capstan/cache/informer_factory.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan::resolver {
namespace {

using ::testing::HasSubstr;

std::string StoredConfigMap(const std::string& name, bool labelled) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":")" + name +
         "\"" + (labelled ? R"(,"labels":{"cache":"yes"})" : "") + R"(},"data":{"k":")" + name +
         "\"}}";
}

class ResolverTest : public testing::apiserver::RestFixture {
 protected:
  ResolverTest() {
    Create(StoredConfigMap("labelled", true));
    Create(StoredConfigMap("plain", false));
    informers_ = std::make_unique<cache::SharedInformerFactory>(*client_, cache::FactoryOptions{});
  }
  ~ResolverTest() override { stop_.request_stop(); }

  std::unique_ptr<Resolver> NewConfigMapResolver(const std::string& label_selector) {
    return NewResolver(TypeOf<api::ConfigMap>(),
                       {.client = client_.get(),
                        .informers = {&informers_->ForType(TypeOf<api::ConfigMap>(),
                                                           {.label_selector = label_selector})},
                        .filtered = !label_selector.empty(),
                        .counter = counter_.get()});
  }
  static std::string DataOf(const runtime::ObjectPtr& config_map) {
    return std::string(
        static_cast<const TypedObject<api::ConfigMap>&>(*config_map).Find("k").value_or(""));
  }
  void Sync() {
    informers_->Start(stop_.get_token());
    ASSERT_TRUE(informers_->WaitForCacheSync({}));
  }
  std::uint64_t Gets() const {
    return server_.CountRequests({.verb = "get", .resource = "configmaps"});
  }
  bool Counted(const std::string& resolver, const std::string& result, int times) {
    const std::string line = "capstan_resolver_requests_total{resolver=\"" + resolver +
                             "\",resource=\"configmaps\",result=\"" + result + "\"} " +
                             std::to_string(times) + "\n";
    return metrics_.Serialize().find(line) != std::string::npos;
  }

  metrics::Metrics metrics_{{.version = "0", .commit = "0"}};
  std::unique_ptr<metrics::Metrics::Counter> counter_ = NewResolverCounter(metrics_);
  std::stop_source stop_;
  std::unique_ptr<cache::SharedInformerFactory> informers_;
};

TEST_F(ResolverTest, SendsNoRequestForACachedObject) {
  auto resolver = NewConfigMapResolver("cache=yes");
  Sync();

  for (int i = 0; i < 3; ++i) {
    const auto [map, watched] = resolver->Get({}, {"ns", "labelled"});
    ASSERT_TRUE(map.has_value()) << map.error().message;
    EXPECT_EQ(DataOf(*map), "labelled");
    EXPECT_TRUE(watched);
  }

  EXPECT_EQ(Gets(), 0U);
  EXPECT_TRUE(Counted("informer", "hit", 3)) << metrics_.Serialize();
}

TEST_F(ResolverTest, SendsARequestForAnObjectOutsideTheFilter) {
  auto resolver = NewConfigMapResolver("cache=yes");
  Sync();

  const auto [map, watched] = resolver->Get({}, {"ns", "plain"});

  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(DataOf(*map), "plain");
  EXPECT_FALSE(watched);
  EXPECT_EQ(Gets(), 1U);
  EXPECT_TRUE(Counted("informer", "fallback", 1));
  EXPECT_TRUE(Counted("client", "hit", 1));
}

TEST_F(ResolverTest, SendsARequestForAMissingObjectOutsideTheFilter) {
  auto resolver = NewConfigMapResolver("cache=yes");
  Sync();

  const auto [map, watched] = resolver->Get({}, {"ns", "absent"});

  ASSERT_FALSE(map.has_value());
  EXPECT_TRUE(IsNotFound(map.error()));
  EXPECT_EQ(Gets(), 1U);
  EXPECT_TRUE(Counted("client", "miss", 1));
}

TEST_F(ResolverTest, SendsNoRequestForAMissingObjectWithoutAFilter) {
  auto resolver = NewConfigMapResolver("");
  Sync();

  const auto [map, watched] = resolver->Get({}, {"ns", "absent"});

  ASSERT_FALSE(map.has_value());
  EXPECT_TRUE(IsNotFound(map.error()));
  EXPECT_EQ(map.error().message, "ConfigMap ns/absent does not exist");
  EXPECT_EQ(Gets(), 0U);
  EXPECT_TRUE(Counted("informer", "miss", 1));
}

TEST_F(ResolverTest, SendsARequestWhileTheCacheIsNotSynced) {
  auto resolver = NewConfigMapResolver("");

  const auto [map, watched] = resolver->Get({}, {"ns", "plain"});

  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(Gets(), 1U);
}

TEST_F(ResolverTest, ReturnsTheErrorOfTheLastResolver) {
  auto resolver = NewConfigMapResolver("cache=yes");
  Sync();
  server_.InjectFault({.match = {.verb = "get", .resource = "configmaps"},
                       .code = 403,
                       .message = "configmaps is forbidden",
                       .count = -1});

  const auto [map, watched] = resolver->Get({}, {"ns", "plain"});

  ASSERT_FALSE(map.has_value());
  EXPECT_TRUE(IsForbidden(map.error()));
  EXPECT_THAT(map.error().message, HasSubstr("failed to get ConfigMap ns/plain: "));
  EXPECT_TRUE(Counted("client", "error", 1));
}

TEST_F(ResolverTest, SendsARequestForAnObjectInAnotherNamespace) {
  auto& here = informers_->ForType(TypeOf<api::ConfigMap>(), {.namespace_ = "ns"});
  auto& there = informers_->ForType(TypeOf<api::ConfigMap>(), {.namespace_ = "other"});
  auto resolver = NewResolver(TypeOf<api::ConfigMap>(),
                              {.client = client_.get(), .informers = {&there, &here}});
  Sync();

  EXPECT_TRUE(resolver->Get({}, {"ns", "plain"}).object.has_value());
  EXPECT_EQ(Gets(), 0U);
}

}  // namespace
}  // namespace capstan::resolver
