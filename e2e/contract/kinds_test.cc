// SPDX-License-Identifier: Apache-2.0
// Tests of behaviour specific to Secrets, Leases, Events, namespaces and webhook configurations.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using SecretsTest = ContractTest;

TEST_F(SecretsTest, EncodesStringData) {
  const Answer created = Post(Secrets(), R"({"metadata":{"name":"a"},"stringData":{"x":"y"}})");

  EXPECT_EQ(Normal(created),
            Sorted(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"NS",)"
                   R"("uid":"UID","resourceVersion":"RV","creationTimestamp":"TIME",)"
                   R"("managedFields":[{"manager":"contract","operation":"Update",)"
                   R"("apiVersion":"v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{)"
                   R"("f:data":{".":{},"f:x":{}},"f:type":{}}}]},"data":{"x":"eQ=="},)"
                   R"("type":"Opaque"})"));
}

TEST_F(SecretsTest, RejectsInvalidBase64) {
  for (const auto& [text, byte] : {std::pair("!", "0"), std::pair("eQ=", "3"),
                                   std::pair("abcde", "4"), std::pair("eQ==!", "4")}) {
    const Answer answer =
        Post(Secrets(), R"({"metadata":{"name":"a"},"data":{"x":")" + std::string(text) + R"("}})");
    EXPECT_EQ(answer.code, 400);
    EXPECT_EQ(answer.message(),
              "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at "
              "input byte " +
                  std::string(byte))
        << text;
  }
}

// The output of base64(1) in a block of YAML ends with a line break.
TEST_F(SecretsTest, AcceptsLineBreaksInBase64) {
  for (const char* text : {R"(eQ==\n)", R"(eQ=\r\n=\n)", R"(YWI=\n)", R"(YW\nJj\n)", R"(eR==)"}) {
    const Answer answer = Post(Secrets(), R"({"metadata":{"generateName":"a"},"data":{"x":")" +
                                              std::string(text) + R"("}})");
    EXPECT_EQ(answer.code, 201) << text << answer.body;
  }
}

TEST_F(SecretsTest, RequiresACertificateAndAKeyForTypeTls) {
  const Answer refused = Post(Secrets(), R"({"metadata":{"name":"a"},"type":"kubernetes.io/tls"})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message(),
            "Secret \"a\" is invalid: [data[tls.crt]: Required value, data[tls.key]: Required "
            "value]");
}

TEST_F(SecretsTest, RejectsAChangeOfType) {
  Post(Secrets(), R"({"metadata":{"name":"a"}})");

  EXPECT_REFUSED(MergePatch(Secrets("a"), R"({"type":"other/x"})"),
                 Invalid("Secret", "a", "type", "FieldValueInvalid",
                         "Invalid value: \"other/x\": field is immutable"));
}

TEST_F(SecretsTest, AcceptsAnUpdateWithoutAType) {
  Post(Secrets(), R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(Put(Secrets("a"), R"({"metadata":{"name":"a"},"data":{"x":"eQ=="}})").code, 200);
}

TEST_F(SecretsTest, RejectsDataChangesWhenImmutable) {
  Post(Secrets(), R"({"metadata":{"name":"a"},"immutable":true,"data":{"x":"eQ=="}})");

  EXPECT_REFUSED(MergePatch(Secrets("a"), R"({"data":{"x":"eA=="}})"),
                 Invalid("Secret", "a", "data", "FieldValueForbidden",
                         "Forbidden: field is immutable when `immutable` is set"));
  EXPECT_EQ(MergePatch(Secrets("a"), R"({"metadata":{"labels":{"l":"1"}}})").code, 200);
}

using LeasesTest = ContractTest;

TEST_F(LeasesTest, ReturnsAnEmptySpec) {
  const Answer created = Post(Leases(), R"({"metadata":{"name":"l"}})");

  EXPECT_EQ(Normal(created), Sorted(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
                                    R"("metadata":{"name":"l","namespace":"NS","uid":"UID",)"
                                    R"("resourceVersion":"RV","creationTimestamp":"TIME"},)"
                                    R"("spec":{}})"));
}

TEST_F(LeasesTest, ConflictsWhenTakenAtAnOldVersion) {
  const Answer created =
      Post(Leases(), R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"one",)"
                     R"("leaseDurationSeconds":15,"renewTime":"2024-01-01T00:00:00.000000Z"}})");
  const auto take = [&](const std::string& holder) {
    return Put(Leases("l"), R"({"metadata":{"name":"l","resourceVersion":")" +
                                std::string(created.meta("resourceVersion")) +
                                R"("},"spec":{"holderIdentity":")" + holder + R"("}})");
  };

  EXPECT_EQ(FieldsOf(created, "contract"),
            R"({"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},"f:renewTime":{}}})");
  EXPECT_EQ(take("two").code, 200);
  const Answer late = take("three");
  EXPECT_EQ(late.code, 409);
  EXPECT_EQ(late.message(),
            "Operation cannot be fulfilled on leases.coordination.k8s.io \"l\": the object has "
            "been modified; please apply your changes to the latest version and try again");
}

