// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/dynamic_rest_mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "capstan/thread.h"
#include "clientgo/discovery/testing/fake_discovery.h"

namespace capstan::restmapper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

testing::FakeResponse ResourceList(const std::string& name, const std::string& kind) {
  return discovery::Json(R"({"kind":"APIResourceList","resources":[{"name":")" + name +
                         R"(","singularName":"","namespaced":true,"kind":")" + kind + R"("}]})");
}

std::string AggregatedGroup(const std::string& group, const std::string& version,
                            const std::string& resource, const std::string& kind) {
  return R"({"metadata":{"name":")" + group + R"("},"versions":[{"version":")" + version +
         R"(","resources":[{"resource":")" + resource + R"(","responseKind":{"group":")" + group +
         R"(","version":")" + version + R"(","kind":")" + kind + R"("},"scope":"Namespaced"}]}]})";
}

class DynamicRestMapperTest : public ::testing::Test {
 protected:
  void ServeAggregated() {
    server_.documents["/api"] = discovery::Aggregated(AggregatedGroup("", "v1", "pods", "Pod"));
    server_.documents["/apis"] =
        discovery::Aggregated(AggregatedGroup("apps", "v1", "deployments", "Deployment") +
                              R"(,{"metadata":{"name":"down.io"},"versions":[{"version":"v1",)"
                              R"("freshness":"Stale"}]})");
  }
  void ServeUnaggregated() {
    server_.documents["/api"] = discovery::Json(R"({"versions":["v1"]})");
    server_.documents["/api/v1"] = ResourceList("pods", "Pod");
    server_.documents["/apis"] = discovery::Json(
        R"({"groups":[{"name":"x.io","versions":[{"version":"v1beta1"},{"version":"v1"}],)"
        R"("preferredVersion":{"version":"v1"}},{"name":"y.io","versions":[)"
        R"({"version":"v1"}]}]})");
    server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
    server_.documents["/apis/x.io/v1beta1"] = ResourceList("foos", "Foo");
    server_.documents["/apis/y.io/v1"] = ResourceList("bars", "Bar");
  }

  discovery::FakeDiscovery server_;
  DynamicRestMapper mapper_{server_.client(), {.clock = server_.clock}};
};

TEST_F(DynamicRestMapperTest, SendsOneRequestForAGroupAndVersion) {
  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
  EXPECT_THAT(server_.Paths(), IsEmpty());

  for (int i = 0; i < 3; ++i) {
    const auto mapping = mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"});
    ASSERT_TRUE(mapping) << mapping.error().message;
    EXPECT_EQ(mapping->resource, (runtime::GroupVersionResource{"x.io", "v1", "foos"}));
  }

  EXPECT_THAT(server_.Paths(), ElementsAre("/apis/x.io/v1"));
}

TEST_F(DynamicRestMapperTest, ReadsEverythingOnceForAKindWithoutAVersion) {
  ServeAggregated();

  EXPECT_EQ(mapper_.RestMappingFor({}, {"apps", "Deployment"})->resource.version, "v1");
  EXPECT_EQ(mapper_.KindFor({}, {.resource = "pods"}).value(),
            (runtime::GroupVersionKind{"", "v1", "Pod"}));

  EXPECT_THAT(server_.Paths(), ElementsAre("/api", "/apis"));
}

TEST_F(DynamicRestMapperTest, ReadsOnlyTheVersionsOfTheGroupWithoutAggregation) {
  ServeUnaggregated();

  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"})->resource.version, "v1");

  EXPECT_THAT(server_.Paths(), ElementsAre("/api", "/apis", "/apis/x.io/v1beta1", "/apis/x.io/v1"));
  EXPECT_EQ(mapper_.ResourceFor({}, {.resource = "bars"})->group, "y.io");
}

TEST_F(DynamicRestMapperTest, PrefersTheVersionOfTheGroupAlsoAfterAnotherOneWasLoaded) {
  ServeUnaggregated();

  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1beta1"})->kind.version, "v1beta1");

  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"})->kind.version, "v1");
}

TEST_F(DynamicRestMapperTest, PrefersTheVersionOfAGroupThatIsNewAfterEverythingWasRead) {
  ServeAggregated();
  ASSERT_TRUE(mapper_.KindFor({}, {.resource = "pods"}));
  const auto version = [](const std::string& name) {
    return R"({"version":")" + name +
           R"(","resources":[{"resource":"foos","responseKind":{"group":"x.io","version":")" +
           name + R"(","kind":"Foo"},"scope":"Namespaced"}]})";
  };
  server_.documents["/apis/x.io/v1alpha1"] = ResourceList("foos", "Foo");
  server_.documents["/apis"] =
      discovery::Aggregated(R"({"metadata":{"name":"x.io"},"versions":[)" + version("v1") + "," +
                            version("v1alpha1") + "]}");

  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1alpha1"})->kind.version, "v1alpha1");

  EXPECT_EQ(mapper_.KindFor({}, {.resource = "foos"})->version, "v1");
  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"})->kind.version, "v1");
}

