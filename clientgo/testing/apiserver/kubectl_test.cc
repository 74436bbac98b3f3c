// SPDX-License-Identifier: Apache-2.0
// Tests of what kubectl needs beside the verbs: field validation, OpenAPI, and tables.
#include <regex>

#include "capstan/runtime/json_writer.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kAsTable = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n";

class KubectlTest : public ServerTest {
 protected:
  // Creates a Deployment with a misspelt field. `query` is for example "?fieldValidation=Strict".
  Answer CreateMisspelt(std::string_view query) {
    return client_->Post(Path(kDeployments, query),
                         R"({"metadata":{"name":"d"},"spec":{"replica":1,"replicas":1,)"
                         R"("replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{)"
                         R"("metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
                         R"("image":"i","imag":"x"}]}}}})");
  }
  void CreateDefinition() {
    const Answer answer = client_->Post(
        kDefinitions,
        R"({"metadata":{"name":"foos.x.io"},"spec":{"group":"x.io","scope":"Namespaced","names":)"
        R"({"plural":"foos","kind":"Foo","singular":"foo","listKind":"FooList"},"versions":[)"
        R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":)"
        R"("object","description":"A Foo.","properties":{"spec":{"type":"object","properties":)"
        R"({"size":{"type":"integer","description":"The size."},"color":{"type":"string"}}}}}},)"
        R"("additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},)"
        R"({"name":"Color","type":"string","priority":1,"jsonPath":".spec.color",)"
        R"("description":"the color"}]}]}})");
    ASSERT_EQ(answer.code, 201) << answer.body;
  }
  // Returns the cells of each row: `["a",1] ["b",2]`. An age is "AGE".
  static std::string Rows(const Answer& answer) {
    std::string rows;
    for (const runtime::JsonValue& row : ListAt(answer.json, "rows").GetArray()) {
      rows += (rows.empty() ? "" : " ") + runtime::ToJson(ListAt(row, "cells"));
    }
    return std::regex_replace(rows, std::regex(R"("\d+s")"), R"("AGE")");
  }
  static std::string Headers(const runtime::JsonValue& table) {
    std::string names;
    for (const runtime::JsonValue& column : ListAt(table, "columnDefinitions").GetArray()) {
      names += (names.empty() ? "" : ",") + std::string(runtime::GetString(column, "name"));
    }
    return names;
  }
};

TEST_F(KubectlTest, RejectsUnknownAndDuplicateFieldsWhenStrict) {
  const Answer answer = CreateMisspelt("?fieldValidation=Strict");
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(),
            "Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding "
            "error: unknown field \"spec.replica\", duplicate field \"spec.replicas\", unknown "
            "field \"spec.template.spec.containers[0].imag\"");
}

TEST_F(KubectlTest, WarnsAboutUnknownFieldsAndDropsThem) {
  const Answer answer = CreateMisspelt("?fieldValidation=Warn");
  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_THAT(answer.head, HasSubstr(R"(Warning: 299 - "unknown field \"spec.replica\"")"));
  EXPECT_THAT(answer.body, Not(HasSubstr(R"("imag")")));
  EXPECT_EQ(ObjectAt(answer.json, "spec")["replicas"].GetInt(), 2);
}

TEST_F(KubectlTest, IgnoresUnknownFieldsOnRequest) {
  const Answer answer = CreateMisspelt("?fieldValidation=Ignore");
  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_THAT(answer.head, Not(HasSubstr("Warning")));
}

TEST_F(KubectlTest, RejectsUnknownFieldsOfPatchesWhenStrict) {
  CreateConfigMap("a");
  const std::string target = Path(kConfigMaps, "/a?fieldValidation=Strict");
  for (const char* const type : {"merge-patch+json", "strategic-merge-patch+json"}) {
    const Answer answer = client_->Patch(target, type, R"({"dat":{"k":"v"}})");
    EXPECT_EQ(answer.code, 422) << answer.body;
    EXPECT_THAT(std::string(answer.message()),
                HasSubstr("strict decoding error: unknown field \"dat\""));
  }
  const Answer applied =
      client_->Patch(Path(kConfigMaps, "/a?fieldManager=m"), "apply-patch+yaml",
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dat":{}})");
  EXPECT_EQ(applied.code, 500);
  EXPECT_THAT(std::string(applied.message()), HasSubstr(".dat: field not declared in schema"));
}

TEST_F(KubectlTest, RejectsWrongTypesOfBuiltInKinds) {
  const Answer answer =
      client_->Post(kDeployments, R"({"metadata":{"name":"d"},"spec":{"replicas":"two"}})");
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(),
            "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot "
            "unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32");
}