TEST_F(LeasesTest, RejectsAZeroDuration) {
  EXPECT_REFUSED(Post(Leases(), R"({"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":0}})"),
                 Invalid("Lease.coordination.k8s.io", "l", "spec.leaseDurationSeconds",
                         "FieldValueInvalid", "Invalid value: 0: must be greater than 0"));
}

using EventsTest = ContractTest;

TEST_F(LeasesTest, RejectsATimeWithoutMicroseconds) {
  const auto renewed = [&](const std::string& time) {
    return Post(Leases(), R"({"metadata":{"name":"t"},"spec":{"renewTime":)" + time + "}}");
  };
  const std::string prefix = "Lease in version \"v1\" cannot be handled as a Lease: ";
  EXPECT_REFUSED(renewed(R"("2026-01-02T03:04:05Z")"),
                 BadRequest(prefix + "parsing time \"2026-01-02T03:04:05Z\" as "
                                     "\"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"Z\" as "
                                     "\".000000\""));
  EXPECT_REFUSED(
      renewed(R"("2026-13-02T03:04:05.000000Z")"),
      BadRequest(prefix + "parsing time \"2026-13-02T03:04:05.000000Z\": month out of range"));
  EXPECT_REFUSED(renewed("5"),
                 BadRequest(prefix + "json: cannot unmarshal number into Go struct field "
                                     "LeaseSpec.spec.renewTime of type string"));
  EXPECT_EQ(renewed(R"("2026-01-02T03:04:05.000006+02:00")").code, 201);
}

TEST_F(EventsTest, WritesEmptyFields) {
  const Answer created = Post(
      Events(), R"({"metadata":{"name":"e"},"involvedObject":{"kind":"ConfigMap","name":"a",)"
                R"("namespace":")" +
                    ns() +
                    R"("},"reason":"R","message":"m","type":"Normal","source":{"component":"c"},)"
                    R"("firstTimestamp":"2024-01-01T00:00:00Z","count":1})");

  EXPECT_EQ(created.code, 201);
  runtime::JsonDocument rest;
  rest.CopyFrom(created.json, rest.GetAllocator());
  rest.RemoveMember("metadata");
  EXPECT_EQ(Sorted(runtime::ToJson(rest)),
            Sorted(R"({"kind":"Event","apiVersion":"v1","involvedObject":{"kind":"ConfigMap",)"
                   R"("name":"a","namespace":")" +
                   ns() +
                   R"("},"reason":"R","message":"m","type":"Normal","source":{"component":"c"},)"
                   R"("firstTimestamp":"2024-01-01T00:00:00Z","lastTimestamp":null,"count":1,)"
                   R"("eventTime":null,"reportingComponent":"","reportingInstance":""})"));
  // involvedObject is owned as a whole.
  EXPECT_EQ(FieldsOf(created, "contract"),
            R"({"f:count":{},"f:firstTimestamp":{},"f:involvedObject":{},"f:message":{},)"
            R"("f:reason":{},"f:source":{"f:component":{}},"f:type":{}})");
}

TEST_F(EventsTest, UpdatesTheCountByPatch) {
  Post(Events(),
       R"({"metadata":{"name":"e"},"involvedObject":{"namespace":")" + ns() + R"("},"count":1})");

  EXPECT_EQ(StrategicPatch(Events("e"), R"({"count":2})").json["count"].GetInt(), 2);
}

TEST_F(EventsTest, RejectsAnInvolvedObjectInAnotherNamespace) {
  EXPECT_REFUSED(
      Post(Events(), R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"other"}})"),
      Invalid("Event", "e", "involvedObject.namespace", "FieldValueInvalid",
              "Invalid value: \"other\": does not match event.namespace"));
  const Answer cluster_scoped =
      Post("/api/v1/namespaces/default/events",
           R"({"metadata":{"generateName":"e-"},"involvedObject":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(cluster_scoped.code, 201);
  DeleteLater("/api/v1/namespaces/default/events/" + std::string(cluster_scoped.meta("name")));
}

using NamespacesTest = ContractTest;

TEST_F(NamespacesTest, LabelsANamespaceWithItsName) {
  EXPECT_EQ(Normal(Get("/api/v1/namespaces/" + ns())),
            Sorted(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"NS","uid":"UID",)"
                   R"("resourceVersion":"RV","creationTimestamp":"TIME",)"
                   R"("labels":{"kubernetes.io/metadata.name":")" +
                   ns() +
                   R"("},"managedFields":[{"manager":"contract","operation":"Update",)"
                   R"("apiVersion":"v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{)"
                   R"("f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}}]},)"
                   R"("spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})"));
}

