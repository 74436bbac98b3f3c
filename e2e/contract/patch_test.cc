// SPDX-License-Identifier: Apache-2.0
// Tests of PATCH: JSON patch, merge patch, strategic merge patch. apply_test.cc and
// apply_webhooks_test.cc test server-side apply.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

using PatchTest = ContractTest;

std::string Data(const Answer& answer) {
  const runtime::JsonValue* const data = runtime::Find(answer.json, "data");
  return data == nullptr ? answer.body : Sorted(runtime::ToJson(*data));
}

// Returns the webhooks' names and timeouts: "a.x.io:10 b.x.io:5 ".
std::string Timeouts(const Answer& answer) {
  std::string text;
  const runtime::JsonValue* const webhooks = runtime::Find(answer.json, "webhooks");
  if (webhooks == nullptr) return "none";
  for (const runtime::JsonValue& webhook : webhooks->GetArray()) {
    text += std::string(runtime::GetString(webhook, "name")) + ":" +
            std::to_string(webhook["timeoutSeconds"].GetInt()) + " ";
  }
  return text;
}

std::string NewWebhook(const std::string& name) {
  return R"({"name":")" + name + R"(","sideEffects":"None","admissionReviewVersions":["v1"],)" +
         R"("clientConfig":{"url":"https://c"}})";
}

TEST_F(PatchTest, JsonPatchAppliesItsOperations) {
  CreateConfigMap("a", "", R"({"x":"1","y":"2"})");

  const Answer patched =
      JsonPatch(ConfigMaps("a"), R"([{"op":"test","path":"/data/x","value":"1"},)"
                                 R"({"op":"copy","from":"/data/x","path":"/data/copied"},)"
                                 R"({"op":"move","from":"/data/y","path":"/data/moved"},)"
                                 R"({"op":"replace","path":"/data/x","value":"3"},)"
                                 R"({"op":"add","path":"/metadata/labels","value":{"l":"1"}}])");

  EXPECT_EQ(patched.code, 200);
  EXPECT_EQ(Data(patched), R"({"copied":"1","moved":"2","x":"3"})");
}

TEST_F(PatchTest, JsonPatchChangesNothingWhenItsTestFails) {
  const std::string version = CreateConfigMap("a", "", R"({"x":"1"})");

  for (const char* const test : {R"({"op":"test","path":"/data/x","value":"2"})",
                                 R"({"op":"test","path":"/data/none","value":"2"})"}) {
    EXPECT_REFUSED(JsonPatch(ConfigMaps("a"), R"([{"op":"add","path":"/data/y","value":"1"},)" +
                                                  std::string(test) + "]"),
                   kRejected);
  }
  EXPECT_EQ(Get(ConfigMaps("a")).meta("resourceVersion"), version);
}

TEST_F(PatchTest, RejectsInvalidJsonPatchOperations) {
  CreateConfigMap("a", "", R"({"x":"1"})");

  for (const char* const operation :
       {R"({"op":"remove","path":"/data/none"})", R"({"op":"add","path":"/nope/none","value":"x"})",
        R"({"op":"nope","path":"/data/x","value":"x"})",
        R"({"op":"add","path":"data","value":"x"})"}) {
    EXPECT_REFUSED(JsonPatch(ConfigMaps("a"), "[" + std::string(operation) + "]"), kRejected);
  }
}

TEST_F(PatchTest, JsonPatchReplaceAddsAMember) {
  CreateConfigMap("a", "", R"({"x":"1"})");

  EXPECT_EQ(Data(JsonPatch(ConfigMaps("a"), R"([{"op":"replace","path":"/data/y","value":"2"}])")),
            R"({"x":"1","y":"2"})");
}

