// SPDX-License-Identifier: Apache-2.0
// Tests of additional targets: fields of a custom resource that the configuration names.
#include "controllers/cainjector/targets/field_target.h"

#include "capstan/api/object_metadata.h"
#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/targets/target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A list of providers is atomic, as lists in custom resources are by default.
constexpr const char* kBackends =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"backends.injection.example.com"},)"
    R"("spec":{"group":"injection.example.com","scope":"Namespaced",)"
    R"("names":{"plural":"backends","singular":"backend","kind":"Backend",)"
    R"("listKind":"BackendList"},"versions":[{"name":"v1","served":true,"storage":true,)"
    R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
    R"("properties":{"tls":{"type":"object","properties":{)"
    R"("caBundle":{"type":"string","format":"byte"},"host":{"type":"string"}}},)"
    R"("roots":{"type":"object","properties":{"pem":{"type":"string","maxLength":100000}}},)"
    R"("providers":{"type":"array","items":{"type":"object","properties":{)"
    R"("name":{"type":"string"},"caBundle":{"type":"string","format":"byte"}}}}}}}}}}]}})";

// The process under test may list, watch and patch Backends.
constexpr const char* kBackendsRole =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
    R"("metadata":{"name":"capstan-backends"},"rules":[{"apiGroups":["injection.example.com"],)"
    R"("resources":["backends"],"verbs":["list","watch","patch"]}]})";
constexpr const char* kBackendsBinding =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
    R"("metadata":{"name":"capstan-backends"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
    R"("kind":"ClusterRole","name":"capstan-backends"},"subjects":[)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"capstan"}]})";

cainjector::FieldTargetPtr Backends(
    const std::vector<std::string>& paths,
    cainjector::FieldEncoding encoding = cainjector::FieldEncoding::kBase64) {
  cainjector::FieldTargetOptions options{
      .gvr = {"injection.example.com", "v1", "backends"}, .kind = "Backend", .encoding = encoding};
  for (const std::string& path : paths)
    options.fields.push_back(cainjector::ParseFieldPath(path).value());
  return std::make_shared<const cainjector::FieldTarget>(std::move(options));
}

class FieldTargetsTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    const auto apply = [&](const char* plural, const char* kind, const std::string& group,
                           const char* json) {
      const runtime::ResourceType type =
          api::MakeMetadataType({.gvr = {group, "v1", plural}, .kind = kind, .annotations = {}});
      const auto created = observer_->Create({}, type, "", json);
      ASSERT_TRUE(created || IsAlreadyExists(created.error())) << created.error().message;
    };
    apply("customresourcedefinitions", "CustomResourceDefinition", "apiextensions.k8s.io",
          kBackends);
    apply("clusterroles", "ClusterRole", "rbac.authorization.k8s.io", kBackendsRole);
    apply("clusterrolebindings", "ClusterRoleBinding", "rbac.authorization.k8s.io",
          kBackendsBinding);
    const auto client = connection_.new_client(connection_.config, {}).value();
    ASSERT_TRUE(testing::Eventually(
        [&] { return client->List({}, target().type(), {}, [](const auto&) {}).has_value(); }));
    Create({cainjector::StoredSecret(ca_)});
  }

  const cainjector::Target& target() const { return backends_->target; }
  cainjector::CaInjectorOptions Options() const {
    return {.namespaces = {Own("ns")}, .kinds = {.additional = {backends_}}};
  }
  void CreateBackend(const std::string& spec,
                     const std::string& annotations = FromSecret("ns/ca")) {
    const std::string json =
        R"({"apiVersion":"injection.example.com/v1","kind":"Backend","metadata":{"name":")" +
        Own("b") + R"(","annotations":)" + annotations + R"(},"spec":)" + spec + "}";
    const auto created = observer_->Create({}, target().content_type(), Own("ns"), Moved(json));
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  static std::string FromSecret(const std::string& value) {
    return R"({"cert-manager.io/inject-ca-from-secret":")" + value + "\"}";
  }
  runtime::ObjectKey Key() const { return {Own("ns"), Own("b")}; }
  void Change(const std::string& patch, rest::PatchType type = rest::PatchType::kMerge) {
    const auto patched = observer_->Patch({}, target().content_type(), Key(), type, Moved(patch));
    ASSERT_TRUE(patched.has_value()) << patched.error().message;
  }
  std::vector<std::string> Bundles() const {
    const auto object = observer_->Get({}, target().content_type(), Key());
    if (!object) return {object.error().message};
    return target().Bundles(**object);
  }
  bool ComesToHold(const std::vector<std::string>& bundles) const {
    return testing::Eventually([&] { return Bundles() == bundles; });
  }
  // Returns the object as text.
  std::string Text() const {
    const auto body = observer_->GetRaw({}, target().type().Path(Key().namespace_, Key().name));
    return body ? body->body : body.error().message;
  }

  cainjector::FieldTargetPtr backends_ =
      Backends({"spec.tls.caBundle", "spec.providers[*].caBundle"});
};

