// SPDX-License-Identifier: Apache-2.0
// Tests of ConfigMaps as targets: their label and key, and keys that others own.
#include "capstan/api/config_map.h"
#include "capstan/api/object_metadata.h"
#include "capstan/client.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/field_ownership.h"
#include "controllers/cainjector/targets/config_map_target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The process under test may read ConfigMaps. This adds the right to write them.
constexpr const char* kConfigMapsRole =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
    R"("metadata":{"name":"capstan-configmap-targets"},"rules":[{"apiGroups":[""],)"
    R"("resources":["configmaps"],"verbs":["list","watch","patch"]}]})";
constexpr const char* kConfigMapsBinding =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
    R"("metadata":{"name":"capstan-configmap-targets"},"roleRef":)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
    R"("name":"capstan-configmap-targets"},"subjects":[)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"capstan"}]})";

struct ConfigMapObject {
  std::string annotations = R"("cert-manager.io/inject-ca-from-secret":"ns/ca")";
  std::string labels = R"("inject.capstan.dev/enabled":"true")";
  std::string rest = {};  // "\"data\":{...},"
};

class ConfigMapTargetsTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    Grant(kConfigMapsRole, kConfigMapsBinding);
    Create({cainjector::StoredSecret(ca_)});
  }

  cainjector::CaInjectorOptions Options() const {
    return {.namespaces = {Own("ns")}, .kinds = {.config_maps = true}};
  }
  runtime::ObjectKey Key() const { return {Own("ns"), Own("trust")}; }
  std::string Json(const ConfigMapObject& object) const {
    return Moved(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + Own("trust") +
                 R"(","annotations":{)" + object.annotations + R"(},"labels":{)" + object.labels +
                 "}}" + (object.rest.empty() ? "" : ",") + object.rest + "}");
  }
  void CreateConfigMap(const ConfigMapObject& object = {}) {
    const auto created = observer_->Create({}, TypeOf<api::ConfigMap>(), Key().namespace_,
                                           Json(object), {.field_manager = "team"});
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  void Change(const std::string& patch) {
    const auto patched =
        observer_->Patch({}, TypeOf<api::ConfigMap>(), Key(), rest::PatchType::kMerge, Moved(patch),
                         {.field_manager = "team"});
    ASSERT_TRUE(patched.has_value()) << patched.error().message;
  }
  // Returns the data, or one entry with the error.
  api::ConfigMap::Data Data() const {
    const auto object = capstan::Client<api::ConfigMap>(*observer_).Get({}, Key());
    if (!object) return {{"error", object.error().message}};
    return (*object)->data;
  }
  bool ComesToHold(const api::ConfigMap::Data& data) const {
    return testing::Eventually([&] { return Data() == data; });
  }
};

TEST_F(ConfigMapTargetsTest, InjectsPemAndFollowsARotation) {
  CreateConfigMap({.rest = R"("data":{"other":"text"})"});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}, {"other", "text"}}));
  EXPECT_TRUE(GetsEvent(process,
                        "Normal Injected ConfigMap/trust: Injected the CA bundle of "
                        "Secret ns/ca in 1 place"));

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));

  EXPECT_TRUE(ComesToHold({{"ca.crt", ca_ + rotated}, {"other", "text"}}));
  EXPECT_EQ(Writes(), 2U);
  EXPECT_EQ(Gets("configmaps"), 0U);
}

TEST_F(ConfigMapTargetsTest, ARestartWithoutChangesWritesNothing) {
  CreateConfigMap();
  {
    const cainjector::Process process(connection_, Options());
    ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));
  }
  recorder_.Reset();
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(ConfigMapTargetsTest, MovesTheBundleToTheKeyOfTheAnnotation) {
  CreateConfigMap();
  const cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));

  Change(R"({"metadata":{"annotations":{"capstan.dev/inject-ca-key":"root.pem"}}})");

  EXPECT_TRUE(ComesToHold({{"root.pem", ca_}}));
}

// Only the owner of a key removes it by an apply without it.
TEST_F(ConfigMapTargetsTest, MovesTheBundleAlsoWhenEntriesAreDetached) {
  cainjector::CaInjectorOptions options = Options();
  options.field_ownership = cainjector::FieldOwnership::kDetach;
  CreateConfigMap();
  const cainjector::Process process(connection_, options);
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));

  Change(R"({"metadata":{"annotations":{"capstan.dev/inject-ca-key":"root.pem"}}})");

  EXPECT_TRUE(ComesToHold({{"root.pem", ca_}}));
}

TEST_F(ConfigMapTargetsTest, ReportsABadKeyUntilItIsCorrected) {
  CreateConfigMap({.annotations = R"("cert-manager.io/inject-ca-from-secret":"ns/ca",)"
                                  R"("capstan.dev/inject-ca-key":"a/b")"});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(GetsEvent(process,
                        "Warning BadAnnotation ConfigMap/trust: "
                        "capstan.dev/inject-ca-key is not a key"));
  EXPECT_EQ(Writes(), 0U);

  Change(R"({"metadata":{"annotations":{"capstan.dev/inject-ca-key":"b"}}})");

  EXPECT_TRUE(ComesToHold({{"b", ca_}}));
}

TEST_F(ConfigMapTargetsTest, DoesNotReceiveConfigMapsWithoutTheLabel) {
  CreateConfigMap({.labels = ""});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_EQ(Writes(), 0U);
  EXPECT_GE(recorder_.Count("GET", {"/configmaps?", "labelSelector=inject.capstan.dev"}), 1U);

  Change(R"({"metadata":{"labels":{"inject.capstan.dev/enabled":"true"}}})");
  EXPECT_TRUE(ComesToHold({{"ca.crt", ca_}}));
}

