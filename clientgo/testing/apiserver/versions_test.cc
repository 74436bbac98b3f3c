// SPDX-License-Identifier: Apache-2.0
// Tests of custom kinds with several versions, and of definitions that replace a built-in kind,
// where they need the embedded server. e2e/contract/versions_test.cc has the others.
#include <string>

#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns a version with these properties of the spec, and further members.
std::string Version(const std::string& name, const std::string& properties, bool storage,
                    const std::string& more = "") {
  return R"({"name":")" + name + R"(","storage":)" + (storage ? "true" : "false") +
         R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
         R"("properties":{)" +
         properties + R"(}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":)" +
         "true}}}}" + (more.find("served") == std::string::npos ? R"(,"served":true)" : "") + more +
         "}";
}

class VersionsTest : public ServerTest {
 protected:
  static std::string Prices(const std::string& version, const std::string& name = {}) {
    return "/apis/shop.example.com/" + version + "/namespaces/default/prices" +
           (name.empty() ? "" : "/" + name);
  }
  Answer Define(const std::string& versions) {
    return client_->Post(
        kDefinitions,
        R"({"metadata":{"name":"prices.shop.example.com"},"spec":{"group":"shop.example.com",)"
        R"("scope":"Namespaced","names":{"plural":"prices","kind":"Price"},"versions":[)" +
            versions + "]}}");
  }
  Answer ChangeVersions(const std::string& versions) {
    return client_->Patch(std::string(kDefinitions) + "/prices.shop.example.com",
                          "merge-patch+json", R"({"spec":{"versions":[)" + versions + "]}}");
  }
  Answer Create(const std::string& version, const std::string& name, const std::string& spec) {
    return client_->Post(Prices(version), R"({"apiVersion":"shop.example.com/)" + version +
                                              R"(","kind":"Price","metadata":{"name":")" + name +
                                              R"("},"spec":)" + spec + "}");
  }
  static std::string Spec(const Answer& answer) {
    const runtime::JsonValue* const spec = runtime::Find(answer.json, "spec");
    return spec == nullptr ? answer.body : runtime::ToJson(*spec);
  }
};

constexpr const char* kAmount = R"("amount":{"type":"integer"})";

TEST_F(VersionsTest, EndsTheWatchesOfAVersionThatIsNoLongerServed) {
  const std::string v1 = Version("v1", kAmount, true);
  ASSERT_EQ(Define(v1 + "," + Version("v2", kAmount, false)).code, 201);
  WatchStream ended = Watch("resourceVersion=1", Prices("v2"));
  WatchStream open = Watch("resourceVersion=1", Prices("v1"));

  const Answer changed =
      ChangeVersions(v1 + "," + Version("v2", kAmount, false, R"(,"served":false)"));
  ASSERT_EQ(changed.code, 200) << changed.body;

  EXPECT_EQ(ended.Next().type, "EOF");
  EXPECT_EQ(client_->Get(Prices("v2")).code, 404);
  ASSERT_EQ(Create("v1", "a", R"({"amount":1})").code, 201);
  EXPECT_EQ(open.Next().Brief(), "ADDED a");
}

TEST_F(VersionsTest, ShowsTheColumnsOfEachVersion) {
  const auto column = [](const std::string& name) {
    return R"(,"additionalPrinterColumns":[{"name":")" + name +
           R"(","type":"integer","jsonPath":".spec.amount"}])";
  };
  ASSERT_EQ(Define(Version("v1", kAmount, true, column("Cents")) + "," +
                   Version("v2", kAmount, false, column("Amount")))
                .code,
            201);
  ASSERT_EQ(Create("v1", "a", R"({"amount":7})").code, 201);
  const std::string table = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n";

  EXPECT_THAT(client_->Get(Prices("v1"), table).body, HasSubstr(R"("name":"Cents")"));
  EXPECT_THAT(client_->Get(Prices("v2"), table).body, HasSubstr(R"("name":"Amount")"));
  EXPECT_THAT(client_->Get(Prices("v2"), table).body, HasSubstr(R"("cells":["a",7])"));
}

