// SPDX-License-Identifier: Apache-2.0
// Tests of server-side apply: field ownership and conflicts.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class ApplyTest : public ContractTest {
 protected:
  Answer ApplyAs(const std::string& query, std::string_view metadata,
                 std::string_view data = {}) const {
    std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a")";
    if (!metadata.empty()) body.append(",").append(metadata);
    body += "}";
    if (!data.empty()) body.append(R"(,"data":)").append(data);
    return Apply(ConfigMaps("a"), "fieldManager=" + query, body + "}");
  }
  static std::string Data(const Answer& answer) {
    const runtime::JsonValue* const data = runtime::Find(answer.json, "data");
    return data == nullptr ? "none" : Sorted(runtime::ToJson(*data));
  }
};

TEST_F(ApplyTest, CreatesAMissingObject) {
  const Answer created = ApplyAs("one", R"("labels":{"l":"1"})", R"({"x":"1"})");

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(Normal(created), Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"
                                    R"("name":"a","namespace":"NS","uid":"UID",)"
                                    R"("resourceVersion":"RV","creationTimestamp":"TIME",)"
                                    R"("labels":{"l":"1"},"managedFields":[{"manager":"one",)"
                                    R"("operation":"Apply","apiVersion":"v1","time":"TIME",)"
                                    R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:x":{}},)"
                                    R"("f:metadata":{"f:labels":{"f:l":{}}}}}]},)"
                                    R"("data":{"x":"1"}})"));
}

TEST_F(ApplyTest, SkipsTheWriteWithoutAChange) {
  const Answer first = ApplyAs("one", "", R"({"x":"1"})");

  const Answer second = ApplyAs("one", "", R"({"x":"1"})");

  EXPECT_EQ(second.code, 200);
  EXPECT_EQ(Sorted(second.body), Sorted(first.body));
}

TEST_F(ApplyTest, RemovesFieldsNoLongerApplied) {
  ApplyAs("one", R"("labels":{"l":"1"},"annotations":{"n":"1"})", R"({"x":"1","y":"1"})");

  const Answer less = ApplyAs("one", "", R"({"x":"1"})");

  EXPECT_EQ(Data(less), R"({"x":"1"})");
  EXPECT_EQ(runtime::Find(less.json["metadata"], "labels"), nullptr);
  EXPECT_EQ(FieldsOf(less, "one"), R"({"f:data":{"f:x":{}}})");
  EXPECT_EQ(Data(ApplyAs("one", "")), "none");
}

TEST_F(ApplyTest, SharesFieldsWithEqualValues) {
  ApplyAs("one", "", R"({"x":"1"})");

  const Answer shared = ApplyAs("two", "", R"({"x":"1"})");

  EXPECT_EQ(shared.code, 200);
  EXPECT_EQ(FieldsOf(shared, "one"), R"({"f:data":{"f:x":{}}})");
  EXPECT_EQ(FieldsOf(shared, "two"), R"({"f:data":{"f:x":{}}})");
  // The last owner's apply removes the field.
  EXPECT_EQ(Data(ApplyAs("one", "")), R"({"x":"1"})");
  EXPECT_EQ(Data(ApplyAs("two", "")), "none");
}

