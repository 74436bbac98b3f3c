// SPDX-License-Identifier: Apache-2.0
// Tests of discovery, health, authentication, and unknown paths and methods.
#include <map>

#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using DiscoveryTest = ContractTest;

const Refusal kNoSuchResource = {.code = 404,
                                 .reason = "NotFound",
                                 .message = "the server could not find the requested resource",
                                 .details = "{}"};
const Refusal kNoSuchMethod = {
    .code = 405,
    .reason = "MethodNotAllowed",
    .message = "the server does not allow this method on the requested resource",
    .details = "{}"};

// Returns one resource's entry in discovery, without its storageVersionHash.
std::string Describe(const Answer& list, std::string_view name) {
  for (const runtime::JsonValue& resource : list.json["resources"].GetArray()) {
    if (runtime::GetString(resource, "name") != name) continue;
    runtime::JsonDocument copy;
    copy.CopyFrom(resource, copy.GetAllocator());
    copy.RemoveMember("storageVersionHash");
    copy.RemoveMember("name");
    copy.RemoveMember("verbs");
    std::string verbs;
    for (const runtime::JsonValue& verb : resource["verbs"].GetArray()) {
      verbs += std::string(verb.GetString()) + " ";
    }
    return Sorted(runtime::ToJson(copy)) + " " + verbs;
  }
  return "absent";
}

constexpr const char* kAllVerbs = " create delete deletecollection get list patch update watch ";

// cluster-api requests "/" to find out whether a cluster is reachable.
TEST_F(DiscoveryTest, ListsThePaths) {
  for (const char* const path : {"/", "/index.html"}) {
    const Answer index = Get(path);

    EXPECT_EQ(index.code, 200) << path;
    const std::string paths = runtime::ToJson(index.json["paths"]);
    for (const char* const listed :
         {"/api", "/api/v1", "/apis", "/apis/", "/apis/apps", "/apis/apps/v1", "/healthz",
          "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"}) {
      EXPECT_THAT(paths, HasSubstr('"' + std::string(listed) + '"'));
    }
  }
}

TEST_F(DiscoveryTest, NamesTheVersionInWhichObjectsAreKept) {
  const auto hash = [&](const char* const path, std::string_view name) {
    const Answer list = Get(path);
    for (const runtime::JsonValue& resource : list.json["resources"].GetArray()) {
      if (runtime::GetString(resource, "name") != name) continue;
      return std::string(runtime::GetString(resource, "storageVersionHash"));
    }
    return std::string("absent");
  };

  EXPECT_EQ(hash("/apis/apps/v1", "deployments"), "8aSe+NMegvE=");
  EXPECT_EQ(hash("/api/v1", "events"), "r2yiGXH7wu8=");
  EXPECT_EQ(hash("/apis/events.k8s.io/v1", "events"), "r2yiGXH7wu8=");
  EXPECT_EQ(hash("/apis/authentication.k8s.io/v1", "tokenreviews"), "");
}

TEST_F(DiscoveryTest, ListsTheCoreVersion) {
  const Answer versions = Get("/api");

  EXPECT_EQ(runtime::GetString(versions.json, "kind"), "APIVersions");
  EXPECT_EQ(runtime::ToJson(versions.json["versions"]), R"(["v1"])");
  EXPECT_EQ(Sorted(Get("/api/").body), Sorted(versions.body));
}

TEST_F(DiscoveryTest, ListsGroupsAndTheirVersions) {
  const Answer groups = Get("/apis");

  EXPECT_EQ(runtime::GetString(groups.json, "kind"), "APIGroupList");
  std::map<std::string, std::string> found;
  for (const runtime::JsonValue& group : groups.json["groups"].GetArray()) {
    found[std::string(runtime::GetString(group, "name"))] = Sorted(runtime::ToJson(group));
  }
  for (const std::string& name :
       {std::string("coordination.k8s.io"), std::string("admissionregistration.k8s.io"),
        std::string("apiregistration.k8s.io"), std::string("apiextensions.k8s.io")}) {
    const std::string version = R"({"groupVersion":")" + name + R"(/v1","version":"v1"})";
    EXPECT_EQ(found[name], R"({"name":")" + name + R"(","preferredVersion":)" + version +
                               R"(,"versions":[)" + version + "]}");
  }
}

TEST_F(DiscoveryTest, DescribesAGroup) {
  EXPECT_EQ(Sorted(Get("/apis/coordination.k8s.io").body),
            Sorted(R"({"kind":"APIGroup","apiVersion":"v1","name":"coordination.k8s.io",)"
                   R"("versions":[{"groupVersion":"coordination.k8s.io/v1","version":"v1"}],)"
                   R"("preferredVersion":{"groupVersion":"coordination.k8s.io/v1",)"
                   R"("version":"v1"}})"));
}

