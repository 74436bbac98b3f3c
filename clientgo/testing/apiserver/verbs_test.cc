// SPDX-License-Identifier: Apache-2.0
// Tests of the unary verbs over HTTP. The error texts are those of kube-apiserver 1.34.
#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using VerbsTest = ServerTest;

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

TEST_F(VerbsTest, CreatesAndReadsBack) {
  const Answer created =
      client_->Post(kSecrets, R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},)"
                              R"("stringData":{"x":"y"}})");

  EXPECT_EQ(created.code, 201);
  EXPECT_THAT(created.meta("uid"), Not(IsEmpty()));
  EXPECT_THAT(created.meta("creationTimestamp"), Not(IsEmpty()));
  const Answer read = client_->Get(Path(kSecrets, "/a"));
  EXPECT_EQ(read.code, 200);
  EXPECT_EQ(read.body, created.body);
  EXPECT_THAT(read.body, HasSubstr(R"("data":{"x":"eQ=="})"));
  EXPECT_THAT(read.body, HasSubstr(R"("type":"Opaque")"));
  EXPECT_THAT(read.body, HasSubstr(R"("manager":"tester")"));
}

TEST_F(VerbsTest, TracksFieldsOfAClientWithoutUserAgent) {
  client_->SetHeaders("");
  client_->Post(kConfigMaps, R"({"metadata":{"name":"a"},"data":{"x":"y"}})");

  const Answer patched =
      client_->Patch(Path(kConfigMaps, "/a"), "merge-patch+json", R"({"data":{"x":"z"}})");

  EXPECT_EQ(patched.json["metadata"]["managedFields"].Size(), 1U) << patched.body;
  EXPECT_THAT(patched.body, HasSubstr(R"("manager":"unknown")"));
}

TEST_F(VerbsTest, ReportsMissingObjectsAndPaths) {
  const Answer object = client_->Get(Path(kSecrets, "/nope"));
  EXPECT_EQ(object.code, 404);
  EXPECT_EQ(object.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                         R"("message":"secrets \"nope\" not found","reason":"NotFound",)"
                         R"("details":{"name":"nope","kind":"secrets"},"code":404})"
                         "\n");
  EXPECT_EQ(client_->Get(Path(kWebhooks, "/nope")).message(),
            "validatingwebhookconfigurations.admissionregistration.k8s.io \"nope\" not found");
  EXPECT_EQ(client_->Get("/api/v1/nonsense").message(),
            "the server could not find the requested resource");
  EXPECT_EQ(client_->Get("/apis/nope.io/v1/things").body, "404 page not found\n");
  EXPECT_EQ(
      client_->Post("/api/v1/namespaces/missing/secrets", R"({"metadata":{"name":"a"}})").message(),
      "namespaces \"missing\" not found");
}

TEST_F(VerbsTest, EvaluatesCelRules) {
  const auto define = [&](const std::string& plural, const std::string& rule) {
    return client_->Post(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        R"({"metadata":{"name":")" + plural +
            R"(.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{)"
            R"("plural":")" +
            plural + R"(","kind":")" + plural +
            R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
            R"("openAPIV3Schema":{"type":"object","properties":{"size":{"type":"integer"}},)"
            R"("x-kubernetes-validations":[{"rule":")" +
            rule + R"("}]}}}]}})");
  };

  EXPECT_THAT(define("bars", "self.size <").message(), HasSubstr("compilation failed: ERROR: "));
  ASSERT_EQ(define("foos", "self.size < 5").code, 201);
  const auto create = [&](const std::string& size) {
    return client_->Post("/apis/example.com/v1/namespaces/default/foos",
                         R"({"apiVersion":"example.com/v1","kind":"foos","metadata":{"name":"a"},)"
                         R"("size":)" +
                             size + "}");
  };
  EXPECT_EQ(create("5").message(),
            "foos.example.com \"a\" is invalid: <nil>: Invalid value: \"object\": failed rule: "
            "self.size < 5");
  EXPECT_EQ(create("4").code, 201);
}