TEST_F(VersionsTest, DeletesTheObjectsOfAllVersionsWithTheDefinition) {
  ASSERT_EQ(Define(Version("v1", kAmount, true) + "," + Version("v2", kAmount, false)).code, 201);
  ASSERT_EQ(Create("v1", "a", "{}").code, 201);
  ASSERT_EQ(ChangeVersions(Version("v1", kAmount, false) + "," + Version("v2", kAmount, true)).code,
            200);
  ASSERT_EQ(Create("v1", "b", "{}").code, 201);
  WatchStream watch =
      Watch("resourceVersion=" + std::string(client_->Get(Prices("v2")).meta("resourceVersion")),
            Prices("v2"));

  ASSERT_EQ(client_->Delete(Path(kDefinitions, "/prices.shop.example.com")).code, 200);

  EXPECT_EQ(watch.Next().Brief(), "DELETED a");
  EXPECT_EQ(watch.Next().Brief(), "DELETED b");
  EXPECT_EQ(client_->Get(Prices("v2")).code, 404);
}

TEST_F(VersionsTest, EmptiesANamespaceOfObjectsInAnyVersion) {
  ASSERT_EQ(Define(Version("v1", kAmount, true) + "," + Version("v2", kAmount, false)).code, 201);
  ASSERT_EQ(client_->Post("/api/v1/namespaces", R"({"metadata":{"name":"shop"}})").code, 201);
  const std::string prices = "/apis/shop.example.com/v2/namespaces/shop/prices";
  const Answer created =
      client_->Post(prices, R"({"apiVersion":"shop.example.com/v2","kind":"Price",)"
                            R"("metadata":{"name":"a"}})");
  ASSERT_EQ(created.code, 201) << created.body;
  WatchStream watch =
      Watch("resourceVersion=" + std::string(created.meta("resourceVersion")), prices);

  ASSERT_EQ(client_->Delete("/api/v1/namespaces/shop").code, 200);

  const WatchLine deleted = watch.Next();
  EXPECT_EQ(deleted.Brief(), "DELETED a");
  EXPECT_EQ(runtime::GetString(deleted.object, "apiVersion"), "shop.example.com/v2");
}

// A definition with the name of a built-in kind of this server.
class ReplacedKindTest : public ServerTest {
 protected:
  static constexpr const char* kCertificates =
      "/apis/cert-manager.io/v1/namespaces/default/certificates";

  Answer Define() {
    return client_->Post(
        kDefinitions,
        R"({"metadata":{"name":"certificates.cert-manager.io"},"spec":{"group":"cert-manager.io",)"
        R"("scope":"Namespaced","names":{"plural":"certificates","kind":"Certificate",)"
        R"("shortNames":["crt"]},"versions":[)" +
            Version("v1", R"("secretName":{"type":"string"})", true,
                    R"(,"additionalPrinterColumns":[{"name":"Secret","type":"string",)"
                    R"("jsonPath":".spec.secretName"}])") +
            "]}}");
  }
  Answer Create(const std::string& name, const std::string& secret) {
    return client_->Post(kCertificates,
                         R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{)"
                         R"("name":")" +
                             name + R"("},"spec":{"secretName":)" + secret + "}}");
  }
};

TEST_F(ReplacedKindTest, ADefinitionReplacesABuiltInKind) {
  ASSERT_EQ(Create("before", "5").code, 201);
  ASSERT_EQ(Define().code, 201);

  const Answer refused = Create("a", "5");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("spec.secretName: Invalid value"));
  EXPECT_EQ(Create("a", R"("s")").code, 201);
  EXPECT_EQ(Names(client_->Get(kCertificates)), "a ");
  const std::string resources = client_->Get("/apis/cert-manager.io/v1").body;
  EXPECT_THAT(resources, HasSubstr(R"("shortNames":["crt"])"));
  EXPECT_THAT(resources, Not(HasSubstr("certificates/status")));
  EXPECT_THAT(resources, HasSubstr(R"("name":"certificaterequests")"));
  EXPECT_THAT(
      client_->Get(kCertificates, "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n").body,
      HasSubstr(R"("cells":["a","s"])"));
}

TEST_F(ReplacedKindTest, TheBuiltInKindIsServedAgainAfterTheDeletionOfTheDefinition) {
  ASSERT_EQ(Create("before", "5").code, 201);
  ASSERT_EQ(Define().code, 201);
  ASSERT_EQ(Create("a", R"("s")").code, 201);

  ASSERT_EQ(client_->Delete(Path(kDefinitions, "/certificates.cert-manager.io")).code, 200);

  EXPECT_EQ(Names(client_->Get(kCertificates)), "before ");
  EXPECT_EQ(Create("after", "5").code, 201);
  EXPECT_THAT(client_->Get("/apis/cert-manager.io/v1").body, HasSubstr("certificates/status"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
