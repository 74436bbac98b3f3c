// SPDX-License-Identifier: Apache-2.0
#include "capstan/discovery/discovery_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/discovery/testing/fake_discovery.h"

namespace capstan::discovery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kCore[] =
    R"({"metadata":{"creationTimestamp":null},"versions":[{"version":"v1","freshness":"Current",)"
    R"("resources":[{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},)"
    R"("scope":"Namespaced","singularResource":"pod","verbs":["get","list"],"shortNames":["po"],)"
    R"("categories":["all"],"subresources":[{"subresource":"eviction","responseKind":)"
    R"({"group":"policy","version":"v1","kind":"Eviction"},"verbs":["create"]},)"
    R"({"subresource":"proxy","verbs":["get"]}]}]}]})";
constexpr char kApps[] =
    R"({"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[)"
    R"({"resource":"deployments","responseKind":{"group":"apps","version":"v1",)"
    R"("kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment",)"
    R"("verbs":["get"]}],"freshness":"Current"}]})";
constexpr char kStaleMetrics[] =
    R"({"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1",)"
    R"("freshness":"Stale"}]})";

// The unaggregated documents of a server with two groups; policy prefers its second version.
void ServeUnaggregated(FakeDiscovery& server) {
  server.documents["/api"] = Json(R"({"kind":"APIVersions","versions":["v1"]})");
  server.documents["/apis"] = Json(
      R"({"kind":"APIGroupList","groups":[{"name":"policy","versions":[)"
      R"({"groupVersion":"policy/v2","version":"v2"},{"groupVersion":"policy/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"policy/v1","version":"v1"}}]})");
  server.documents["/api/v1"] = Json(
      R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods",)"
      R"("singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"]},{"name":)"
      R"("pods/eviction","namespaced":true,"group":"policy","version":"v1","kind":"Eviction"}]})");
  server.documents["/apis/policy/v1"] =
      Json(R"({"kind":"APIResourceList","groupVersion":"policy/v1","resources":[{"name":"budgets",)"
           R"("singularName":"budget","namespaced":true,"kind":"Budget"}]})");
  server.documents["/apis/policy/v2"] =
      Json(R"({"kind":"APIResourceList","groupVersion":"policy/v2","resources":[{"name":"budgets",)"
           R"("namespaced":true,"kind":"Budget"},{"name":"limits","kind":"Limit"}]})");
}

std::vector<std::string> Names(const std::vector<ApiResourceList>& lists) {
  std::vector<std::string> names;
  for (const auto& list : lists) {
    for (const auto& resource : list.resources) {
      names.push_back(list.group_version.String() + " " + resource.name);
    }
  }
  return names;
}

TEST(DiscoveryClientTest, ReadsEverythingWithTwoRequestsFromAnAggregatingServer) {
  FakeDiscovery server;
  server.documents["/api"] = Aggregated(kCore);
  server.documents["/apis"] = Aggregated(kApps);
  const DiscoveryClient discovery(server.client());

  const auto found = discovery.ServerGroupsAndResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(server.Paths(), ElementsAre("/api", "/apis"));
  EXPECT_EQ(transport::FindHeader(server.requests().front().headers, "Accept"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
            "application/json");
  EXPECT_THAT(found->groups,
              ElementsAre(ApiGroup{.versions = {"v1"}, .preferred_version = "v1"},
                          ApiGroup{.name = "apps", .versions = {"v1"}, .preferred_version = "v1"}));
  EXPECT_THAT(Names(found->resources),
              ElementsAre("v1 pods", "v1 pods/eviction", "apps/v1 deployments"));
  EXPECT_EQ(found->resources[0].resources[0], (ApiResource{.name = "pods",
                                                           .singular_name = "pod",
                                                           .namespaced = true,
                                                           .version = "v1",
                                                           .kind = "Pod",
                                                           .verbs = {"get", "list"},
                                                           .short_names = {"po"},
                                                           .categories = {"all"}}));
  EXPECT_EQ(found->resources[0].resources[1].group, "policy");
  EXPECT_THAT(found->failed, IsEmpty());
}

TEST(DiscoveryClientTest, ReturnsStaleVersionsBesideTheOthers) {
  FakeDiscovery server;
  server.documents["/api"] = Aggregated(kCore);
  server.documents["/apis"] = Aggregated(std::string(kStaleMetrics) + "," + kApps);

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Names(found->resources),
              ElementsAre("v1 pods", "v1 pods/eviction", "apps/v1 deployments"));
  ASSERT_EQ(found->failed.size(), 1U);
  EXPECT_EQ(GroupDiscoveryFailed(found->failed).message,
            "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale "
            "GroupVersion discovery: metrics.k8s.io/v1beta1");
}