TEST_F(KubectlTest, ServesOpenApiOfBuiltInKinds) {
  const Answer index = client_->Get("/openapi/v3");
  EXPECT_EQ(runtime::GetString(*runtime::FindPath(index.json, {"paths", "apis/apps/v1"}),
                               "serverRelativeURL"),
            "/openapi/v3/apis/apps/v1");

  const Answer document = client_->Get("/openapi/v3/apis/apps/v1");
  ASSERT_EQ(document.code, 200);
  const runtime::JsonValue* const patch = runtime::FindPath(
      document.json, {"paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_THAT(runtime::ToJson(*patch), HasSubstr(R"("name":"fieldValidation")"));
  EXPECT_EQ(runtime::GetString(*runtime::Find(*patch, "x-kubernetes-group-version-kind"), "kind"),
            "Deployment");
  const runtime::JsonValue* const containers = runtime::FindPath(
      document.json,
      {"components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties", "containers"});
  ASSERT_NE(containers, nullptr);
  EXPECT_EQ(runtime::ToJson(*containers),
            R"({"type":"array","items":{"$ref":"#/components/schemas/io.k8s.api.core.v1.)"
            R"(Container"},"x-kubernetes-patch-strategy":"merge",)"
            R"("x-kubernetes-patch-merge-key":"name"})");
  EXPECT_EQ(client_->Get("/openapi/v3/apis/nothing/v1").code, 404);
}

TEST_F(KubectlTest, RefersOnlyToSchemasInTheDocument) {
  CreateDefinition();
  for (const std::string path :
       {"/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1",
        "/openapi/v3/apis/apiextensions.k8s.io/v1", "/openapi/v3/apis/x.io/v1", "/openapi/v2"}) {
    const bool v2 = path == "/openapi/v2";
    const Answer document = client_->Get(path);
    const runtime::JsonValue* const schemas =
        v2 ? runtime::Find(document.json, "definitions")
           : runtime::FindPath(document.json, {"components", "schemas"});
    ASSERT_NE(schemas, nullptr) << path;
    const std::string_view reference =
        v2 ? R"("$ref":"#/definitions/)" : R"("$ref":"#/components/schemas/)";
    std::size_t count = 0;
    for (std::size_t at = document.body.find(reference); at != std::string::npos;
         at = document.body.find(reference, at + 1), ++count) {
      const std::size_t begin = at + reference.size();
      const std::string name = document.body.substr(begin, document.body.find('"', begin) - begin);
      EXPECT_NE(runtime::Find(*schemas, name), nullptr) << path << " " << name;
    }
    EXPECT_GT(count, path.ends_with("x.io/v1") ? 10U : 20U) << path;
  }
}

TEST_F(KubectlTest, ServesOpenApiOfCustomKinds) {
  CreateDefinition();
  const Answer document = client_->Get("/openapi/v3/apis/x.io/v1");
  const runtime::JsonValue* const schema =
      runtime::FindPath(document.json, {"components", "schemas", "io.x.v1.Foo"});
  ASSERT_NE(schema, nullptr) << document.body;
  EXPECT_EQ(runtime::GetString(*schema, "description"), "A Foo.");
  EXPECT_EQ(
      runtime::GetString(*runtime::FindPath(*schema, {"properties", "spec", "properties", "size"}),
                         "description"),
      "The size.");
}

// kubectl requests both spellings. Go cannot parse the one with '@'.
TEST_F(KubectlTest, AnswersOldOpenApiMediaTypeWithTheNewOne) {
  const Answer protobuf = client_->Get(
      "/openapi/v2", "Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf\r\n");

  EXPECT_NE(protobuf.head.find(
                "Content-Type: application/com.github.proto-openapi.spec.v2.v1.0+protobuf\r\n"),
            std::string::npos)
      << protobuf.head;
}

