// SPDX-License-Identifier: Apache-2.0
// Discovery and RESTMapper of clientgo, in both protocols, so that they mean the same on both
// servers.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "capstan/client.h"
#include "capstan/discovery/discovery_client.h"
#include "capstan/rest/client.h"
#include "capstan/restmapper/dynamic_rest_mapper.h"
#include "capstan/restmapper/shortcut_expander.h"
#include "capstan/testing/eventually.h"
#include "capstan/unstructured.h"
#include "clientgo/client/testing/results.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class RestMapperTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    auto client = rest::Client::New(config());
    ASSERT_TRUE(client.has_value()) << client.error().message;
    client_ = std::move(*client);
  }
  // Returns the entry of a resource, without the verbs that the servers order differently.
  static discovery::ApiResource Find(const discovery::Discovered& found, const std::string& version,
                                     const std::string& name) {
    for (const discovery::ApiResourceList& list : found.resources) {
      if (list.group_version.String() != version) continue;
      for (discovery::ApiResource resource : list.resources) {
        std::sort(resource.verbs.begin(), resource.verbs.end());
        if (resource.name == name) return resource;
      }
    }
    ADD_FAILURE() << name << " is not in " << version;
    return {};
  }
  // Creates a CustomResourceDefinition of a kind with an irregular plural.
  void CreateDefinition() {
    const std::string name = "oxen." + Group();
    DeleteLater(std::string(kDefinitions) + "/" + name);
    const Answer created =
        Post(kDefinitions,
             R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
             R"("metadata":{"name":")" +
                 name + R"("},"spec":{"group":")" + Group() +
                 R"(","scope":"Namespaced","names":{"plural":"oxen","singular":"ox","kind":"Ox",)"
                 R"("shortNames":["o"],"categories":["cattle"]},"versions":[{"name":"v1",)"
                 R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
                 R"("x-kubernetes-preserve-unknown-fields":true}}}]}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }

  std::unique_ptr<rest::Client> client_;
};

TEST_F(RestMapperTest, FindsTheSameWithAndWithoutAggregation) {
  const auto aggregated = discovery::DiscoveryClient(*client_).GroupsAndMaybeResources({});
  const auto legacy = discovery::DiscoveryClient(*client_, {.use_legacy_discovery = true})
                          .ServerGroupsAndResources({});

  ASSERT_TRUE(aggregated) << aggregated.error().message;
  ASSERT_TRUE(legacy) << legacy.error().message;
  EXPECT_TRUE(aggregated->has_resources);
  EXPECT_THAT(aggregated->failed, IsEmpty());
  EXPECT_THAT(legacy->failed, IsEmpty());
  const discovery::ApiGroup core{.versions = {"v1"}, .preferred_version = "v1"};
  EXPECT_EQ(aggregated->groups.front(), core);
  EXPECT_EQ(legacy->groups.front(), core);
  for (const auto& [version, name] : std::vector<std::pair<std::string, std::string>>{
           {"v1", "secrets"},
           {"v1", "pods/eviction"},
           {"apps/v1", "deployments"},
           {"apps/v1", "deployments/scale"},
           {"coordination.k8s.io/v1", "leases"},
           {"apiextensions.k8s.io/v1", "customresourcedefinitions"}}) {
    EXPECT_EQ(Find(*aggregated, version, name), Find(*legacy, version, name)) << name;
  }
  EXPECT_EQ(Find(*aggregated, "v1", "pods/eviction").group, "policy");
  EXPECT_EQ(Find(*aggregated, "apps/v1", "deployments").short_names,
            std::vector<std::string>{"deploy"});
}

TEST_F(RestMapperTest, PrefersOneVersionOfEachResource) {
  const auto preferred = discovery::DiscoveryClient(*client_).ServerPreferredResources({});

  ASSERT_TRUE(preferred) << preferred.error().message;
  std::vector<std::string> seen;
  for (const discovery::ApiResourceList& list : preferred->resources) {
    for (const discovery::ApiResource& resource : list.resources) {
      const std::string name = list.group_version.group + "/" + resource.name;
      EXPECT_THAT(seen, Not(Contains(name)));
      seen.push_back(name);
    }
  }
  EXPECT_THAT(seen, Contains("apps/deployments"));
}