TEST_F(VerbsTest, RejectsSecondCreate) {
  CreateConfigMap("a");

  const Answer again = client_->Post(kConfigMaps, R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.reason(), "AlreadyExists");
  EXPECT_EQ(again.message(), "configmaps \"a\" already exists");
}

TEST_F(VerbsTest, RejectsInvalidObjects) {
  const Answer nameless = client_->Post(kSecrets, R"({"metadata":{}})");
  EXPECT_EQ(nameless.code, 422);
  EXPECT_EQ(nameless.message(),
            "Secret \"\" is invalid: metadata.name: Required value: name or generateName is "
            "required");
  EXPECT_THAT(client_->Post(kSecrets, R"({"metadata":{"name":"A_b"}})").message(),
              StartsWith("Secret \"A_b\" is invalid: metadata.name: Invalid value: \"A_b\": a "
                         "lowercase RFC 1123 subdomain must consist of"));
  EXPECT_EQ(
      client_->Post(kSecrets, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})").message(),
      "ConfigMap in version \"v1\" cannot be handled as a Secret: converting (v1.ConfigMap) "
      "to (core.Secret): unknown conversion");
  EXPECT_EQ(client_->Post(kSecrets, R"({"metadata":{"name":"c","namespace":"other"}})").message(),
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
  for (const char* body : {"{", "[]", "", R"({"metadata":[]})", R"({"metadata":{"name":5}})",
                           R"({"metadata":{"name":"a","labels":{"a":1}}})"}) {
    EXPECT_EQ(client_->Post(kSecrets, body).code, 400) << body;
  }
  EXPECT_EQ(client_->Post(kSecrets, std::string(100000, '[')).code, 400);
}

TEST_F(VerbsTest, GeneratesUniqueNames) {
  const Answer one = client_->Post(kConfigMaps, R"({"metadata":{"generateName":"gen-"}})");
  const Answer two = client_->Post(kConfigMaps, R"({"metadata":{"generateName":"gen-"}})");

  EXPECT_THAT(one.meta("name"), StartsWith("gen-"));
  EXPECT_NE(one.meta("name"), two.meta("name"));
}

TEST_F(VerbsTest, RejectsUpdateOfStaleVersion) {
  const std::string first = CreateConfigMap("a");
  const std::string target = Path(kConfigMaps, "/a");
  const auto body = [](const std::string& version, const std::string& value) {
    return R"({"metadata":{"name":"a","resourceVersion":")" + version + R"("},"data":{"k":")" +
           value + "\"}}";
  };

  const Answer updated = client_->Put(target, body(first, "1"));
  const Answer stale = client_->Put(target, body(first, "2"));

  EXPECT_EQ(updated.code, 200);
  EXPECT_NE(updated.meta("resourceVersion"), first);
  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(stale.reason(), "Conflict");
  EXPECT_EQ(stale.message(),
            "Operation cannot be fulfilled on configmaps \"a\": " + std::string(kModified));
  EXPECT_EQ(client_->Put(target, R"({"metadata":{"name":"b"}})").message(),
            "the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(client_->Put(Path(kConfigMaps, "/none"), R"({"metadata":{"name":"none"}})").code, 404);
  EXPECT_THAT(client_->Put(target, R"({"metadata":{"name":"a","uid":"xx"}})").message(),
              HasSubstr("Precondition failed: UID in precondition: xx, UID in object meta: "));
}

TEST_F(VerbsTest, DoesNotWriteUpdateWithoutChanges) {
  CreateWebhooks();
  const Answer before = client_->Get(Path(kWebhooks, "/w"));

  const Answer put = client_->Put(Path(kWebhooks, "/w"), before.body);

  EXPECT_EQ(put.code, 200);
  EXPECT_EQ(put.body, before.body);
}