TEST_F(DiscoveryTest, DescribesTheCoreResources) {
  const Answer list = Get("/api/v1");

  EXPECT_EQ(runtime::GetString(list.json, "kind"), "APIResourceList");
  EXPECT_EQ(runtime::GetString(list.json, "groupVersion"), "v1");
  EXPECT_EQ(runtime::Find(list.json, "apiVersion"), nullptr);
  EXPECT_EQ(
      Describe(list, "secrets"),
      R"({"kind":"Secret","namespaced":true,"singularName":"secret"})" + std::string(kAllVerbs));
  EXPECT_EQ(Describe(list, "configmaps"),
            R"({"kind":"ConfigMap","namespaced":true,"shortNames":["cm"],)"
            R"("singularName":"configmap"})" +
                std::string(kAllVerbs));
  EXPECT_EQ(Describe(list, "namespaces"),
            R"({"kind":"Namespace","namespaced":false,"shortNames":["ns"],)"
            R"("singularName":"namespace"} create delete get list patch update watch )");
  EXPECT_EQ(Describe(list, "bindings"),
            R"({"kind":"Binding","namespaced":true,"singularName":"binding"} create )");
  EXPECT_EQ(Describe(list, "namespaces/finalize"),
            R"({"kind":"Namespace","namespaced":false,"singularName":""} update )");
  EXPECT_EQ(Describe(list, "pods/ephemeralcontainers"),
            R"({"kind":"Pod","namespaced":true,"singularName":""} get patch update )");
  EXPECT_EQ(Describe(list, "namespaces/status"),
            R"({"kind":"Namespace","namespaced":false,"singularName":""} get patch update )");
}

TEST_F(DiscoveryTest, DescribesTheResourcesOfGroups) {
  EXPECT_EQ(
      Describe(Get("/apis/coordination.k8s.io/v1"), "leases"),
      R"({"kind":"Lease","namespaced":true,"singularName":"lease"})" + std::string(kAllVerbs));
  EXPECT_EQ(Describe(Get("/apis/apiextensions.k8s.io/v1"), "customresourcedefinitions"),
            R"({"categories":["api-extensions"],"kind":"CustomResourceDefinition",)"
            R"("namespaced":false,"shortNames":["crd","crds"],)"
            R"("singularName":"customresourcedefinition"})" +
                std::string(kAllVerbs));
  EXPECT_EQ(Describe(Get("/apis/admissionregistration.k8s.io/v1"), "mutatingwebhookconfigurations"),
            R"({"categories":["api-extensions"],"kind":"MutatingWebhookConfiguration",)"
            R"("namespaced":false,"singularName":"mutatingwebhookconfiguration"})" +
                std::string(kAllVerbs));
  EXPECT_EQ(Describe(Get("/apis/apiregistration.k8s.io/v1"), "apiservices/status"),
            R"({"kind":"APIService","namespaced":false,"singularName":""} get patch update )");
}

TEST_F(DiscoveryTest, ReportsItsVersion) {
  const Answer version = Get("/version");

  EXPECT_EQ(runtime::GetString(version.json, "major"), "1");
  EXPECT_THAT(std::string(runtime::GetString(version.json, "gitVersion")),
              StartsWith("v1." + std::to_string(Minor()) + "."));
}

TEST_F(DiscoveryTest, ReportsItsHealth) {
  for (const char* const path : {"/healthz", "/livez", "/readyz"}) {
    const Answer answer = Get(path, {"Authorization: none"});
    EXPECT_EQ(answer.code, 200);
    EXPECT_EQ(answer.body, "ok");
    EXPECT_THAT(answer.head, HasSubstr("text/plain; charset=utf-8"));
  }
}

TEST_F(DiscoveryTest, ReportsEachCheckOfItsHealth) {
  for (const std::string endpoint : {"healthz", "livez", "readyz"}) {
    const std::string path = "/" + endpoint;
    const Answer all = Get(path + "?verbose");

    EXPECT_THAT(all.body, StartsWith("[+]ping ok\n[+]log ok\n"));
    EXPECT_THAT(all.body, HasSubstr("\n[+]etcd ok\n"));
    EXPECT_THAT(all.body, HasSubstr("\n[+]poststarthook/rbac/bootstrap-roles ok\n"));
    EXPECT_THAT(all.body, EndsWith(" ok\n" + endpoint + " check passed\n"));
    EXPECT_THAT(all.head, HasSubstr("text/plain; charset=utf-8"));
    for (const char* const check : {"/ping", "/etcd", "/poststarthook/crd-informer-synced",
                                    "/ping?verbose", "/etcd?exclude=etcd"}) {
      const Answer one = Get(path + check);
      EXPECT_EQ(one.code, 200) << path << check;
      EXPECT_EQ(one.body, "ok");
      EXPECT_THAT(one.head, HasSubstr("text/plain; charset=utf-8"));
    }
    EXPECT_EQ(Get(path + "/nope").body, "404 page not found\n");
    EXPECT_EQ(Get(path + "/ping", {"Authorization: none"}).code, 403);
    EXPECT_EQ(Get(path, {"Authorization: Bearer wrong"}).code, 401);
  }
  EXPECT_EQ(Get("/readyz/shutdown").body, "ok");
  EXPECT_EQ(Get("/livez/shutdown").code, 404);
  EXPECT_THAT(runtime::ToJson(Get("/").json["paths"]), HasSubstr(R"("/livez/etcd")"));
}