TEST_F(DynamicRestMapperTest, FindsANewKindAndLimitsTheRequestsForAnUnknownOne) {
  ServeUnaggregated();
  for (int i = 0; i < 100; ++i) {
    const auto unknown = mapper_.RestMappingFor({}, {"z.io", "New"}, {"v1"});
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(IsNoMatch(unknown.error()));
    EXPECT_EQ(unknown.error().message, R"(no matches for kind "New" in version "z.io/v1")");
  }
  EXPECT_THAT(server_.Paths(), ElementsAre("/apis/z.io/v1"));
  server_.documents["/apis/z.io/v1"] = ResourceList("news", "New");
  EXPECT_FALSE(mapper_.RestMappingFor({}, {"z.io", "New"}, {"v1"}));

  server_.clock.Step(std::chrono::seconds(1));

  EXPECT_TRUE(mapper_.RestMappingFor({}, {"z.io", "New"}, {"v1"}));
  EXPECT_THAT(server_.Paths(), SizeIs(2));
}

TEST_F(DynamicRestMapperTest, FindsANewKindOfAKnownVersion) {
  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
  ASSERT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
  server_.documents["/apis/x.io/v1"] = ResourceList("bars", "Bar");
  server_.clock.Step(std::chrono::seconds(1));

  EXPECT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Bar"}, {"v1"}));
}

TEST_F(DynamicRestMapperTest, ForgetsAVersionThatIsNoLongerServed) {
  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
  ASSERT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
  server_.documents.clear();
  server_.clock.Step(std::chrono::seconds(1));

  EXPECT_FALSE(mapper_.RestMappingFor({}, {"x.io", "Other"}, {"v1"}));

  EXPECT_FALSE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
}

TEST_F(DynamicRestMapperTest, ReturnsTheErrorOfAGroupWhoseServerIsDown) {
  ServeAggregated();
  const auto stale = mapper_.RestMappingFor({}, {"down.io", "Thing"});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().reason, ErrorReason::kServiceUnavailable);
  EXPECT_EQ(stale.error().message,
            R"(no matches for kind "Thing" in group "down.io": stale GroupVersion discovery: )"
            "down.io/v1");
  server_.documents["/apis/down.io/v1"] = discovery::Failure(503, "ServiceUnavailable");
  EXPECT_EQ(mapper_.RestMappingFor({}, {"down.io", "Thing"}, {"v1"}).error().reason,
            ErrorReason::kServiceUnavailable);

  server_.documents["/apis/down.io/v1"] = ResourceList("things", "Thing");
  server_.clock.Step(std::chrono::seconds(1));

  EXPECT_TRUE(mapper_.RestMappingFor({}, {"down.io", "Thing"}, {"v1"}));
  EXPECT_TRUE(mapper_.RestMappingFor({}, {"apps", "Deployment"}));
}

TEST_F(DynamicRestMapperTest, ForgetsTheErrorOfAGroupThatIsNoLongerServed) {
  ServeUnaggregated();
  server_.documents["/apis/y.io/v1"] = discovery::Failure(503, "ServiceUnavailable");
  EXPECT_EQ(mapper_.ResourceFor({}, {.resource = "bars"}).error().reason,
            ErrorReason::kServiceUnavailable);
  server_.documents["/apis"] = discovery::Json(R"({"groups":[]})");
  server_.clock.Step(std::chrono::seconds(1));

  EXPECT_TRUE(IsNoMatch(mapper_.ResourceFor({}, {.resource = "bars"}).error()));
}

TEST_F(DynamicRestMapperTest, ReturnsTheErrorOfAnUnreachableServerAndTriesAgainAtOnce) {
  server_.documents["/apis/x.io/v1"] = {
      .fail = Error{.reason = ErrorReason::kConnectionRefused, .message = "refused"}};
  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}).error().reason,
            ErrorReason::kConnectionRefused);

  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");

  EXPECT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
}

TEST_F(DynamicRestMapperTest, RejectsAVersionThatAPathCannotContain) {
  EXPECT_EQ(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"../v1"}).error().reason,
            ErrorReason::kInvalidArgument);
  EXPECT_THAT(server_.Paths(), IsEmpty());
}

TEST_F(DynamicRestMapperTest, SharesARequestBetweenThreads) {
  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      // Not the thread's own token: leaving the block stops threads that have not begun.
      threads.push_back(StartThread("mapper", [this](const std::stop_token&) {
        EXPECT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
      }));
    }
  }
  EXPECT_THAT(server_.Paths(), SizeIs(1));
}

TEST_F(DynamicRestMapperTest, StopsWaitingForTheRequestOfAnotherThread) {
  server_.documents["/apis/x.io/v1"] = {.hang_before_head = true};
  std::stop_source first;
  const std::jthread hangs = StartThread("mapper", [&](const std::stop_token&) {
    EXPECT_FALSE(mapper_.RestMappingFor(first.get_token(), {"x.io", "Foo"}, {"v1"}));
  });
  ASSERT_TRUE(server_.BlockUntilRequests(1));
  std::stop_source second;
  second.request_stop();

  const auto stopped = mapper_.RestMappingFor(second.get_token(), {"x.io", "Foo"}, {"v1"});

  ASSERT_FALSE(stopped);
  EXPECT_TRUE(IsCanceled(stopped.error()));
  first.request_stop();
}

TEST_F(DynamicRestMapperTest, ReadsAgainAfterAReset) {
  server_.documents["/apis/x.io/v1"] = ResourceList("foos", "Foo");
  ASSERT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));

  mapper_.Reset();

  ASSERT_TRUE(mapper_.RestMappingFor({}, {"x.io", "Foo"}, {"v1"}));
  EXPECT_THAT(server_.Paths(), SizeIs(2));
}

}  // namespace
}  // namespace capstan::restmapper