TEST_F(ApplyTest, MergesPortsByNumberAndProtocolAndReplacesSelectors) {
  const std::string path = "/api/v1/namespaces/" + ns() + "/services/a";
  const auto apply = [&](const std::string& query, const std::string& spec) {
    return Apply(
        path, "fieldManager=" + query,
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":)" + spec + "}");
  };
  const Answer created =
      apply("one", R"({"selector":{"a":"1"},"ports":[{"port":53,"name":"tcp"}]})");
  EXPECT_EQ(created.code, 201) << created.body;

  const Answer merged =
      apply("two&force=true",
            R"({"selector":{"b":"1"},"ports":[{"port":53,"protocol":"UDP","name":"udp"}]})");

  EXPECT_EQ(merged.code, 200) << merged.body;
  EXPECT_EQ(FieldsOf(merged, "one"),
            Sorted(R"({"f:spec":{"f:ports":{"k:{\"port\":53,\"protocol\":\"TCP\"}":)"
                   R"({".":{},"f:name":{},"f:port":{}}}}})"));
  EXPECT_EQ(FieldsOf(merged, "two"),
            Sorted(R"({"f:spec":{"f:ports":{"k:{\"port\":53,\"protocol\":\"UDP\"}":)"
                   R"({".":{},"f:name":{},"f:port":{},"f:protocol":{}}},"f:selector":{}}})"));
  const Answer less = apply("two", R"({"selector":{"b":"1"},"ports":[]})");
  EXPECT_EQ(less.json["spec"]["ports"].Size(), 1U) << less.body;
}

TEST_F(ApplyTest, KeepsTheOrderOfTheLastConfiguration) {
  ApplyAs("one", R"("finalizers":["x.io/a","x.io/b","x.io/c"])");

  const Answer second = ApplyAs("two", R"("finalizers":["x.io/c","x.io/a"])");
  const Answer cleared = MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(runtime::ToJson(second.json["metadata"]["finalizers"]),
            R"(["x.io/b","x.io/c","x.io/a"])");
  EXPECT_EQ(cleared.code, 200) << cleared.body;  // so that the namespace can be deleted
}

TEST_F(ApplyTest, ConflictsWithAnotherOwnersValue) {
  ApplyAs("one", "", R"({"x":"1"})");

  EXPECT_REFUSED(
      ApplyAs("two", "", R"({"x":"2"})"),
      {.code = 409,
       .reason = "Conflict",
       .message = "Apply failed with 1 conflict: conflict with \"one\": .data.x",
       .details = R"({"causes":[)" +
                  Cause("FieldManagerConflict", "conflict with \"one\"", ".data.x") + "]}"});
}

TEST_F(ApplyTest, ReportsEveryConflict) {
  ApplyAs("one", "", R"({"x":"1","y":"1"})");
  ApplyAs("two", "", R"({"x":"1"})");

  const Answer refused = ApplyAs("three", "", R"({"x":"2","y":"2"})");

  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.message(),
            "Apply failed with 3 conflicts: conflicts with \"one\":\n- .data.x\n- .data.y\n"
            "conflicts with \"two\":\n- .data.x");
  std::vector<std::string> causes;  // in no particular order
  for (const runtime::JsonValue& cause : refused.json["details"]["causes"].GetArray()) {
    causes.push_back(std::string(runtime::GetString(cause, "message")) + " " +
                     std::string(runtime::GetString(cause, "field")));
  }
  EXPECT_THAT(causes,
              UnorderedElementsAre("conflict with \"one\" .data.x", "conflict with \"one\" .data.y",
                                   "conflict with \"two\" .data.x"));
}

TEST_F(ApplyTest, ConflictsWithAnUpdate) {
  ApplyAs("one", "", R"({"x":"1"})");
  MergePatch(ConfigMaps("a") + "?fieldManager=editor", R"({"data":{"y":"1"}})");

  const Answer refused = ApplyAs("one", "", R"({"x":"1","y":"2"})");

  EXPECT_EQ(refused.message(),
            "Apply failed with 1 conflict: conflict with \"editor\" using v1: .data.y");
}

TEST_F(ApplyTest, TakesFieldsOverWithForce) {
  ApplyAs("one", "", R"({"x":"1","y":"1"})");

  const Answer forced = ApplyAs("two&force=true", "", R"({"x":"2"})");

  EXPECT_EQ(forced.code, 200);
  EXPECT_EQ(Data(forced), R"({"x":"2","y":"1"})");
  EXPECT_EQ(FieldsOf(forced, "one"), R"({"f:data":{"f:y":{}}})");
  EXPECT_EQ(FieldsOf(forced, "two"), R"({"f:data":{"f:x":{}}})");
}