TEST_F(PatchTest, JsonPatchTestsThatAMemberIsMissing) {
  CreateConfigMap("a", "", R"({"x":"1"})");
  const auto patch = [&](const std::string& path) {
    return JsonPatch(ConfigMaps("a"), R"([{"op":"test","path":")" + path +
                                          R"(","value":null},{"op":"add","path":"/data/y",)"
                                          R"("value":"2"}])");
  };

  EXPECT_REFUSED(patch("/data/x"), kRejected);
  EXPECT_EQ(Data(patch("/data/y")), R"({"x":"1","y":"2"})");
}

TEST_F(PatchTest, JsonPatchCountsNegativeIndicesFromTheEnd) {
  CreateConfigMap("a", R"("finalizers":["x.io/a","x.io/b"])");

  const Answer patched =
      JsonPatch(ConfigMaps("a"), R"([{"op":"remove","path":"/metadata/finalizers/-1"}])");

  EXPECT_EQ(runtime::ToJson(patched.json["metadata"]["finalizers"]), R"(["x.io/a"])");
  MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(PatchTest, JsonPatchMustBeAList) {
  CreateConfigMap("a");

  EXPECT_REFUSED(JsonPatch(ConfigMaps("a"), "{}"),
                 BadRequest("error decoding patch: json: cannot unmarshal object into Go value of "
                            "type []handlers.jsonPatchOp"));
  EXPECT_REFUSED(JsonPatch(ConfigMaps("a"), "["),
                 BadRequest(Minor() < 37 ? "error decoding patch: unexpected end of JSON input"
                                         : "invalid JSON patch"));
}

TEST_F(PatchTest, MergePatchMergesMapsAndRemovesNulls) {
  CreateConfigMap("a", R"("labels":{"keep":"1","drop":"1"})", R"({"x":"1","y":"2"})");

  const Answer patched = MergePatch(ConfigMaps("a"), R"({"metadata":{"labels":{"drop":null}},)"
                                                     R"("data":{"y":null,"z":"3"}})");

  EXPECT_EQ(patched.code, 200);
  EXPECT_EQ(Data(patched), R"({"x":"1","z":"3"})");
  EXPECT_EQ(runtime::ToJson(patched.json["metadata"]["labels"]), R"({"keep":"1"})");
}

TEST_F(PatchTest, MergePatchReplacesLists) {
  CreateWebhooks();

  const Answer patched = MergePatch(Webhooks(), R"({"webhooks":[)" + NewWebhook("c.x.io") + "]}");

  EXPECT_EQ(Timeouts(patched), "c.x.io:10 ");
  EXPECT_EQ(Timeouts(MergePatch(Webhooks(), R"({"webhooks":[]})")), "none");
}

TEST_F(PatchTest, SkipsTheWriteWithoutAChange) {
  const std::string version = CreateConfigMap("a", "", R"({"x":"1"})");

  for (const char* const patch : {"{}", R"({"data":{"x":"1"}})"}) {
    EXPECT_EQ(MergePatch(ConfigMaps("a"), patch).meta("resourceVersion"), version);
  }
}

TEST_F(PatchTest, StrategicPatchMergesListsByTheirKey) {
  CreateWebhooks();

  EXPECT_EQ(Timeouts(StrategicPatch(Webhooks(),
                                    R"({"webhooks":[{"name":"b.x.io","timeoutSeconds":7}]})")),
            "a.x.io:10 b.x.io:7 ");
  EXPECT_EQ(
      Timeouts(StrategicPatch(Webhooks(), R"({"webhooks":[{"$patch":"delete","name":"a.x.io"}]})")),
      "b.x.io:7 ");
}

TEST_F(PatchTest, StrategicPatchPutsNewItemsFirst) {
  CreateWebhooks();

  EXPECT_EQ(Timeouts(StrategicPatch(Webhooks(), R"({"webhooks":[)" + NewWebhook("c.x.io") + "]}")),
            "c.x.io:10 a.x.io:10 b.x.io:10 ");
}

TEST_F(PatchTest, StrategicPatchReplacesAListByDirective) {
  CreateWebhooks();

  EXPECT_EQ(Timeouts(StrategicPatch(
                Webhooks(), R"({"webhooks":[{"$patch":"replace"},)" + NewWebhook("d.x.io") + "]}")),
            "d.x.io:10 ");
}

TEST_F(PatchTest, StrategicPatchTreatsFinalizersAsASet) {
  CreateConfigMap("a", R"("finalizers":["x.io/a"])");
  const auto finalizers = [](const Answer& answer) {
    return runtime::ToJson(answer.json["metadata"]["finalizers"]);
  };

  EXPECT_EQ(
      finalizers(StrategicPatch(ConfigMaps("a"), R"({"metadata":{"finalizers":["x.io/b"]}})")),
      R"(["x.io/b","x.io/a"])");
  EXPECT_EQ(
      finalizers(StrategicPatch(
          ConfigMaps("a"), R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/a"]}})")),
      R"(["x.io/b"])");
  StrategicPatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(PatchTest, MergeAndStrategicPatchesMustBeObjects) {
  CreateConfigMap("a");
  const std::string list =
      "json: cannot unmarshal array into Go value of type map[string]interface {}";

  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), "[]"), BadRequest("error decoding patch: " + list));
  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), "{"),
                 BadRequest(Minor() < 37 ? "error decoding patch: unexpected end of JSON input"
                                         : "invalid JSON patch"));
  EXPECT_REFUSED(StrategicPatch(ConfigMaps("a"), "[]"), BadRequest(list));
  EXPECT_REFUSED(StrategicPatch(ConfigMaps("a"), "{"),
                 BadRequest(Minor() < 37 ? "unexpected end of JSON input" : "invalid JSON patch"));
}