TEST_F(VerbsTest, IncrementsGenerationOnSpecChangesOnly) {
  CreateWebhooks();
  const auto generation = [](const Answer& answer) {
    return runtime::FindPath(answer.json, {"metadata", "generation"})->GetInt();
  };

  const Answer labelled = client_->Patch(Path(kWebhooks, "/w"), "merge-patch+json",
                                         R"({"metadata":{"labels":{"a":"b"}}})");
  const Answer changed =
      client_->Patch(Path(kWebhooks, "/w"), "json-patch+json",
                     R"([{"op":"replace","path":"/webhooks/0/timeoutSeconds","value":5}])");

  EXPECT_EQ(generation(labelled), 1);
  EXPECT_EQ(generation(changed), 2);
}

TEST_F(VerbsTest, WritesStatusOnlyThroughSubresource) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  client_->Post(pods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[)"
                      R"({"name":"c","image":"i"}]},"status":{"phase":"Running"}})");
  const Answer created = client_->Get(pods + "/p");
  EXPECT_THAT(created.body, HasSubstr(R"("phase":"Pending")"));

  client_->Patch(pods + "/p", "merge-patch+json", R"({"status":{"phase":"Failed"}})");
  EXPECT_THAT(client_->Get(pods + "/p").body, HasSubstr(R"("phase":"Pending")"));
  client_->Patch(pods + "/p/status", "merge-patch+json",
                 R"({"status":{"phase":"Running"},"spec":{"nodeName":"other"}})");

  const Answer after = client_->Get(pods + "/p");
  EXPECT_THAT(after.body, HasSubstr(R"("phase":"Running")"));
  EXPECT_THAT(after.body, HasSubstr(R"("nodeName":"n")"));
  EXPECT_EQ(client_->Get(Path(kSecrets, "/a/status")).code, 404);
}

// kube-apiserver shows the object in these errors, except for strategic merge patches.
TEST_F(VerbsTest, ShowsNoDataOfASecretInTheErrorOfAPatch) {
  constexpr const char* kHidden = "aGlkZGVu";
  client_->Post(kSecrets, R"({"metadata":{"name":"s","annotations":{)"
                          R"("kubectl.kubernetes.io/last-applied-configuration":"aGlkZGVu"}},)"
                          R"("data":{"old":"aGlkZGVu"}})");
  const std::pair<const char*, const char*> patches[] = {
      {"merge-patch+json", R"({"data":{"new":"aGlkZGVu","bad":5}})"},
      {"merge-patch+json", R"({"metadata":{"labels":{"a":1}}})"},
      {"merge-patch+json", R"({"data":"aGlkZGVu"})"},
      {"json-patch+json", R"([{"op":"add","path":"/data/bad","value":5}])"},
      {"json-patch+json", R"([{"op":"add","path":"/other","value":5}])"},
      {"strategic-merge-patch+json", R"({"data":{"new":"aGlkZGVu","bad":5}})"},
      {"strategic-merge-patch+json", R"({"data":{"new":"aGlkZGVu","$patch":"x"}})"},
      {"strategic-merge-patch+json", R"({"stringData":{"new":"aGlkZGVu"},"metadata":"m"})"},
      {"strategic-merge-patch+json", R"({"data":{"bad":"!aGlkZGVu"}})"}};
  for (const auto& [type, patch] : patches) {
    const Answer refused = client_->Patch(Path(kSecrets, "/s?fieldValidation=Strict"), type, patch);
    EXPECT_GE(refused.code, 422) << patch;
    EXPECT_THAT(refused.body, Not(HasSubstr(kHidden))) << patch;
  }
}

