// SPDX-License-Identifier: Apache-2.0
// Tests of what kubectl and typed Go clients need: bodies in protobuf, field validation of built-in
// kinds, OpenAPI, and tables.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTable = "Accept: application/json;as=Table;g=meta.k8s.io;v=v1";

// Return one field of a message, with less than 128 bytes.
std::string Bytes(char field, std::string_view value) {
  const char tag = static_cast<char>((static_cast<unsigned>(field) << 3U) | 2U);
  return std::string{tag, static_cast<char>(value.size())} + std::string(value);
}
std::string Number(char field, char value) { return {static_cast<char>(field << 3), value}; }

class KubectlTest : public ContractTest {
 protected:
  Answer SendProtobuf(std::string_view method, std::string_view target, std::string_view kind,
                      std::string_view raw, std::string_view version = "v1") const {
    const std::string body =
        std::string("k8s\0", 4) + Bytes(1, Bytes(1, version) + Bytes(2, kind)) + Bytes(2, raw);
    return Do(method, target, body, {"Content-Type: application/vnd.kubernetes.protobuf"});
  }
  Answer PostService(std::string_view query, std::string_view spec) const {
    return Post(Core("services", "") + std::string(query),
                R"({"metadata":{"name":"s"},"spec":)" + std::string(spec) + "}");
  }
  // Returns `column=cell` of the first row of a table. An age is "AGE".
  static std::string FirstRow(const runtime::JsonValue& table) {
    const runtime::JsonValue* const columns = runtime::Find(table, "columnDefinitions");
    const runtime::JsonValue* const rows = runtime::Find(table, "rows");
    if (columns == nullptr || !columns->IsArray() || rows == nullptr || rows->Empty())
      return "none";
    std::string text;
    for (runtime::rapidjson::SizeType i = 0; i < columns->Size(); ++i) {
      const std::string name(runtime::GetString((*columns)[i], "name"));
      text += name + "=" + (name == "Age" ? "AGE" : runtime::ToJson((*rows)[0]["cells"][i])) + " ";
    }
    return text;
  }
};

TEST_F(KubectlTest, CreatesFromProtobuf) {
  const std::string entry = Bytes(1, "k") + Bytes(2, "v");
  const Answer created =
      SendProtobuf("POST", Secrets(), "Secret", Bytes(1, Bytes(1, "a")) + Bytes(2, entry));

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Normal(created),
            Sorted(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"NS",)"
                   R"("uid":"UID","resourceVersion":"RV","creationTimestamp":"TIME",)"
                   R"("managedFields":[{"manager":"contract","operation":"Update",)"
                   R"("apiVersion":"v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{)"
                   R"("f:data":{".":{},"f:k":{}},"f:type":{}}}]},"data":{"k":"dg=="},)"
                   R"("type":"Opaque"})"));
}

TEST_F(KubectlTest, ReadsTimesAndNumbersFromProtobuf) {
  const std::string time = Number(1, 5) + Number(2, 0);
  const std::string spec = Bytes(1, "me") + Number(2, 15) + Bytes(4, time);
  const Answer created =
      SendProtobuf("POST", Leases(), "Lease", Bytes(1, Bytes(1, "l")) + Bytes(2, spec),
                   "coordination.k8s.io/v1");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Sorted(runtime::ToJson(created.json["spec"])),
            Sorted(R"({"holderIdentity":"me","leaseDurationSeconds":15,)"
                   R"("renewTime":"1970-01-01T00:00:05.000000Z"})"));
}

TEST_F(KubectlTest, DeletesWithOptionsInProtobuf) {
  CreateConfigMap("a");
  const std::string other_uid = Bytes(2, Bytes(1, "other"));

  EXPECT_EQ(SendProtobuf("DELETE", ConfigMaps("a"), "DeleteOptions", other_uid).code, 409);
  EXPECT_EQ(SendProtobuf("DELETE", ConfigMaps("a"), "DeleteOptions", "").code, 200);
}