TEST_F(KubectlTest, ListsBuiltInKindsAsTable) {
  client_->Post(kSecrets, R"({"metadata":{"name":"s"},"data":{"a":"","b":""}})");
  const Answer table = client_->Get(kSecrets, kAsTable);

  EXPECT_EQ(runtime::GetString(table.json, "kind"), "Table");
  EXPECT_EQ(Headers(table.json), "Name,Type,Data,Age");
  EXPECT_EQ(Rows(table), R"(["s","Opaque",2,"AGE"])");
  const runtime::JsonValue& row = ListAt(table.json, "rows")[0];
  EXPECT_EQ(runtime::GetString(ObjectAt(row, "object"), "kind"), "PartialObjectMetadata");
  EXPECT_EQ(Metadata(ObjectAt(row, "object"), "name"), "s");
  EXPECT_NE(table.meta("resourceVersion"), "");
}

TEST_F(KubectlTest, GetsOneObjectAsTableWithTheWholeObject) {
  client_->Post(kSecrets, R"({"metadata":{"name":"s"},"data":{"a":""}})");
  const Answer table = client_->Get(Path(kSecrets, "/s?includeObject=Object"), kAsTable);

  EXPECT_EQ(Rows(table), R"(["s","Opaque",1,"AGE"])");
  EXPECT_EQ(runtime::GetString(ObjectAt(ListAt(table.json, "rows")[0], "object"), "kind"),
            "Secret");
  const Answer none = client_->Get(Path(kSecrets, "/s?includeObject=None"), kAsTable);
  EXPECT_TRUE(ListAt(none.json, "rows")[0]["object"].IsNull());
}

TEST_F(KubectlTest, ShowsThePrinterColumnsOfCustomKinds) {
  CreateDefinition();
  const std::string foos = "/apis/x.io/v1/namespaces/default/foos";
  client_->Post(foos, R"({"apiVersion":"x.io/v1","kind":"Foo","metadata":{"name":"a"},)"
                      R"("spec":{"size":3}})");
  const Answer table = client_->Get(foos, kAsTable);

  EXPECT_EQ(Headers(table.json), "Name,Size,Color");
  EXPECT_EQ(Rows(table), R"(["a",3,null])");
  EXPECT_EQ(runtime::ToJson(ListAt(table.json, "columnDefinitions")[2]),
            R"({"name":"Color","type":"string","format":"","description":"the color",)"
            R"("priority":1})");
}

TEST_F(KubectlTest, ShowsTheStateOfPods) {
  client_->Post("/api/v1/namespaces/default/pods",
                R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[)"
                R"({"name":"a","image":"i"},{"name":"b","image":"i"}]}})");
  const Answer written = client_->Patch(
      "/api/v1/namespaces/default/pods/p/status", "merge-patch+json",
      R"({"status":{"phase":"Running","podIPs":[{"ip":"10.0.0.1"}],"containerStatuses":[)"
      R"({"name":"a","ready":true,"restartCount":2,"state":{"running":{}}},)"
      R"({"name":"b","restartCount":1,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})");
  ASSERT_EQ(written.code, 200) << written.body;
  EXPECT_EQ(Rows(client_->Get("/api/v1/namespaces/default/pods", kAsTable)),
            R"(["p","1/2","CrashLoopBackOff","3","AGE","10.0.0.1","n","<none>","<none>"])");
}

TEST_F(KubectlTest, SendsTheHeadersOfAWatchedTableOnce) {
  CreateConfigMap("a");
  CreateConfigMap("b");
  WatchStream watch(server_->port(), Path(kConfigMaps, "?watch=1"), kAsTable);
  EXPECT_EQ(Headers(watch.Next().object), "Name,Data,Age");
  const WatchLine second = watch.Next();
  EXPECT_EQ(second.type, "ADDED");
  EXPECT_EQ(Headers(second.object), "");
  EXPECT_EQ(ListAt(second.object, "rows").Size(), 1U);
}

}  // namespace
}  // namespace capstan::testing::apiserver