TEST_F(ConfigMapTargetsTest, DoesNotTakeOverAKeyOfAnotherManager) {
  CreateConfigMap({.rest = R"("data":{"ca.crt":"theirs"})"});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(GetsEvent(process, "Warning FieldOwned ConfigMap/trust: failed to apply ConfigMap "));
  EXPECT_THAT(Events(process), Contains(HasSubstr("conflict with \"team\"")));
  EXPECT_THAT(Events(process), Contains(HasSubstr(".data.ca.crt")));
  EXPECT_EQ(Data(), (api::ConfigMap::Data{{"ca.crt", "theirs"}}));
  EXPECT_EQ(recorder_.Count("PATCH", {"/configmaps/"}), 1U);

  Change(R"({"data":{"ca.crt":null}})");

  EXPECT_TRUE(ComesToHold({{"ca.crt", ca_}}));
}

TEST_F(ConfigMapTargetsTest, WritesAgainAfterItsEntryWasDropped) {
  CreateConfigMap();
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));
  const cainjector::Target& target = cainjector::ConfigMapTarget();
  const auto object = observer_->Get({}, target.content_type(), Key());
  ASSERT_TRUE(object.has_value()) << object.error().message;
  const auto entries = target.Entries(**object);
  ASSERT_NE(entries.apply, cainjector::ManagerEntries::kNone);
  const auto dropped =
      observer_->Patch({}, TypeOf<api::ConfigMap>(), Key(), rest::PatchType::kJson,
                       cainjector::DropEntriesPatch((*object)->resource_version(), entries),
                       {.field_manager = "team"});
  ASSERT_TRUE(dropped.has_value()) << dropped.error().message;

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));

  EXPECT_TRUE(ComesToHold({{"ca.crt", ca_ + rotated}}));
}

TEST_F(ConfigMapTargetsTest, ReportsAnImmutableConfigMap) {
  CreateConfigMap({.rest = R"("immutable":true)"});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(GetsEvent(process, "Warning Rejected ConfigMap/trust: "));
  EXPECT_THAT(Events(process), Contains(HasSubstr("field is immutable when `immutable` is set")));
}

TEST_F(ConfigMapTargetsTest, NeverReplacesABundleByAnInvalidOne) {
  CreateConfigMap();
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));

  Update("ca", cainjector::StoredSecret("garbage"));

  EXPECT_TRUE(GetsEvent(process, "Warning InvalidBundle ConfigMap/trust"));
  EXPECT_EQ(Data(), (api::ConfigMap::Data{{"ca.crt", ca_}}));
}

TEST_F(ConfigMapTargetsTest, KeepsTheBundleAfterItsAnnotationOrLabelIsRemoved) {
  CreateConfigMap();
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({{"ca.crt", ca_}}));

  Change(R"({"metadata":{"annotations":null}})");
  Change(R"({"metadata":{"labels":null}})");

  EXPECT_TRUE(testing::Eventually([&] {
    return Metrics(process).find("expiration_timestamp_seconds{kind=\"ConfigMap\"") ==
           std::string::npos;
  }));
  EXPECT_EQ(Data(), (api::ConfigMap::Data{{"ca.crt", ca_}}));
  EXPECT_EQ(Writes(), 1U);
}

TEST_F(ConfigMapTargetsTest, ReportsAMissingRightToPatch) {
  recorder_.Refuse("/configmaps/", 403,
                   R"(configmaps is forbidden: User "x" cannot patch resource "configmaps")");
  CreateConfigMap();
  cainjector::Process process(connection_, Options());
  EXPECT_TRUE(GetsEvent(process, "Warning Forbidden ConfigMap/trust: failed to apply"));
  EXPECT_THAT(Data(), IsEmpty());
}

TEST_F(ConfigMapTargetsTest, FailsReadyzWithoutTheRightToList) {
  recorder_.Refuse("/configmaps?", 403, "configmaps is forbidden: no RBAC");
  CreateConfigMap();
  CreateTargets("other", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(AllComeToHold("other", ca_));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[-]target-caches-configmaps") != std::string::npos;
  })) << process.ReadyText();
  EXPECT_THAT(Data(), IsEmpty());
}

TEST_F(ConfigMapTargetsTest, KeepsKeysAddedByConcurrentWrites) {
  CreateConfigMap();
  const cainjector::Process process(connection_, Options());
  api::ConfigMap::Data expected;
  std::string rotated;
  for (int i = 0; i < 15; ++i) {
    rotated = cainjector::NewCaPem();
    Update("ca", cainjector::StoredSecret(rotated));
    Change(R"({"data":{"key)" + std::to_string(i) + R"(":"v"}})");
    expected["key" + std::to_string(i)] = "v";
  }

  EXPECT_TRUE(testing::Eventually([&] {
    api::ConfigMap::Data data = Data();
    const bool injected = data["ca.crt"].ends_with(rotated);
    data.erase("ca.crt");
    return injected && data == expected;
  }));
}

TEST_F(ConfigMapTargetsTest, IsTheSourceOfAnotherTarget) {
  CreateConfigMap({.labels = R"("inject.capstan.dev/enabled":"true",)"
                             R"("cache.capstan.dev/enabled":"true")"});
  CreateTargets("t", {{cainjector::kInjectCaFromConfigMap, Own("ns") + "/" + Own("trust")}});
  const cainjector::Process process(connection_, Options());

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

}  // namespace
}  // namespace capstan::injection
