// SPDX-License-Identifier: Apache-2.0
// Tests of writes to metadata.managedFields: after a client removes its entry, other managers can
// remove the fields that it owned.
#include "capstan/base64.h"
#include "capstan/testing/certificates.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

std::string VersionOf(const Answer& answer) { return std::string(answer.meta("resourceVersion")); }

// Returns each webhook's bundle: "a.x.io=eA== b.x.io=none ".
std::string Bundles(const Answer& answer) {
  std::string text;
  const runtime::JsonValue* const webhooks = runtime::Find(answer.json, "webhooks");
  if (webhooks == nullptr) return answer.body;
  for (const runtime::JsonValue& webhook : webhooks->GetArray()) {
    const runtime::JsonValue* const bundle =
        runtime::FindPath(webhook, {"clientConfig", "caBundle"});
    text += std::string(runtime::GetString(webhook, "name")) + "=" +
            (bundle == nullptr ? "none" : bundle->GetString()) + " ";
  }
  return text;
}

// Returns the JSON patch that removes the first entry of `manager` from the object at `version`.
std::string Removal(const Answer& object, std::string_view manager, const std::string& version) {
  int index = 0;
  for (const runtime::JsonValue& entry : object.json["metadata"]["managedFields"].GetArray()) {
    if (runtime::GetString(entry, "manager") == manager) break;
    ++index;
  }
  return R"([{"op":"replace","path":"/metadata/resourceVersion","value":")" + version +
         R"("},{"op":"remove","path":"/metadata/managedFields/)" + std::to_string(index) + "\"}]";
}

class ManagedFieldsTest : public ContractTest {
 protected:
  Answer ApplyWebhooks(const std::string& query, const std::string& webhooks) {
    DeleteLater(Webhooks());
    return Apply(Webhooks(), "fieldManager=" + query,
                 R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
                 R"("kind":"ValidatingWebhookConfiguration","metadata":{"name":")" +
                     ns() + R"("},"webhooks":[)" + webhooks + "]}");
  }
  static std::string Hook(const std::string& name) {
    return R"({"name":")" + name + R"(","sideEffects":"None","admissionReviewVersions":["v1"],)" +
           R"("clientConfig":{"url":"https://c"}})";
  }
  static std::string Bundle(const std::string& name, const std::string& bundle) {
    return R"({"name":")" + name + R"(","clientConfig":{"caBundle":")" + bundle + R"("}})";
  }
  // Applies two webhooks as "gitops" and a bundle in each as "injector".
  Answer Injected() {
    ApplyWebhooks("gitops", Hook("a.x.io") + "," + Hook("b.x.io"));
    return ApplyWebhooks("injector", Bundle("a.x.io", "eA==") + "," + Bundle("b.x.io", "eA=="));
  }
  Answer Drop(const Answer& object, std::string_view manager) const {
    return JsonPatch(Webhooks() + "?fieldManager=injector",
                     Removal(object, manager, VersionOf(object)));
  }
  std::string Crd() const { return std::string(kDefinitions) + "/things." + ns() + ".contract.io"; }
  // Applies a definition; `conversion` is `,"conversion":{...}` or empty.
  Answer ApplyCrd(const std::string& conversion) {
    DeleteLater(Crd());
    const std::string group = ns() + ".contract.io";
    return Apply(Crd(), "fieldManager=gitops",
                 R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                 R"("metadata":{"name":"things.)" +
                     group + R"("},"spec":{"group":")" + group +
                     R"(","names":{"plural":"things","kind":"Thing"},"scope":"Namespaced",)"
                     R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
                     R"("openAPIV3Schema":{"type":"object"}}}])" +
                     conversion + "}}");
  }
  // Applies a bundle to the conversion webhook.
  Answer InjectCrd() const {
    const auto ca = MakeCa({.common_name = "contract"});
    return Apply(Crd(), "fieldManager=injector",
                 R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                 R"("metadata":{"name":"things.)" +
                     ns() + R"(.contract.io"},"spec":{"conversion":{"webhook":{"clientConfig":)" +
                     R"({"caBundle":")" + Base64Encode(ca->cert_pem) + R"("}}}}})");
  }
};

constexpr const char* kConversion =
    R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://x/y"}}})";