TEST_F(VerbsTest, AppliesBundlesAndSkipsUnchangedApply) {
  CreateWebhooks();
  const std::string target = Path(kWebhooks, "/w?fieldManager=cert-manager-cainjector&force=true");
  const std::string body =
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",)"
      R"("metadata":{"name":"w"},"webhooks":[{"name":"a.x.io","clientConfig":{"caBundle":"QUJD"}},)"
      R"({"name":"b.x.io","clientConfig":{"caBundle":"QUJD"}}]})";

  const Answer applied = client_->Patch(target, "apply-patch+yaml", body);
  const Answer again = client_->Patch(target, "apply-patch+yaml", body);

  EXPECT_EQ(applied.code, 200) << applied.body;
  EXPECT_THAT(applied.body, HasSubstr(R"("port":443},"caBundle":"QUJD"})"));
  EXPECT_THAT(applied.body, HasSubstr(R"({"url":"https://b","caBundle":"QUJD"})"));
  EXPECT_THAT(applied.body, HasSubstr(R"("operation":"Apply")"));
  EXPECT_EQ(again.body, applied.body);  // no change: no new resourceVersion
}

TEST_F(VerbsTest, RejectsApplyOfIncompleteWebhook) {
  CreateWebhooks();

  const Answer rejected = client_->Patch(
      Path(kWebhooks, "/w?fieldManager=cert-manager-cainjector&force=true"), "apply-patch+yaml",
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",)"
      R"("metadata":{"name":"w"},"webhooks":[{"name":"c.x.io","clientConfig":{}}]})");

  EXPECT_EQ(rejected.code, 422);
  EXPECT_EQ(rejected.message(),
            "ValidatingWebhookConfiguration.admissionregistration.k8s.io \"w\" is invalid: "
            "[webhooks[2].sideEffects: Required value: must specify one of None, NoneOnDryRun, "
            "webhooks[2].clientConfig: Required value: exactly one of url or service is required, "
            "webhooks[2].admissionReviewVersions: Required value: must specify one of v1, "
            "v1beta1]");
}

TEST_F(VerbsTest, RejectsInvalidPatches) {
  CreateConfigMap("a");
  const std::string target = Path(kConfigMaps, "/a");

  EXPECT_EQ(client_->Patch(target, "nonsense", "{}").message(), "415: Unsupported Media Type");
  EXPECT_EQ(client_->Patch(target, "json-patch+json", "{}").message(),
            "error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
  EXPECT_EQ(client_->Patch(target, "merge-patch+json", "{").message(),
            "error decoding patch: unexpected end of JSON input");
  EXPECT_EQ(client_->Patch(target, "merge-patch+json", R"({"metadata":{"resourceVersion":"1"}})")
                .message(),
            "Operation cannot be fulfilled on configmaps \"a\": " + std::string(kModified));
  EXPECT_EQ(client_->Patch(target, "merge-patch+json", R"({"metadata":{"uid":"1"}})").message(),
            "ConfigMap \"a\" is invalid: metadata.uid: Invalid value: \"1\": field is immutable");
  EXPECT_EQ(client_->Patch(target, "apply-patch+yaml", "{}").message(),
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required "
            "for apply patch");
  EXPECT_EQ(client_->Patch(target, "merge-patch+json", R"({"metadata":null})").code, 400);
  EXPECT_EQ(client_->Patch(Path(kConfigMaps, "/none"), "merge-patch+json", "{}").code, 404);
}

TEST_F(VerbsTest, DryRunWritesNothing) {
  const std::string version = CreateConfigMap("a");

  const Answer patched = client_->Patch(Path(kConfigMaps, "/a?dryRun=All"), "merge-patch+json",
                                        R"({"data":{"k":"v"}})");
  client_->Post(Path(kConfigMaps, "?dryRun=All"), R"({"metadata":{"name":"b"}})");
  client_->Delete(Path(kConfigMaps, "/a?dryRun=All"));

  EXPECT_THAT(patched.body, HasSubstr(R"("k":"v")"));
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "/a")).meta("resourceVersion"), version);
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "/b")).code, 404);
  EXPECT_EQ(client_->Post(Path(kConfigMaps, "?dryRun=Some"), "{}").code, 422);
}