TEST(DiscoveryClientTest, AcceptsParametersOfTheContentTypeInAnyOrder) {
  FakeDiscovery server;
  const std::string items = std::string(R"({"items":[)") + kCore + "]}";
  server.documents["/api"] = Json(
      items, "application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io;charset=x");
  server.documents["/apis"] = Aggregated("");

  const auto found = DiscoveryClient(server.client()).GroupsAndMaybeResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->has_resources);
  EXPECT_THAT(Names(found->resources), ElementsAre("v1 pods", "v1 pods/eviction"));
}

TEST(DiscoveryClientTest, FallsBackToOneRequestForEachVersion) {
  FakeDiscovery server;
  ServeUnaggregated(server);

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(server.Paths(),
              ElementsAre("/api", "/apis", "/api/v1", "/apis/policy/v2", "/apis/policy/v1"));
  EXPECT_THAT(Names(found->resources),
              ElementsAre("v1 pods", "v1 pods/eviction", "policy/v2 budgets", "policy/v2 limits",
                          "policy/v1 budgets"));
  EXPECT_EQ(found->resources[0].resources[0].version, "v1");
  EXPECT_EQ(found->resources[0].resources[1].group, "policy");
}

TEST(DiscoveryClientTest, ReportsVersionsThatCannotBeReadWithoutAggregation) {
  FakeDiscovery server;
  ServeUnaggregated(server);
  server.documents["/apis/policy/v2"] = Failure(503, "ServiceUnavailable");

  const auto found = DiscoveryClient(server.client()).ServerPreferredResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Names(found->resources), ElementsAre("v1 pods", "policy/v1 budgets"));
  ASSERT_TRUE(found->failed.contains({"policy", "v2"}));
  EXPECT_EQ(found->failed.at({"policy", "v2"}).reason, ErrorReason::kServiceUnavailable);
}

TEST(DiscoveryClientTest, PrefersTheVersionOfTheGroupAndOtherwiseTheFirst) {
  FakeDiscovery server;
  ServeUnaggregated(server);

  const auto found = DiscoveryClient(server.client()).ServerPreferredResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Names(found->resources),
              ElementsAre("v1 pods", "policy/v2 limits", "policy/v1 budgets"));
}

TEST(DiscoveryClientTest, RequestsOnlyTheLegacyFormWhenToldSo) {
  FakeDiscovery server;
  ServeUnaggregated(server);

  ASSERT_TRUE(DiscoveryClient(server.client(), {.use_legacy_discovery = true}).ServerGroups({}));

  EXPECT_EQ(transport::FindHeader(server.requests().front().headers, "Accept"), "application/json");
}

TEST(DiscoveryClientTest, ReturnsTheErrorOfTheGroups) {
  FakeDiscovery server;
  server.documents["/api"] = Aggregated(kCore);
  server.documents["/apis"] = Failure(403, "Forbidden");

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, ErrorReason::kForbidden);
}

TEST(DiscoveryClientTest, AcceptsAServerWithoutTheCoreGroup) {
  FakeDiscovery server;
  server.documents["/apis"] = Aggregated(kApps);
  const DiscoveryClient discovery(server.client());

  const auto found = discovery.ServerGroupsAndResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Names(found->resources), ElementsAre("apps/v1 deployments"));
  const auto core = discovery.ServerResourcesForGroupVersion({}, "v1");
  ASSERT_TRUE(core) << core.error().message;
  EXPECT_THAT(core->resources, IsEmpty());
  EXPECT_EQ(discovery.ServerResourcesForGroupVersion({}, "x.io/v1").error().reason,
            ErrorReason::kNotFound);
}