TEST_F(NamespacesTest, ChangesTheStatusOnlyByItsSubresource) {
  const std::string path = "/api/v1/namespaces/" + ns();
  const std::string condition =
      R"({"lastTransitionTime":"2024-01-01T00:00:00Z","status":"True","type":"X"})";
  const std::string status = R"({"conditions":[)" + condition + R"(],"phase":"Active"})";

  const Answer patched = MergePatch(
      path + "/status", R"({"metadata":{"labels":{"l":"1"}},"spec":{"finalizers":["x.io/y"]},)"
                        R"("status":{"conditions":[)" +
                            condition + "]}}");
  const Answer main = MergePatch(path, R"({"status":{"conditions":null}})");

  ASSERT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(Sorted(runtime::ToJson(patched.json["status"])), status);
  EXPECT_EQ(runtime::ToJson(patched.json["spec"]), R"({"finalizers":["kubernetes"]})");
  EXPECT_EQ(FieldsOf(patched, "contract", "status"),
            R"({"f:metadata":{"f:labels":{"f:l":{}}},"f:status":{"f:conditions":{".":{},)"
            R"("k:{\"type\":\"X\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},)"
            R"("f:type":{}}}}})");
  EXPECT_EQ(Sorted(runtime::ToJson(main.json["status"])), status);
  EXPECT_EQ(Sorted(Get(path + "/status").body), Sorted(Get(path).body));
}

using WebhooksTest = ContractTest;

TEST_F(WebhooksTest, SetsDefaults) {
  const Answer created = CreateWebhooks();

  EXPECT_EQ(created.json["metadata"]["generation"].GetInt(), 1);
  EXPECT_EQ(Sorted(runtime::ToJson(created.json["webhooks"][0])),
            Sorted(R"({"name":"a.x.io","clientConfig":{"service":{"name":"s","namespace":"d",)"
                   R"("port":443}},"sideEffects":"None","admissionReviewVersions":["v1"],)"
                   R"("failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{},)"
                   R"("objectSelector":{},"timeoutSeconds":10})"));
  const std::string fields = R"("f:admissionReviewVersions":{},"f:clientConfig":{".":{},)";
  const std::string rest =
      R"("f:failurePolicy":{},"f:matchPolicy":{},"f:name":{},"f:namespaceSelector":{},)"
      R"("f:objectSelector":{},"f:sideEffects":{},"f:timeoutSeconds":{}})";
  EXPECT_EQ(FieldsOf(created, "helm"),
            R"({"f:webhooks":{".":{},"k:{\"name\":\"a.x.io\"}":{".":{},)" + fields +
                R"("f:service":{".":{},"f:name":{},"f:namespace":{},"f:port":{}}},)" + rest +
                R"(,"k:{\"name\":\"b.x.io\"}":{".":{},)" + fields + R"("f:url":{}},)" + rest +
                "}}");
}

TEST_F(WebhooksTest, ReportsAllMissingFields) {
  const Answer refused =
      Post(Configurations(false), R"({"metadata":{"name":")" + ns() + R"("},"webhooks":[{}]})");

  const std::string path = "webhooks[0].";
  const std::vector<std::pair<std::string, std::string>> missing = {
      {"name", "Required value"},
      {"sideEffects", "Required value: must specify one of None, NoneOnDryRun"},
      {"clientConfig", "Required value: exactly one of url or service is required"},
      {"admissionReviewVersions", "Required value: must specify one of v1, v1beta1"}};
  std::string message;
  std::string causes;
  for (const auto& [field, text] : missing) {
    if (!message.empty()) message += ", ";
    if (!causes.empty()) causes += ",";
    message += path + field + ": " + text;
    causes += Cause("FieldValueRequired", text, path + field);
  }
  EXPECT_REFUSED(
      refused, {.code = 422,
                .reason = "Invalid",
                .message = "ValidatingWebhookConfiguration.admissionregistration.k8s.io \"" + ns() +
                           "\" is invalid: [" + message + "]",
                .details = R"({"name":")" + ns() +
                           R"(","group":"admissionregistration.k8s.io",)"
                           R"("kind":"ValidatingWebhookConfiguration","causes":[)" +
                           causes + "]}"});
}

TEST_F(WebhooksTest, RejectsDuplicateAndInvalidNames) {
  CreateWebhooks();
  constexpr const char* kKind = "ValidatingWebhookConfiguration.admissionregistration.k8s.io";

  EXPECT_REFUSED(
      JsonPatch(Webhooks(), R"([{"op":"replace","path":"/webhooks/1/name","value":"a.x.io"}])"),
      Invalid(kKind, ns(), "webhooks[1].name", "FieldValueDuplicate",
              "Duplicate value: \"a.x.io\""));
  EXPECT_REFUSED(
      JsonPatch(Webhooks(), R"([{"op":"replace","path":"/webhooks/1/name","value":"b"}])"),
      Invalid(kKind, ns(), "webhooks[1].name", "FieldValueInvalid",
              "Invalid value: \"b\": should be a domain with at least three segments separated by "
              "dots"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