TEST_F(PatchTest, ConflictsWithAnotherVersion) {
  CreateConfigMap("a");

  EXPECT_REFUSED(
      MergePatch(ConfigMaps("a"), R"({"metadata":{"resourceVersion":"1"},"data":{"x":"1"}})"),
      {.code = 409,
       .reason = "Conflict",
       .message = "Operation cannot be fulfilled on configmaps \"a\": the object has been "
                  "modified; please apply your changes to the latest version and try again",
       .details = R"({"name":"a","kind":"configmaps"})"});
}

TEST_F(PatchTest, RejectsChangesOfTheIdentity) {
  CreateConfigMap("a");
  CreateWebhooks();
  const std::string message = "Invalid value: \"xx\": field is immutable";

  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), R"({"metadata":{"name":"b"}})"),
                 BadRequest("the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), R"({"metadata":{"uid":"xx"}})"),
                 InvalidMetadata("a", "metadata.uid", "FieldValueInvalid", message));
  EXPECT_REFUSED(MergePatch(Webhooks(), R"({"metadata":{"uid":"xx"}})"),
                 Invalid("ValidatingWebhookConfiguration.admissionregistration.k8s.io", ns(),
                         "metadata.uid", "FieldValueInvalid", message));
}

TEST_F(PatchTest, ReportsFieldsOfTheWrongType) {
  CreateConfigMap("a");

  const Answer answer = MergePatch(ConfigMaps("a"), R"({"data":{"x":5}})");

  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.reason(), "Invalid");
  // The message contains the object between these two parts, in the server's own order.
  EXPECT_THAT(std::string(answer.message()),
              ::testing::StartsWith(" \"\" is invalid: patch: Invalid value: \"{"));
  EXPECT_THAT(std::string(answer.message()),
              ::testing::EndsWith("}\": json: cannot unmarshal number into Go struct field "
                                  "ConfigMap.data of type string"));
  const runtime::JsonValue& cause = answer.json["details"]["causes"][0];
  EXPECT_EQ(runtime::GetString(cause, "field"), "patch");
  EXPECT_EQ(runtime::GetString(cause, "reason"), "FieldValueInvalid");
}