TEST_F(VerbsTest, DeleteChecksPreconditions) {
  CreateConfigMap("a");
  const std::string target = Path(kConfigMaps, "/a");

  const Answer wrong = client_->Delete(target, R"({"preconditions":{"uid":"xx"}})");
  const Answer stale = client_->Delete(target, R"({"preconditions":{"resourceVersion":"1"}})");
  const Answer deleted = client_->Delete(target);

  EXPECT_EQ(wrong.code, 409);
  EXPECT_THAT(wrong.message(),
              StartsWith("Operation cannot be fulfilled on ConfigMap \"a\": the UID in the "
                         "precondition (xx) does not match the UID in record ("));
  EXPECT_EQ(stale.code, 409);
  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(runtime::GetString(deleted.json, "status"), "Success");
  EXPECT_EQ(client_->Delete(target).message(), "configmaps \"a\" not found");
}

TEST_F(VerbsTest, RejectsDeleteOptionsOfWrongTypes) {
  CreateConfigMap("a");
  const std::string target = Path(kConfigMaps, "/a");

  for (const char* body : {R"({"dryRun":[5]})", R"({"dryRun":"All"})", R"({"preconditions":[]})",
                           R"({"propagationPolicy":true})"}) {
    EXPECT_EQ(client_->Delete(target, body).code, 500) << body;
  }
  EXPECT_EQ(client_->Get(target).code, 200);
}

TEST_F(VerbsTest, KeepsDeletedObjectUntilLastFinalizer) {
  client_->Post(kConfigMaps, R"({"metadata":{"name":"f","finalizers":["a.b/c"]}})");
  const std::string target = Path(kConfigMaps, "/f");

  const Answer deleted = client_->Delete(target);
  EXPECT_THAT(deleted.meta("deletionTimestamp"), Not(IsEmpty()));
  EXPECT_EQ(client_->Get(target).code, 200);
  client_->Patch(target, "merge-patch+json", R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(client_->Get(target).code, 404);
}

TEST_F(VerbsTest, DeletesCollectionBySelector) {
  CreateConfigMap("a", "x");
  CreateConfigMap("b", "y");

  const Answer deleted = client_->Delete(Path(kConfigMaps, "?labelSelector=app%3Dx"));

  EXPECT_EQ(deleted.items(), 1U);
  EXPECT_EQ(client_->Get(kConfigMaps).items(), 1U);
}

TEST_F(VerbsTest, RejectsUnsupportedMethods) {
  for (const auto& [method, target] : {std::pair{"POST", Path(kSecrets, "/a")},
                                       {"PUT", std::string(kSecrets)},
                                       {"PATCH", std::string(kSecrets)},
                                       {"POST", std::string("/api/v1/secrets")}}) {
    const Answer answer = client_->Do(method, target, "{}");
    EXPECT_EQ(answer.code, 405) << method << target;
    EXPECT_EQ(answer.message(), "the server does not allow this method on the requested resource");
  }
}

TEST_F(VerbsTest, CollectsDependentsOfTheObjectsOfADeletedDefinition) {
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string things = "/apis/x.io/v1/namespaces/default/things";
  EXPECT_EQ(client_
                ->Post(definitions,
                       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)"
                       R"("CustomResourceDefinition","metadata":{"name":"things.x.io"},"spec":{)"
                       R"("group":"x.io","scope":"Namespaced","names":{"plural":"things",)"
                       R"("kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,)"
                       R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"p":{)"
                       R"("type":"string","pattern":"(?i)^a$"}}}}}]}})")
                .code,
            201);
  const Answer owner = client_->Post(
      things, R"({"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"owner"}})");
  EXPECT_EQ(owner.code, 201) << owner.body;
  const Answer child = client_->Post(
      kConfigMaps, R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"x.io/v1",)"
                   R"("kind":"Thing","name":"owner","uid":")" +
                       std::string(owner.meta("uid")) + R"("}]}})");
  EXPECT_EQ(child.code, 201) << child.body;

  EXPECT_EQ(client_->Delete(definitions + "/things.x.io").code, 200);

  EXPECT_TRUE(
      testing::Eventually([&] { return client_->Get(Path(kConfigMaps, "/child")).code == 404; }));
}

}  // namespace
}  // namespace capstan::testing::apiserver