TEST_F(ApplyTest, KeepsFieldsOfOtherManagers) {
  CreateConfigMap("a", "", R"({"theirs":"1"})");

  const Answer applied = ApplyAs("one", "", R"({"mine":"1"})");

  EXPECT_EQ(Data(applied), R"({"mine":"1","theirs":"1"})");
  EXPECT_EQ(FieldsOf(applied, "contract"), R"({"f:data":{".":{},"f:theirs":{}}})");
}

TEST_F(ApplyTest, RecordsEarlierFieldsAsBeforeFirstApply) {
  CreateConfigMap("a", "", R"({"x":"1"})");
  const Answer cleared = MergePatch(ConfigMaps("a"), R"({"metadata":{"managedFields":[{}]}})");
  // No manager is recorded before the first apply.
  const Answer changed = MergePatch(ConfigMaps("a"), R"({"data":{"y":"1"}})");

  const Answer applied = ApplyAs("one", "", R"({"z":"1"})");

  EXPECT_EQ(runtime::Find(cleared.json["metadata"], "managedFields"), nullptr);
  EXPECT_EQ(runtime::Find(changed.json["metadata"], "managedFields"), nullptr);
  EXPECT_EQ(FieldsOf(applied, "before-first-apply"), R"({"f:data":{".":{},"f:x":{},"f:y":{}}})");
  EXPECT_EQ(FieldsOf(applied, "one"), R"({"f:data":{"f:z":{}}})");
}

TEST_F(ApplyTest, RecordsNoZeroFieldsAndNoStatusAsBeforeFirstApply) {
  const auto first_apply = [&](const std::string& collection, const std::string& kind,
                               const std::string& spec) {
    const std::string object = R"("kind":")" + kind + R"(","metadata":{"name":"a")";
    EXPECT_EQ(Post(collection, "{" + object + R"(},"spec":)" + spec + "}").code, 201);
    const std::string target = collection + "/a";
    MergePatch(target, R"({"metadata":{"managedFields":[{}]}})");
    const bool core = collection.starts_with("/api/");
    return Apply(target, "fieldManager=one",
                 std::string(R"({"apiVersion":")") + (core ? "v1" : "coordination.k8s.io/v1") +
                     "\"," + object + R"(,"labels":{"a":"b"}}})");
  };

  const Answer lease = first_apply(Leases(), "Lease", "{}");
  const Answer service = first_apply(Core("services", ""), "Service",
                                     R"({"type":"ExternalName","externalName":"a.io"})");

  EXPECT_EQ(FieldsOf(lease, "before-first-apply"), "none") << lease.body;
  EXPECT_EQ(FieldsOf(service, "before-first-apply"),
            R"({"f:spec":{"f:externalName":{},"f:sessionAffinity":{},"f:type":{}}})")
      << service.body;
}

TEST_F(ApplyTest, ClearsManagersWithAnEmptyList) {
  CreateConfigMap("a", "", R"({"x":"1"})");

  EXPECT_EQ(
      FieldsOf(MergePatch(ConfigMaps("a"), R"({"metadata":{"managedFields":[]}})"), "contract"),
      "none");
}