TEST_F(ManagedFieldsTest, RemovesOnlyOneEntryByJsonPatch) {
  const Answer before = Injected();
  ASSERT_EQ(before.code, 200) << before.body;

  const Answer after = Drop(before, "injector");

  EXPECT_EQ(after.code, 200);
  EXPECT_NE(VersionOf(after), VersionOf(before));
  EXPECT_EQ(FieldsOf(after, "injector"), "none");
  EXPECT_EQ(after.json["metadata"]["managedFields"].Size(), 1U);
  const auto without_managers = [&](const Answer& answer) {
    runtime::JsonDocument object;
    object.CopyFrom(answer.json, object.GetAllocator());
    object["metadata"].RemoveMember("managedFields");
    return Normal(object);
  };
  EXPECT_EQ(without_managers(after), without_managers(before));
  EXPECT_EQ(FieldsOf(after, "gitops"), FieldsOf(before, "gitops"));
}

TEST_F(ManagedFieldsTest, ConflictsWhenRemovedAtAnotherVersion) {
  const Answer before = Injected();
  MergePatch(Webhooks(), R"({"metadata":{"labels":{"changed":"yes"}}})");

  EXPECT_REFUSED(Drop(before, "injector"),
                 {.code = 409,
                  .reason = "Conflict",
                  .message = "Operation cannot be fulfilled on "
                             "validatingwebhookconfigurations.admissionregistration.k8s.io \"" +
                             ns() +
                             "\": the object has been modified; please apply your changes to the "
                             "latest version and try again",
                  .details = R"({"name":")" + ns() +
                             R"(","group":"admissionregistration.k8s.io",)"
                             R"("kind":"validatingwebhookconfigurations"})"});
  EXPECT_NE(FieldsOf(Get(Webhooks()), "injector"), "none");
}

TEST_F(ManagedFieldsTest, RejectsTheRemovalOfAMissingEntry) {
  const Answer before = Injected();

  EXPECT_REFUSED(Drop(before, "missing"), kRejected);
  EXPECT_REFUSED(JsonPatch(Webhooks(), Removal(before, "missing", "1")), kRejected);
}

TEST_F(ManagedFieldsTest, OmitsTheFieldWithoutEntries) {
  const Answer before = ApplyWebhooks("gitops", Hook("a.x.io"));

  const Answer after = Drop(before, "gitops");

  EXPECT_EQ(after.code, 200);
  EXPECT_EQ(runtime::Find(after.json["metadata"], "managedFields"), nullptr);
}

// The first versions of the API had this number as a field. Each form of the object still has it.
TEST_F(ManagedFieldsTest, TheCreatorOfADaemonSetOwnsItsTemplateGeneration) {
  const Answer created = Post(
      "/apis/apps/v1/namespaces/" + ns() + "/daemonsets?fieldManager=first",
      R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{)"
      R"("metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}})");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(FieldsOf(created, "first"),
              HasSubstr(R"("f:annotations":{".":{},"f:deprecated.daemonset.template.generation")"));
}

TEST_F(ManagedFieldsTest, AnOwnedBundleBlocksTheRemovalOfItsWebhook) {
  Injected();

  const Answer removed = ApplyWebhooks("gitops", Hook("a.x.io"));

  EXPECT_EQ(removed.code, 422);
  EXPECT_THAT(std::string(removed.message()),
              HasSubstr("[webhooks[1].sideEffects: Required value: must specify one of None, "
                        "NoneOnDryRun, webhooks[1].clientConfig: Required value: exactly one of "
                        "url or service is required, webhooks[1].admissionReviewVersions: Required "
                        "value: must specify one of v1, v1beta1]"));
}

TEST_F(ManagedFieldsTest, AnUnownedBundleStaysUntilItsWebhookIsRemoved) {
  Drop(Injected(), "injector");

  EXPECT_EQ(Bundles(ApplyWebhooks("gitops", Hook("a.x.io") + "," + Hook("b.x.io"))),
            "a.x.io=eA== b.x.io=eA== ");
  EXPECT_EQ(Bundles(ApplyWebhooks("gitops", Hook("a.x.io"))), "a.x.io=eA== ");
}