// The error has the patch, and not the object: it may be a Secret.
TEST_F(PatchTest, ReportsABadStrategicPatchWithoutTheObject) {
  Post(Secrets(), R"({"metadata":{"name":"a"},"data":{"x":"aGlkZGVu"}})");
  const std::string deployments = Apps("deployments");
  Post(deployments, R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
                    R"({"name":"c","image":"i"}]}}}})");
  const auto expect = [&](const std::string& path, const std::string& patch,
                          const std::string& shown, const std::string& why) {
    const std::string message = "Invalid value: \"" + shown + "\": " + why;
    EXPECT_REFUSED(
        StrategicPatch(path, patch),
        {.code = 422,
         .reason = "Invalid",
         .message = " \"\" is invalid: patch: " + message,
         .details = R"({"causes":[)" + Cause("FieldValueInvalid", message, "patch") + "]}"});
  };

  expect(Secrets("a"), R"({"metadata":{"labels":{"l":1}}})", "map[metadata:map[labels:map[l:1]]]",
         "cannot convert int64 to string");
  expect(Secrets("a"), R"({"metadata":{"finalizers":"f"}})", "map[metadata:map[finalizers:f]]",
         "cannot restore slice from string");
  expect(Secrets("a"), R"({"metadata":"m"})", "map[metadata:m]",
         "cannot restore struct from: string");
  expect(Secrets("a") + "?fieldValidation=Strict", R"({"other":1})", "map[other:1]",
         "strict decoding error: unknown field \"other\"");
  expect(deployments + "/a", R"({"spec":{"replicas":"two"}})", "map[spec:map[replicas:two]]",
         "unrecognized type: int32");
  EXPECT_EQ(Get(Secrets("a")).json["data"]["x"], "aGlkZGVu");
}

TEST_F(PatchTest, RejectsUnknownDirectivesOfAStrategicPatch) {
  CreateConfigMap("a", {}, R"({"k":"v"})");

  const Answer unknown = StrategicPatch(ConfigMaps("a"), R"({"data":{"$patch":"mend"}})");
  const Answer retained = StrategicPatch(ConfigMaps("a"), R"({"$retainKeys":"data"})");

  EXPECT_EQ(unknown.code, 500);
  EXPECT_EQ(unknown.message(), "unknown patch type: mend in map: map[$patch:mend]");
  EXPECT_EQ(retained.code, 400);
  EXPECT_EQ(retained.message(), "invalid patch format of retainKeys");
}

TEST_F(PatchTest, WarnsOfRepeatedFieldsAndUnknownMembers) {
  struct Case {
    std::string type;
    std::string patch;
    std::string error;
  };
  const std::string operation = R"([{"op":"add","path":"/data/x","value":"1",)";
  const std::vector<Case> cases = {
      {"merge-patch", R"({"data":{"x":"1","x":"2"}})", "duplicate field $data.x$"},
      {"strategic-merge-patch", R"({"data":{"x":"1","x":"2"}})", "duplicate field $data.x$"},
      {"json-patch", operation + R"("value":"2"}])", "json patch duplicate field $[0].value$"},
      {"json-patch", operation + R"("y":"2"}])", "json patch unknown field $[0].y$"}};
  for (const Case& each : cases) {
    CreateConfigMap("a", "", R"({"k":"v"})");
    const auto patch = [&](const std::string& validation) {
      return Do("PATCH", ConfigMaps("a") + "?fieldValidation=" + validation, each.patch,
                {"Content-Type: application/" + each.type + "+json"});
    };
    const auto quoted = [&](const std::string& quote) {
      std::string text = each.error;
      for (auto at = text.find('$'); at != std::string::npos; at = text.find('$')) {
        text.replace(at, 1, quote);
      }
      return text;
    };

    const Answer strict = patch("Strict");
    EXPECT_EQ(strict.code, 422);
    EXPECT_THAT(std::string(strict.message()), HasSubstr("strict decoding error: " + quoted("\"")));
    EXPECT_EQ(Data(Get(ConfigMaps("a"))).find("\"x\""), std::string::npos);
    EXPECT_THAT(patch("Ignore").head, Not(HasSubstr("warning:")));
    EXPECT_THAT(patch("Warn").head, HasSubstr("warning: 299 - \"" + quoted("\\\"") + "\""));
    Delete(ConfigMaps("a"));
  }
}