TEST_F(KubectlTest, RejectsMalformedProtobuf) {
  EXPECT_EQ(SendProtobuf("POST", Secrets(), "Secret", Bytes(1, "xyz").substr(0, 3)).code, 400);
  EXPECT_EQ(SendProtobuf("POST", Secrets(), "ConfigMap", Bytes(1, Bytes(1, "a"))).code, 400);
}

TEST_F(KubectlTest, RejectsUnknownAndDuplicateFieldsWhenStrict) {
  const Answer answer =
      Post(Core("pods", "") + "?fieldValidation=Strict",
           R"({"metadata":{"name":"a","label":{}},"spec":{"nodeNam":"x","nodeName":"x",)"
           R"("nodeName":"y","containers":[{"name":"c","image":"i","imag":"x"}]}})");

  EXPECT_REFUSED(
      answer,
      BadRequest("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown "
                 "field \"metadata.label\", unknown field \"spec.nodeNam\", duplicate field "
                 "\"spec.nodeName\", unknown field \"spec.containers[0].imag\""));
}

TEST_F(KubectlTest, WarnsAboutUnknownFieldsAndDropsThem) {
  const Answer answer =
      Post(ConfigMaps() + "?fieldValidation=Warn", R"({"metadata":{"name":"a"},"dat":{"k":"v"}})");

  EXPECT_EQ(answer.code, 201);
  EXPECT_THAT(answer.head, HasSubstr(R"(299 - "unknown field \"dat\"")"));
  EXPECT_THAT(answer.body, Not(HasSubstr("\"dat\"")));
}

TEST_F(KubectlTest, IgnoresUnknownFieldsOnRequest) {
  const Answer answer = Post(ConfigMaps() + "?fieldValidation=Ignore",
                             R"({"metadata":{"name":"a"},"dat":{"k":"v"}})");

  EXPECT_EQ(answer.code, 201);
  EXPECT_THAT(answer.head, Not(HasSubstr("unknown field")));
  EXPECT_THAT(answer.body, Not(HasSubstr("\"dat\"")));
}

TEST_F(KubectlTest, RejectsUnknownFieldsOfPatchesWhenStrict) {
  CreateConfigMap("a");
  for (const char* const type : {"merge-patch+json", "strategic-merge-patch+json"}) {
    const Answer answer =
        Do("PATCH", ConfigMaps("a") + "?fieldValidation=Strict", R"({"dat":{"k":"v"}})",
           {std::string("Content-Type: application/") + type});
    EXPECT_EQ(answer.code, 422) << type;
    EXPECT_THAT(std::string(answer.message()),
                HasSubstr("strict decoding error: unknown field \"dat\""));
  }
}

TEST_F(KubectlTest, RejectsUnknownFieldsOfApply) {
  const Answer answer =
      Apply(ConfigMaps("a"), "fieldManager=m",
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dat":{"k":"v"}})");

  EXPECT_EQ(answer.code, 500);
  EXPECT_THAT(std::string(answer.message()), HasSubstr(".dat: field not declared in schema"));
}

TEST_F(KubectlTest, RejectsWrongTypes) {
  EXPECT_REFUSED(
      PostService("", R"({"ports":{}})"),
      BadRequest("Service in version \"v1\" cannot be handled as a Service: json: cannot "
                 "unmarshal object into Go struct field ServiceSpec.spec.ports of type "
                 "[]v1.ServicePort"));
  EXPECT_REFUSED(
      PostService("", R"({"ports":[{"port":"http"}]})"),
      BadRequest("Service in version \"v1\" cannot be handled as a Service: json: cannot "
                 "unmarshal string into Go struct field ServicePort.spec.ports.port of "
                 "type int32"));
}

TEST_F(KubectlTest, ServesOpenApi) {
  const Answer index = Get("/openapi/v3");
  ASSERT_EQ(index.code, 200);
  const runtime::JsonValue* const core = runtime::FindPath(index.json, {"paths", "api/v1"});
  ASSERT_NE(core, nullptr);
  const Answer document = Get(runtime::GetString(*core, "serverRelativeURL"));
  ASSERT_EQ(document.code, 200);
  const runtime::JsonValue* const patch = runtime::FindPath(
      document.json, {"paths", "/api/v1/namespaces/{namespace}/secrets/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(Sorted(runtime::ToJson((*patch)["x-kubernetes-group-version-kind"])),
            Sorted(R"({"group":"","version":"v1","kind":"Secret"})"));
  const runtime::JsonValue* const containers = runtime::FindPath(
      document.json,
      {"components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties", "containers"});
  ASSERT_NE(containers, nullptr);
  EXPECT_EQ(runtime::GetString(*containers, "x-kubernetes-patch-merge-key"), "name");
  EXPECT_EQ(runtime::GetString(*containers, "x-kubernetes-patch-strategy"), "merge");
}

TEST_F(KubectlTest, ListsAsTable) {
  Post(Secrets(), R"({"metadata":{"name":"a"},"data":{"x":"","y":""}})");
  const Answer table = Get(Secrets(), {kTable});

  EXPECT_EQ(table.code, 200);
  EXPECT_EQ(runtime::GetString(table.json, "kind"), "Table");
  EXPECT_EQ(runtime::GetString(table.json, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(table.meta("resourceVersion"), Get(Secrets()).meta("resourceVersion"));
  EXPECT_EQ(FirstRow(table.json), R"(Name="a" Type="Opaque" Data=2 Age=AGE )");
  EXPECT_EQ(runtime::GetString(table.json["rows"][0]["object"], "kind"), "PartialObjectMetadata");
}

TEST_F(KubectlTest, ShowsColumnsOfBuiltInKinds) {
  Post(Leases(), R"({"metadata":{"name":"a"},"spec":{"holderIdentity":"me"}})");
  EXPECT_EQ(FirstRow(Get(Leases(), {kTable}).json), R"(Name="a" Holder="me" Age=AGE )");
  CreateConfigMap("a", {}, R"({"k":"v"})");
  EXPECT_EQ(FirstRow(Get(ConfigMaps("a"), {kTable}).json), R"(Name="a" Data=1 Age=AGE )");
  CreateWebhooks();
  EXPECT_THAT(FirstRow(Get(Webhooks(), {kTable}).json), HasSubstr("Webhooks=2 Age=AGE"));
  EXPECT_EQ(FirstRow(Get("/api/v1/namespaces/" + ns(), {kTable}).json),
            "Name=\"" + ns() + "\" Status=\"Active\" Age=AGE ");
}

TEST_F(KubectlTest, IncludesTheRequestedObjectInTables) {
  CreateConfigMap("a");
  const auto object = [&](const std::string& query) {
    const Answer table = Get(ConfigMaps("a") + query, {kTable});
    return std::string(runtime::GetString(table.json["rows"][0]["object"], "kind"));
  };

  EXPECT_EQ(object("?includeObject=Object"), "ConfigMap");
  EXPECT_EQ(object("?includeObject=Metadata"), "PartialObjectMetadata");
  const Answer none = Get(ConfigMaps("a") + "?includeObject=None", {kTable});
  EXPECT_TRUE(none.json["rows"][0]["object"].IsNull());
}

TEST_F(KubectlTest, WatchesTablesWithHeadersInTheFirstEvent) {
  CreateConfigMap("a");
  CreateConfigMap("b");
  WatchStream watch =
      Watch(ConfigMaps(), "fieldSelector=metadata.name!=kube-root-ca.crt", {kTable});

  EXPECT_EQ(FirstRow(watch.Next().object), R"(Name="a" Data=0 Age=AGE )");
  const WatchLine second = watch.Next();
  EXPECT_EQ(second.type, "ADDED");
  EXPECT_TRUE(second.object["columnDefinitions"].IsNull());
  EXPECT_EQ(second.object["rows"].Size(), 1U);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
