// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/discovery_rest_mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::restmapper {
namespace {

using ::testing::ElementsAre;

discovery::ApiResource Resource(const std::string& name, const std::string& kind,
                                const std::string& singular) {
  return {.name = name, .singular_name = singular, .namespaced = true, .kind = kind};
}

// The core group comes late, to see that it is preferred. apps prefers its second version.
std::vector<ApiGroupResources> Groups() {
  const discovery::ApiResource pods = Resource("pods", "Pod", "pod");
  const discovery::ApiResource status = Resource("pods/status", "Pod", "");
  const discovery::ApiResource nodes{.name = "nodes", .singular_name = "node", .kind = "Node"};
  return {
      {.group = {.name = "metrics.k8s.io", .versions = {"v1beta1"}, .preferred_version = "v1beta1"},
       .versioned_resources = {{"v1beta1", {Resource("pods", "PodMetrics", "pod")}}}},
      {.group = {.name = "apps", .versions = {"v2", "v1", "v3"}, .preferred_version = "v1"},
       .versioned_resources = {{"v2",
                                {Resource("deployments", "Deployment", "deployment"),
                                 Resource("canaries", "Canary", "canary")}},
                               {"v1", {Resource("deployments", "Deployment", "deployment")}}}},
      {.group = {.name = "external.io", .versions = {"v1"}, .preferred_version = "v1"},
       .versioned_resources = {{"v1", {Resource("a", "Value", ""), Resource("b", "Value", "")}}}},
      {.group = {.versions = {"v1"}, .preferred_version = "v1"},
       .versioned_resources = {{"v1", {pods, status, nodes}}}},
  };
}

class DiscoveryRestMapperTest : public ::testing::Test {
 protected:
  template <class T>
  static std::string Message(const Expected<T>& result) {
    return result ? "no error" : result.error().message;
  }
  DiscoveryRestMapper mapper_{Groups()};
};

TEST_F(DiscoveryRestMapperTest, MapsAKindToThePreferredVersion) {
  const auto mapping = mapper_.RestMappingFor({}, {"apps", "Deployment"}, {});

  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_EQ(*mapping, (RestMapping{.resource = {"apps", "v1", "deployments"},
                                   .kind = {"apps", "v1", "Deployment"},
                                   .namespaced = true}));
  EXPECT_FALSE(mapper_.RestMappingFor({}, {"", "Node"}, {})->namespaced);
}

TEST_F(DiscoveryRestMapperTest, MapsAKindToTheFirstServedVersionOfTheCaller) {
  const auto mapping = mapper_.RestMappingFor({}, {"apps", "Deployment"}, {"v9", "v2", "v1"});

  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_EQ(mapping->resource.version, "v2");
  const auto all = mapper_.RestMappingsFor({}, {"apps", "Deployment"}, {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].kind.version, "v1");
  EXPECT_EQ((*all)[1].kind.version, "v2");
}

TEST_F(DiscoveryRestMapperTest, FindsAKindThatOnlyAnotherVersionHas) {
  EXPECT_EQ(mapper_.RestMappingFor({}, {"apps", "Canary"}, {})->resource,
            (runtime::GroupVersionResource{"apps", "v2", "canaries"}));
}

TEST_F(DiscoveryRestMapperTest, ReportsUnknownKindsAsApimachineryDoes) {
  const auto none = mapper_.RestMappingFor({}, {"apps", "Nope"}, {});
  ASSERT_FALSE(none);
  EXPECT_TRUE(IsNoMatch(none.error()));
  EXPECT_EQ(none.error().message, R"(no matches for kind "Nope" in group "apps")");
  EXPECT_EQ(Message(mapper_.RestMappingFor({}, {"apps", "Deployment"}, {"v7"})),
            R"(no matches for kind "Deployment" in version "apps/v7")");
  EXPECT_EQ(Message(mapper_.RestMappingFor({}, {"", "Nope"}, {"v2", "v1"})),
            R"(no matches for kind "Nope" in versions ["v1" "v2"])");
}

TEST_F(DiscoveryRestMapperTest, ReportsUnknownResourcesAsApimachineryDoes) {
  const auto none = mapper_.ResourceFor({}, {"apps", "v1", "nopes"});
  ASSERT_FALSE(none);
  EXPECT_TRUE(IsNoMatch(none.error()));
  EXPECT_EQ(none.error().message, "no matches for apps/v1, Resource=nopes");
  EXPECT_EQ(Message(mapper_.KindFor({}, {"", "", ""})),
            "a resource must be present, got: /, Resource=");
}

TEST_F(DiscoveryRestMapperTest, PrefersTheCoreGroupForABareName) {
  EXPECT_EQ(mapper_.KindFor({}, {.resource = "pods"}).value(),
            (runtime::GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_THAT(mapper_.KindsFor({}, {.resource = "Pod"}).value(),
              ElementsAre(runtime::GroupVersionKind{"", "v1", "Pod"},
                          runtime::GroupVersionKind{"metrics.k8s.io", "v1beta1", "PodMetrics"}));
}

TEST_F(DiscoveryRestMapperTest, FindsAResourceByItsSingularGroupPrefixOrVersion) {
  const runtime::GroupVersionResource deployments{"apps", "v1", "deployments"};
  EXPECT_EQ(mapper_.ResourceFor({}, {.resource = "deployment"}).value(), deployments);
  EXPECT_EQ(mapper_.ResourceFor({}, {"apps", "v2", "Deployments"}).value().version, "v2");
  EXPECT_EQ(mapper_.ResourceFor({}, {.group = "metrics", .resource = "pods"}).value(),
            (runtime::GroupVersionResource{"metrics.k8s.io", "v1beta1", "pods"}));
  EXPECT_EQ(mapper_.ResourcesFor({}, {.version = "v2", .resource = "deployments"})->size(), 1U);
  EXPECT_EQ(mapper_.ResourceSingularizer({}, "deployments").value(), "deployment");
}

TEST_F(DiscoveryRestMapperTest, ReportsAKindOfTwoResourcesAsAmbiguous) {
  const auto mapping = mapper_.RestMappingFor({}, {"external.io", "Value"}, {});

  ASSERT_FALSE(mapping);
  EXPECT_TRUE(IsAmbiguous(mapping.error()));
  EXPECT_EQ(mapping.error().message,
            "external.io/, Kind=Value matches multiple kinds [external.io/v1, Kind=Value "
            "external.io/v1, Kind=Value]");
}

TEST_F(DiscoveryRestMapperTest, MakesATypeForUnstructuredObjects) {
  const auto type = UnstructuredTypeFor({}, mapper_, {"apps", "", "Deployment"});

  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(type->Path("ns", "a"), "/apis/apps/v1/namespaces/ns/deployments/a");
  EXPECT_EQ(type->kind, "Deployment");
  EXPECT_EQ(Message(UnstructuredTypeFor({}, mapper_, {"apps", "v9", "Deployment"})),
            R"(no matches for kind "Deployment" in version "apps/v9")");
}

TEST(ApiGroupResourcesTest, KeepsTheOrderOfDiscovery) {
  discovery::Discovered found;
  found.groups = {{.name = "b", .versions = {"v1"}}, {.name = "a", .versions = {"v1"}}};
  found.resources = {{.group_version = {"a", "v1"}, .resources = {Resource("xs", "X", "x")}}};

  const auto groups = GetApiGroupResources(found);

  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].group.name, "b");
  EXPECT_TRUE(groups[0].versioned_resources.empty());
  EXPECT_EQ(groups[1].versioned_resources.at("v1").size(), 1U);
}

}  // namespace
}  // namespace capstan::restmapper
