// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/shortcut_expander.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/restmapper/dynamic_rest_mapper.h"
#include "clientgo/discovery/testing/fake_discovery.h"

namespace capstan::restmapper {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::string Entry(const std::string& group, const std::string& resource, const std::string& kind,
                  const std::string& more) {
  return R"({"metadata":{"name":")" + group +
         R"("},"versions":[{"version":"v1","resources":[{"resource":")" + resource +
         R"(","responseKind":{"group":")" + group + R"(","version":"v1","kind":")" + kind +
         R"("},"scope":"Namespaced",)" + more + "}]}]}";
}

class ShortcutExpanderTest : public ::testing::Test {
 protected:
  ShortcutExpanderTest() {
    server_.documents["/api"] = discovery::Aggregated(
        Entry("", "pods", "Pod", R"("shortNames":["po"],"categories":["all"])"));
    server_.documents["/apis"] = discovery::Aggregated(
        Entry("apps", "deployments", "Deployment",
              R"("shortNames":["deploy"],"categories":["all","apps"])") +
        "," + Entry("a.io", "cats", "Cat", R"("singularResource":"po","shortNames":["c"])") + "," +
        Entry("b.io", "cows", "Cow", R"("shortNames":["c"])"));
  }
  std::string ResourceOf(const runtime::GroupVersionResource& name) {
    const auto resource = expander_.ResourceFor({}, name);
    return resource ? resource->String() : resource.error().message;
  }

  discovery::FakeDiscovery server_;
  DynamicRestMapper mapper_{server_.client(), {.clock = server_.clock}};
  ShortcutExpander expander_{mapper_, server_.client(), {.clock = server_.clock}};
  CategoryExpander categories_{server_.client(), {.clock = server_.clock}};
};

TEST_F(ShortcutExpanderTest, ExpandsShortNames) {
  EXPECT_EQ(ResourceOf({.resource = "deploy"}), "apps/v1, Resource=deployments");
  EXPECT_EQ(expander_.KindFor({}, {.resource = "deploy"})->kind, "Deployment");
  EXPECT_EQ(ResourceOf({.group = "app", .resource = "deploy"}), "apps/v1, Resource=deployments");
}

TEST_F(ShortcutExpanderTest, TakesTheFirstResourceUnlessAGroupIsGiven) {
  EXPECT_EQ(ResourceOf({.resource = "c"}), "a.io/v1, Resource=cats");
  EXPECT_EQ(ResourceOf({.group = "b.io", .resource = "c"}), "b.io/v1, Resource=cows");
}

TEST_F(ShortcutExpanderTest, PrefersNamesToShortNames) {
  EXPECT_EQ(ResourceOf({.resource = "po"}), "a.io/v1, Resource=cats");
}

TEST_F(ShortcutExpanderTest, PassesUnknownNamesOn) {
  EXPECT_EQ(ResourceOf({.resource = "nope"}), "no matches for /, Resource=nope");
  server_.documents["/apis"] = discovery::Failure(500, "InternalError");
  server_.clock.Step(std::chrono::minutes(1));
  EXPECT_EQ(ResourceOf({.resource = "pods"}), "/v1, Resource=pods");
}

TEST_F(ShortcutExpanderTest, ReadsDiscoveryAgainForAnUnknownNameAfterAWhile) {
  EXPECT_EQ(ResourceOf({.resource = "x"}), "no matches for /, Resource=x");
  const std::size_t requests = server_.Paths().size();
  EXPECT_EQ(ResourceOf({.resource = "x"}), "no matches for /, Resource=x");
  EXPECT_THAT(server_.Paths(), SizeIs(requests));
  server_.documents["/apis"] =
      discovery::Aggregated(Entry("x.io", "xs", "X", R"("shortNames":["x"])"));

  server_.clock.Step(std::chrono::seconds(10));

  EXPECT_EQ(ResourceOf({.resource = "x"}), "x.io/v1, Resource=xs");
}

TEST_F(ShortcutExpanderTest, ExpandsCategories) {
  EXPECT_THAT(categories_.Expand({}, "all").value(),
              ElementsAre(runtime::GroupResource{"", "pods"},
                          runtime::GroupResource{"apps", "deployments"}));
  const auto none = categories_.Expand({}, "nope");
  ASSERT_FALSE(none);
  EXPECT_TRUE(IsNoMatch(none.error()));
}

TEST_F(ShortcutExpanderTest, ExpandsACategoryAgainAfterAGroupWasDown) {
  const auto with_group = server_.documents["/apis"];
  server_.documents["/apis"] = discovery::Aggregated(
      R"({"metadata":{"name":"apps"},"versions":[{"version":"v1","freshness":"Stale"}]})");
  EXPECT_THAT(categories_.Expand({}, "all").value(),
              ElementsAre(runtime::GroupResource{"", "pods"}));
  server_.documents["/apis"] = discovery::Failure(500, "InternalError");
  server_.clock.Step(std::chrono::seconds(10));
  EXPECT_THAT(categories_.Expand({}, "all").value(),
              ElementsAre(runtime::GroupResource{"", "pods"}))
      << "what was found is kept if discovery fails";

  server_.documents["/apis"] = with_group;

  EXPECT_THAT(categories_.Expand({}, "all").value(),
              ElementsAre(runtime::GroupResource{"", "pods"},
                          runtime::GroupResource{"apps", "deployments"}));
  const std::size_t requests = server_.Paths().size();
  server_.clock.Step(std::chrono::seconds(10));
  EXPECT_TRUE(categories_.Expand({}, "all"));
  EXPECT_THAT(server_.Paths(), SizeIs(requests)) << "everything is known";
}

}  // namespace
}  // namespace capstan::restmapper