TEST_F(ApplyTest, DryRunStoresNothing) {
  EXPECT_EQ(ApplyAs("one&dryRun=All", "", R"({"x":"1"})").code, 201);
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

TEST_F(ApplyTest, RequiresAFieldManager) {
  const std::string message = "Required value: is required for apply patch";

  EXPECT_REFUSED(ApplyAs("", ""),
                 {.code = 422,
                  .reason = "Invalid",
                  .message = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: " + message,
                  .details = R"({"group":"meta.k8s.io","kind":"PatchOptions","causes":[)" +
                             Cause("FieldValueRequired", message, "fieldManager") + "]}"});
}

TEST_F(ApplyTest, RequiresTheKindOfThePath) {
  const auto apply = [&](std::string_view body) {
    return Apply(ConfigMaps("a"), "fieldManager=one", body);
  };
  EXPECT_REFUSED(apply(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})"),
                 BadRequest("invalid object type: /v1, Kind=Secret"));
  EXPECT_EQ(apply(R"({"metadata":{"name":"a"}})").code, 400);
  EXPECT_REFUSED(apply(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})"),
                 BadRequest("the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_REFUSED(ApplyAs("one", R"("namespace":"other")"),
                 BadRequest("the namespace of the provided object does not match the namespace "
                            "sent on the request"));
}

TEST_F(ApplyTest, RejectsInvalidConfigurations) {
  const auto apply = [&](std::string_view body) {
    return Apply(ConfigMaps("a"), "fieldManager=one", body);
  };
  const std::string prefix = Minor() < 37 ? "error decoding YAML: " : "error decoding patch: ";
  const Answer malformed = apply("{");
  EXPECT_EQ(malformed.code, 400);
  EXPECT_THAT(std::string(malformed.message()), HasSubstr(prefix));
  EXPECT_REFUSED(apply("[]"), BadRequest(prefix + "error unmarshaling JSON: while decoding JSON: "
                                                  "json: cannot unmarshal array into Go value of "
                                                  "type map[string]interface {}"));
  EXPECT_REFUSED(ApplyAs("one", R"("managedFields":[{"manager":"x"}])"),
                 BadRequest("metadata.managedFields must be nil"));
  EXPECT_REFUSED(ApplyAs("one", "", R"({"x":5})"),
                 {.code = 500,
                  .message = "failed to create typed patch object (/a; /v1, Kind=ConfigMap): "
                             ".data.x: expected string, got &value.valueUnstructured{Value:5}"});
}

TEST_F(ApplyTest, RejectsTextsThatTheTypeCannotHave) {
  const auto expect = [&](const std::string& path, const std::string& object,
                          const std::string& kind, const std::string& why) {
    EXPECT_REFUSED(Apply(path, "fieldManager=a", object),
                   {.code = 500,
                    .message = "failed to convert new object (/a; " + kind +
                               ") to proper version: unable to convert unstructured object to " +
                               kind + ": " + why});
  };

  expect("/api/v1/namespaces/" + ns() + "/secrets/a",
         R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"a":"$"}})",
         "/v1, Kind=Secret", "error decoding from json: illegal base64 data at input byte 0");
  expect("/apis/coordination.k8s.io/v1/namespaces/" + ns() + "/leases/a",
         R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"},)"
         R"("spec":{"renewTime":"x"}})",
         "coordination.k8s.io/v1, Kind=Lease",
         R"(parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006")");
}

TEST_F(ApplyTest, DoesNotCreateWithAUid) {
  const std::string uid = "11111111-1111-1111-1111-111111111111";

  EXPECT_REFUSED(ApplyAs("one", R"("uid":")" + uid + '"'),
                 {.code = 409,
                  .reason = "Conflict",
                  .message = "Operation cannot be fulfilled on configmaps \"a\": uid mismatch: the "
                             "provided object specified uid " +
                             uid + ", and no existing object was found",
                  .details = R"({"name":"a","kind":"configmaps"})"});
}

TEST_F(ApplyTest, ConflictsWithAnotherVersion) {
  EXPECT_EQ(ApplyAs("one", R"("resourceVersion":"1")").code, 201);

  EXPECT_REFUSED(ApplyAs("one", R"("resourceVersion":"1")", R"({"x":"1"})"),
                 {.code = 409,
                  .reason = "Conflict",
                  .message = "Operation cannot be fulfilled on configmaps \"a\": the object has "
                             "been modified; please apply your changes to the latest version and "
                             "try again",
                  .details = R"({"name":"a","kind":"configmaps"})"});
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