TEST_F(FieldTargetsTest, InjectsIntoEachPlaceAndFollowsARotation) {
  CreateBackend(
      R"({"tls":{"host":"x"},"providers":[{"name":"a"},{"name":"b","caBundle":"Z2FyYmFnZQ=="}]})");
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({ca_, ca_, ca_}));
  EXPECT_TRUE(GetsEvent(process,
                        "Normal Injected Backend/b: Injected the CA bundle of Secret "
                        "ns/ca in 3 places"));

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));

  EXPECT_TRUE(ComesToHold({ca_ + rotated, ca_ + rotated, ca_ + rotated}));
  EXPECT_EQ(Writes(), 2U);
  EXPECT_EQ(Gets("backends"), 0U);
  EXPECT_THAT(Text(), AllOf(HasSubstr(R"("host":"x")"), HasSubstr(R"("name":"a")"),
                            HasSubstr(R"("name":"b")")));
  EXPECT_THAT(Metrics(process),
              HasSubstr("capstan_injectable_in_sync{kind=\"Backend\",name=\"ns/b\"} 1"));
}

TEST_F(FieldTargetsTest, ARestartWithoutChangesWritesNothing) {
  CreateBackend(R"({"tls":{"caBundle":")" + Base64Encode(ca_) + R"("}})");
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(Settled(process));

  EXPECT_EQ(Writes(), 0U);
  EXPECT_THAT(Events(process), IsEmpty());
}

TEST_F(FieldTargetsTest, KeepsTheBundleAfterItsAnnotationOrSourceIsRemoved) {
  CreateBackend(R"({"tls":{}})");
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(ComesToHold({ca_}));

  Delete(cainjector::SecretMetadataType(), "ns/ca");
  EXPECT_TRUE(GetsEvent(process, "SourceNotFound Backend/b"));
  EXPECT_THAT(Bundles(), ElementsAre(ca_));

  Change(R"({"metadata":{"annotations":null}})");
  EXPECT_TRUE(testing::Eventually([&] {
    return Metrics(process).find("capstan_injectable_in_sync{kind=\"Backend\"") ==
           std::string::npos;
  }));
  EXPECT_THAT(Bundles(), ElementsAre(ca_));
}

TEST_F(FieldTargetsTest, ReportsAnObjectWithoutAPlaceUntilItHasOne) {
  CreateBackend("{}");
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(GetsEvent(process,
                        "Normal NothingToInjectInto Backend/b: the object has no parent of "
                        "spec.tls.caBundle or spec.providers[*].caBundle"));
  EXPECT_EQ(Writes(), 0U);

  Change(R"({"spec":{"providers":[{"name":"a"}]}})");

  EXPECT_TRUE(ComesToHold({ca_}));
}