TEST(DiscoveryClientTest, RejectsNamesThatAPathCannotContain) {
  FakeDiscovery server;
  const DiscoveryClient discovery(server.client());

  for (const char* const name : {"", "/", "a/b/c", "../secrets", "apps/v1?x", "apps/"}) {
    const auto list = discovery.ServerResourcesForGroupVersion({}, name);
    ASSERT_FALSE(list) << name;
    EXPECT_EQ(list.error().reason, ErrorReason::kInvalidArgument) << name;
  }
  EXPECT_THAT(server.Paths(), IsEmpty());
}

TEST(DiscoveryClientTest, RejectsDocumentsThatAreTooLargeOrNotJson) {
  FakeDiscovery server;
  const DiscoveryClient discovery(server.client());
  server.documents["/version"] = Json("<html>");
  server.documents["/api"] = Json("[]");
  server.documents["/api/v1"] = Json(std::string((16U << 20U) + 1, ' '));

  EXPECT_EQ(discovery.ServerVersion({}).error().reason, ErrorReason::kDecode);
  EXPECT_EQ(discovery.ServerGroups({}).error().reason, ErrorReason::kDecode);
  const auto large = discovery.ServerResourcesForGroupVersion({}, "v1");
  EXPECT_EQ(large.error().reason, ErrorReason::kRequestEntityTooLarge);
  EXPECT_THAT(large.error().message, HasSubstr("failed to get /api/v1: the response has more than "
                                               "16777216 bytes"));
}

TEST(DiscoveryClientTest, LimitsTheRequestsOfTheFallback) {
  FakeDiscovery server;
  std::string versions;
  for (int i = 0; i < 2001; ++i) versions += (i == 0 ? "\"v" : ",\"v") + std::to_string(i) + "\"";
  server.documents["/api"] = Json(R"({"versions":[)" + versions + "]}");
  server.documents["/apis"] = Json(R"({"groups":[]})");

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, ErrorReason::kRequestEntityTooLarge);
}

TEST(DiscoveryClientTest, StopsBetweenTheRequestsOfTheFallback) {
  FakeDiscovery server;
  ServeUnaggregated(server);
  server.documents["/api/v1"] = {.fail = Error{.reason = ErrorReason::kCanceled}};

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_FALSE(found);
  EXPECT_TRUE(IsCanceled(found.error()));
}

TEST(DiscoveryClientTest, FailsWhenTheServerBecomesUnreachableDuringTheFallback) {
  FakeDiscovery server;
  ServeUnaggregated(server);
  server.documents["/apis/policy/v2"] = {
      .fail = Error{.reason = ErrorReason::kConnectionRefused, .message = "refused"}};

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().reason, ErrorReason::kConnectionRefused);
}

TEST(DiscoveryClientTest, ReportsAGroupWhoseServerIsTooSlow) {
  FakeDiscovery server;
  ServeUnaggregated(server);
  server.documents["/apis/policy/v2"] = {
      .fail = Error{.reason = ErrorReason::kDeadlineExceeded, .message = "too slow"}};

  const auto found = DiscoveryClient(server.client()).ServerGroupsAndResources({});

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->failed.contains({"policy", "v2"}));
}

TEST(DiscoveryClientTest, ReadsTheVersionOfTheServer) {
  FakeDiscovery server;
  server.documents["/version"] =
      Json(R"({"major":"1","minor":"34","gitVersion":"v1.34.4","platform":"linux/amd64"})");

  const auto version = DiscoveryClient(server.client()).ServerVersion({});

  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->git_version, "v1.34.4");
  EXPECT_EQ(version->minor, "34");
}

}  // namespace
}  // namespace capstan::discovery