TEST_F(RestMapperTest, ReadsTheVersionAndASingleGroup) {
  const discovery::DiscoveryClient discovery(*client_);

  EXPECT_THAT(discovery.ServerVersion({}).value().git_version, StartsWith("v1."));
  EXPECT_EQ(discovery.ServerResourcesForGroupVersion({}, "coordination.k8s.io/v1")
                .value()
                .resources.front()
                .kind,
            "Lease");
  EXPECT_EQ(discovery.ServerResourcesForGroupVersion({}, "nope.io/v1").error().reason,
            ErrorReason::kNotFound);
}

TEST_F(RestMapperTest, MapsKindsResourcesAndShortNames) {
  restmapper::DynamicRestMapper mapper(*client_);
  restmapper::ShortcutExpander expander(mapper, *client_);

  const auto mapping = mapper.RestMappingFor({}, {"apps", "Deployment"});
  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_EQ(*mapping, (restmapper::RestMapping{.resource = {"apps", "v1", "deployments"},
                                               .kind = {"apps", "v1", "Deployment"},
                                               .namespaced = true}));
  EXPECT_FALSE(mapper.RestMappingFor({}, {"", "Node"}, {"v1"})->namespaced);
  EXPECT_EQ(mapper.KindFor({}, {.resource = "leases"})->kind, "Lease");
  EXPECT_EQ(mapper.KindFor({}, {.resource = "secret"})->kind, "Secret");
  EXPECT_EQ(expander.ResourceFor({}, {.resource = "deploy"})->resource, "deployments");
  EXPECT_EQ(mapper.ResourceSingularizer({}, "secrets").value(), "secret");
  EXPECT_TRUE(IsNoMatch(mapper.RestMappingFor({}, {"apps", "Nope"}, {"v1"}).error()));
  EXPECT_THAT(
      restmapper::CategoryExpander(*client_).Expand({}, "api-extensions").value(),
      Contains(runtime::GroupResource{"apiextensions.k8s.io", "customresourcedefinitions"}));
}

TEST_F(RestMapperTest, FindsTheKindOfANewDefinitionAndItsObjects) {
  restmapper::DynamicRestMapper mapper(*client_, {.reload_period = std::chrono::milliseconds(10)});
  const runtime::GroupVersionKind ox{Group(), "v1", "Ox"};
  EXPECT_TRUE(IsNoMatch(restmapper::UnstructuredTypeFor({}, mapper, ox).error()));

  CreateDefinition();
  ASSERT_TRUE(
      Eventually([&] { return restmapper::UnstructuredTypeFor({}, mapper, ox).has_value(); }));

  auto type = restmapper::UnstructuredTypeFor({}, mapper, ox);
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(type->gvr.resource, "oxen");
  const Client<Unstructured> oxen(*client_, *std::move(type));
  Unstructured object(Group() + "/v1", "Ox");
  object.metadata.name = "a";
  object.metadata.namespace_ = ns();
  ASSERT_TRUE(object.Set({"spec", "age"}, 3));
  ASSERT_TRUE(Eventually([&] { return oxen.Create({}, object).has_value(); }));
  EXPECT_EQ(Value(oxen.Get({}, {ns(), "a"}))->Get<int>({"spec", "age"}), 3);
  EXPECT_EQ(mapper.ResourceFor({}, {.group = Group(), .resource = "ox"})->resource, "oxen");
  restmapper::ShortcutExpander expander(mapper, *client_);
  // The aggregated documents of a real server are updated after some time.
  const restmapper::CategoryExpander categories(*client_,
                                                {.reload_period = std::chrono::milliseconds(10)});
  EXPECT_TRUE(Eventually([&] { return categories.Expand({}, "cattle").has_value(); }));
  EXPECT_EQ(expander.KindFor({}, {.group = Group(), .resource = "o"}).value(), ox);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