TEST_F(DiscoveryTest, ExcludesChecksOfItsHealth) {
  EXPECT_EQ(Get("/livez?exclude=etcd").body, "ok");
  EXPECT_EQ(Get("/livez?exclude=nope").body, "ok");
  EXPECT_THAT(Get("/livez?verbose=false&exclude=etcd&exclude=ping").body,
              AllOf(StartsWith("[+]ping excluded: ok\n[+]log ok\n"),
                    HasSubstr("\n[+]etcd excluded: ok\n"), EndsWith(" ok\nlivez check passed\n")));
  EXPECT_THAT(Get("/readyz?verbose&exclude=nope&exclude=log,etcd").body,
              AllOf(HasSubstr("\n[+]etcd ok\n"),
                    EndsWith("warn: some health checks cannot be excluded: no matches for "
                             "\"log,etcd\",\"nope\"\nreadyz check passed\n")));
}

TEST_F(DiscoveryTest, RejectsWrites) {
  EXPECT_REFUSED(Post("/api/v1", "{}"), kNoSuchMethod);
  EXPECT_REFUSED(Delete("/version"), kNoSuchMethod);
}

using PathsTest = ContractTest;

TEST_F(PathsTest, ReturnsNotFoundForUnknownPaths) {
  for (const std::string& path :
       {std::string("/api/v1/nonsense"), Core("nonsense", ""), ConfigMaps("a") + "/status",
        ConfigMaps("a") + "/nope", std::string("/api/v1/configmaps/a"), std::string("/api/v2"),
        std::string("/apis/coordination.k8s.io/v9/leases"),
        "/apis/admissionregistration.k8s.io/v1/namespaces/" + ns() +
            "/validatingwebhookconfigurations"}) {
    EXPECT_REFUSED(Get(path), kNoSuchResource) << path;
  }
}

TEST_F(PathsTest, ReturnsNotFoundInPlainTextForUnknownGroups) {
  for (const char* const path : {"/apis/nope.io/v1/things", "/nope", "/apis/nope.io"}) {
    const Answer answer = Get(path);
    EXPECT_EQ(answer.code, 404);
    EXPECT_EQ(answer.body, "404 page not found\n");
    EXPECT_THAT(answer.head, HasSubstr("text/plain; charset=utf-8"));
  }
}

TEST_F(PathsTest, RejectsUnsupportedMethods) {
  CreateConfigMap("a");

  EXPECT_REFUSED(Post(ConfigMaps("a"), "{}"), kNoSuchMethod);
  EXPECT_REFUSED(Put(ConfigMaps(), "{}"), kNoSuchMethod);
  EXPECT_REFUSED(MergePatch(ConfigMaps(), "{}"), kNoSuchMethod);
  EXPECT_REFUSED(Post("/api/v1/configmaps", "{}"), kNoSuchMethod);
  EXPECT_REFUSED(Do("OPTIONS", ConfigMaps()), kNoSuchMethod);
}

using AuthenticationTest = ContractTest;

TEST_F(AuthenticationTest, RejectsAnUnknownToken) {
  for (const std::string& path : {ConfigMaps(), std::string("/apis"), ConfigMaps() + "?watch=1"}) {
    EXPECT_REFUSED(Get(path, {"Authorization: Bearer wrong"}),
                   {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"});
  }
}

TEST_F(AuthenticationTest, ForbidsAnonymousRequests) {
  const std::string user = "User \"system:anonymous\" cannot ";

  EXPECT_REFUSED(Get(ConfigMaps(), {"Authorization: none"}),
                 {.code = 403,
                  .reason = "Forbidden",
                  .message = "configmaps is forbidden: " + user +
                             "list resource \"configmaps\" in API group \"\" in the namespace \"" +
                             ns() + "\"",
                  .details = R"({"kind":"configmaps"})"});
  EXPECT_REFUSED(Get(Webhooks(), {"Authorization: none"}),
                 {.code = 403,
                  .reason = "Forbidden",
                  .message = "validatingwebhookconfigurations.admissionregistration.k8s.io \"" +
                             ns() + "\" is forbidden: " + user +
                             "get resource \"validatingwebhookconfigurations\" in API group "
                             "\"admissionregistration.k8s.io\" at the cluster scope",
                  .details = R"({"name":")" + ns() +
                             R"(","group":"admissionregistration.k8s.io",)"
                             R"("kind":"validatingwebhookconfigurations"})"});
  EXPECT_REFUSED(Get("/apis", {"Authorization: none"}),
                 {.code = 403,
                  .reason = "Forbidden",
                  .message = "forbidden: " + user + "get path \"/apis\"",
                  .details = "{}"});
  EXPECT_EQ(Get("/version", {"Authorization: none"}).code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