TEST_F(FieldTargetsTest, NeverReplacesABundleByAnInvalidOne) {
  CreateBackend(R"({"tls":{"caBundle":")" + Base64Encode(ca_) + R"("}})");
  Update("ca", cainjector::StoredSecret("garbage"));
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(GetsEvent(process, "Warning InvalidBundle Backend/b"));
  EXPECT_THAT(Bundles(), ElementsAre(ca_));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(FieldTargetsTest, ReportsABadAnnotation) {
  CreateBackend(R"({"tls":{}})", FromSecret("no-namespace-" + Own("x")));
  cainjector::Process process(connection_, Options());
  EXPECT_TRUE(GetsEvent(process, "Warning BadAnnotation Backend/b"));
}

TEST_F(FieldTargetsTest, ReportsAMissingRightToPatch) {
  recorder_.Refuse("/backends/", 403,
                   "backends is forbidden: User \"x\" cannot patch backends of " + Own("x"));
  CreateBackend(R"({"tls":{}})");
  cainjector::Process process(connection_, Options());
  EXPECT_TRUE(GetsEvent(process, "Warning Forbidden Backend/b: failed to apply Backend ns/b: "));
  EXPECT_THAT(Bundles(), ElementsAre(""));
}

TEST_F(FieldTargetsTest, WritesPem) {
  backends_ = Backends({"spec.roots.pem"}, cainjector::FieldEncoding::kPem);
  CreateBackend(R"({"roots":{}})");
  const cainjector::Process process(connection_, Options());

  EXPECT_TRUE(ComesToHold({ca_}));
  EXPECT_THAT(Text(), HasSubstr("BEGIN CERTIFICATE"));
}

TEST_F(FieldTargetsTest, KeepsElementsAddedByConcurrentWrites) {
  CreateBackend(R"({"providers":[{"name":"0"}]})");
  const cainjector::Process process(connection_, Options());
  std::vector<std::string> bundles;
  std::string all = ca_;
  for (int i = 1; i <= 15; ++i) {
    const std::string rotated = cainjector::NewCaPem();
    all += rotated;
    Update("ca", cainjector::StoredSecret(rotated));
    // At the front, so that the index of each element changes.
    Change(R"([{"op":"add","path":"/spec/providers/0","value":{"name":")" + std::to_string(i) +
               R"("}}])",
           rest::PatchType::kJson);
  }

  EXPECT_TRUE(testing::Eventually([&] {
    const auto held = Bundles();
    return held.size() == 16 && std::all_of(held.begin(), held.end(), [&](const auto& bundle) {
             return bundle.ends_with(all.substr(all.size() - ca_.size() / 2));
           });
  }));
  for (int i = 0; i <= 15; ++i) {
    EXPECT_THAT(Text(), HasSubstr(R"("name":")" + std::to_string(i) + "\""));
  }
}

TEST_F(FieldTargetsTest, WritesNoFieldThatTheSchemaDoesNotHave) {
  backends_ = Backends({"spec.tls.caBundel"});
  CreateBackend(R"({"tls":{}})");
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(GetsEvent(process, "Warning Rejected Backend/b: nothing was written: "));
  EXPECT_THAT(Events(process), Contains(HasSubstr("did you mean spec.tls.caBundle?")));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(FieldTargetsTest, WorksWithoutTheKindUntilItAppears) {
  recorder_.Refuse("/backends?", 404, "the server could not find the requested resource");
  recorder_.Refuse("/openapi/", 404, "404 page not found");
  CreateBackend(R"({"tls":{}})");
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_THAT(process.ReadyText(),
              HasSubstr("[i]target-caches-backends: cache of backends is not synced"));

  recorder_.AcceptAll();

  EXPECT_TRUE(ComesToHold({ca_}));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[i]target-caches-backends") == std::string::npos;
  })) << process.ReadyText();
}

TEST_F(FieldTargetsTest, FailsReadyzWithoutTheRightToList) {
  recorder_.Refuse("/backends?", 403, "backends is forbidden: no RBAC");
  CreateTargets("other", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(AllComeToHold("other", ca_));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[-]target-caches-backends") != std::string::npos;
  })) << process.ReadyText();
}

TEST_F(FieldTargetsTest, WatchesOnlyTheNamespacesOfTheProcess) {
  CreateBackend(R"({"tls":{}})");
  CreateNamespace("two");
  cainjector::CaInjectorOptions options = Options();
  options.namespaces = {Own("ns-two")};
  cainjector::Process process(connection_, options);
  ASSERT_TRUE(Settled(process)) << process.ReadyText();

  EXPECT_GE(recorder_.Count("GET", {"/" + Own("ns-two") + "/backends?", "watch="}), 1U);
  EXPECT_EQ(recorder_.Count("GET", {"/v1/backends?"}), 0U);
  EXPECT_THAT(Bundles(), ElementsAre(""));
}

}  // namespace
}  // namespace capstan::injection