TEST_F(PatchTest, RequiresAName) {
  CreateConfigMap("a");

  EXPECT_REFUSED(StrategicPatch(ConfigMaps("a"), R"({"$patch":"replace","data":{"x":"1"}})"),
                 BadRequest("the name of the object (a based on URL) was undeterminable: name "
                            "must be provided"));
}

TEST_F(PatchTest, ReportsAMissingObjectAsNotFound) {
  EXPECT_REFUSED(MergePatch(ConfigMaps("none"), "{}"),
                 {.code = 404,
                  .reason = "NotFound",
                  .message = "configmaps \"none\" not found",
                  .details = R"({"name":"none","kind":"configmaps"})"});
}

TEST_F(PatchTest, RejectsUnknownContentTypes) {
  CreateConfigMap("a");

  for (const char* const type : {"application/json", "text/plain"}) {
    const Answer answer =
        Do("PATCH", ConfigMaps("a"), "{}", {"Content-Type: " + std::string(type)});
    EXPECT_EQ(answer.code, 415);
    EXPECT_EQ(answer.reason(), "UnsupportedMediaType");
    EXPECT_THAT(std::string(answer.message()), HasSubstr("415: Unsupported Media Type"));
  }
}

TEST_F(PatchTest, RejectsForceWithoutApply) {
  CreateConfigMap("a");
  const std::string message = "Forbidden: may not be specified for non-apply patch";

  EXPECT_REFUSED(MergePatch(ConfigMaps("a") + "?force=true", "{}"),
                 {.code = 422,
                  .reason = "Invalid",
                  .message = "PatchOptions.meta.k8s.io \"\" is invalid: force: " + message,
                  .details = R"({"group":"meta.k8s.io","kind":"PatchOptions","causes":[)" +
                             Cause("FieldValueForbidden", message, "force") + "]}"});
}

TEST_F(PatchTest, DryRunStoresNothing) {
  const std::string version = CreateConfigMap("a");

  EXPECT_EQ(Data(MergePatch(ConfigMaps("a") + "?dryRun=All", R"({"data":{"x":"1"}})")),
            R"({"x":"1"})");
  EXPECT_EQ(Get(ConfigMaps("a")).meta("resourceVersion"), version);
}

TEST_F(PatchTest, IncrementsTheGenerationForSpecChangesOnly) {
  CreateWebhooks();
  const auto generation = [](const Answer& answer) {
    return answer.json["metadata"]["generation"].GetInt();
  };

  EXPECT_EQ(generation(Get(Webhooks())), 1);
  EXPECT_EQ(generation(MergePatch(Webhooks(), R"({"metadata":{"labels":{"a":"b"}}})")), 1);
  EXPECT_EQ(generation(StrategicPatch(Webhooks(),
                                      R"({"webhooks":[{"name":"b.x.io","timeoutSeconds":7}]})")),
            2);
  EXPECT_EQ(generation(MergePatch(Webhooks(), R"({"metadata":{"generation":9}})")), 2);
}

TEST_F(PatchTest, StrategicPatchEmptiesAMapByDirective) {
  CreateConfigMap("m", R"("labels":{"l":"1"})", R"({"x":"1","y":"1"})");

  const Answer patched = StrategicPatch(ConfigMaps("m"), R"({"data":{"$patch":"delete","z":"1"}})");

  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(runtime::Find(patched.json, "data"), nullptr) << patched.body;
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