TEST_F(ManagedFieldsTest, AnUnownedBundleIsTakenOverWithoutAConflict) {
  Drop(Injected(), "injector");

  const Answer taken = ApplyWebhooks("injector", Bundle("a.x.io", "eQ=="));

  EXPECT_EQ(Bundles(taken), "a.x.io=eQ== b.x.io=eA== ");
  EXPECT_NE(FieldsOf(taken, "injector"), "none");
}

TEST_F(ManagedFieldsTest, AForcedApplyTakesOnlyChangedFieldsFromAnUpdate) {
  ApplyWebhooks("gitops", Hook("a.x.io") + "," + Hook("b.x.io"));
  const Answer patched = StrategicPatch(
      Webhooks() + "?fieldManager=injector",
      R"({"webhooks":[)" + Bundle("a.x.io", "eA==") + "," + Bundle("b.x.io", "eA==") + "]}");
  const std::string a = R"("k:{\"name\":\"a.x.io\"}":{"f:clientConfig":{"f:caBundle":{}}})";
  const std::string b = R"("k:{\"name\":\"b.x.io\"}":{"f:clientConfig":{"f:caBundle":{}}})";
  EXPECT_EQ(FieldsOf(patched, "injector"), R"({"f:webhooks":{)" + a + "," + b + "}}");

  const Answer half =
      ApplyWebhooks("other&force=true", Bundle("a.x.io", "eQ==") + "," + Bundle("b.x.io", "eA=="));
  EXPECT_EQ(FieldsOf(half, "injector"), R"({"f:webhooks":{)" + b + "}}");
  const Answer all =
      ApplyWebhooks("other&force=true", Bundle("a.x.io", "eQ==") + "," + Bundle("b.x.io", "eQ=="));
  EXPECT_EQ(FieldsOf(all, "injector"), "none");
}

TEST_F(ManagedFieldsTest, AnOwnedBundleBlocksTheRemovalOfItsConversion) {
  ApplyCrd(kConversion);
  const Answer injected = InjectCrd();
  ASSERT_EQ(injected.code, 200) << injected.body;
  const std::string forbidden =
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set "
      "to Webhook";

  const Answer removed = ApplyCrd("");
  const Answer none = ApplyCrd(R"(,"conversion":{"strategy":"None"})");

  EXPECT_EQ(removed.code, 422);
  EXPECT_THAT(std::string(removed.message()),
              HasSubstr("[spec.conversion.strategy: Required value, " + forbidden + "]"));
  EXPECT_EQ(none.code, 422);
  EXPECT_THAT(std::string(none.message()), HasSubstr("is invalid: " + forbidden));
}

TEST_F(ManagedFieldsTest, AnUnownedBundleIsRemovedWithItsConversion) {
  for (const char* const rest : {"", R"(,"conversion":{"strategy":"None"})"}) {
    ApplyCrd(kConversion);
    Answer injected = InjectCrd();
    // The server's own controllers write to a new definition.
    while (JsonPatch(Crd(), Removal(injected, "injector", VersionOf(injected))).code == 409) {
      injected = Get(Crd());
    }

    const Answer removed = ApplyCrd(rest);

    EXPECT_EQ(removed.code, 200) << removed.body;
    EXPECT_EQ(runtime::ToJson(removed.json["spec"]["conversion"]), R"({"strategy":"None"})");
  }
}

TEST_F(ManagedFieldsTest, UnownedKeysAreRemovedOnlyWithTheWholeField) {
  const auto apply = [&](const std::string& manager, const std::string& data) {
    return Apply(ConfigMaps("a"), "fieldManager=" + manager,
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"})" + data + "}");
  };
  const auto data = [](const Answer& answer) {
    const runtime::JsonValue* const found = runtime::Find(answer.json, "data");
    return found == nullptr ? "none" : Sorted(runtime::ToJson(*found));
  };
  apply("one", R"(,"data":{"x":"1"})");
  const Answer both = apply("two", R"(,"data":{"y":"1"})");
  JsonPatch(ConfigMaps("a"), Removal(both, "two", VersionOf(both)));

  EXPECT_EQ(data(apply("one", R"(,"data":{"z":"1"})")), R"({"y":"1","z":"1"})");
  EXPECT_EQ(data(apply("one", "")), "none");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
