// SPDX-License-Identifier: Apache-2.0
// Tests of POST: the created objects, and the errors of rejected requests.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using CreateTest = ContractTest;

constexpr std::string_view kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kNamePart =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

std::string InvalidValue(std::string_view value, std::string_view why) {
  return "Invalid value: \"" + std::string(value) + "\": " + std::string(why);
}

TEST_F(CreateTest, ReturnsTheStoredObject) {
  const Answer created = Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"x":"1"}},)"
                                            R"("data":{"k":"v"}})");

  EXPECT_EQ(created.code, 201);
  EXPECT_THAT(created.head, ::testing::HasSubstr("application/json"));
  EXPECT_EQ(Normal(created), Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"
                                    R"("name":"a","namespace":"NS","uid":"UID",)"
                                    R"("resourceVersion":"RV","creationTimestamp":"TIME",)"
                                    R"("labels":{"x":"1"},"managedFields":[{)"
                                    R"("manager":"contract","operation":"Update",)"
                                    R"("apiVersion":"v1","time":"TIME","fieldsType":"FieldsV1",)"
                                    R"("fieldsV1":{"f:data":{".":{},"f:k":{}},"f:metadata":{)"
                                    R"("f:labels":{".":{},"f:x":{}}}}}]},"data":{"k":"v"}})"));
  EXPECT_EQ(Sorted(Get(ConfigMaps("a")).body), Sorted(created.body));
}

TEST_F(CreateTest, IgnoresServerOwnedFields) {
  const Answer created = Post(
      ConfigMaps(), R"({"metadata":{"name":"a","uid":"mine","creationTimestamp":)"
                    R"("2020-01-01T00:00:00Z","deletionTimestamp":"2020-01-01T00:00:00Z",)"
                    R"("deletionGracePeriodSeconds":4,"resourceVersion":"0","selfLink":"/x"}})");

  EXPECT_EQ(created.code, 201);
  EXPECT_NE(created.meta("uid"), "mine");
  EXPECT_NE(created.meta("creationTimestamp"), "2020-01-01T00:00:00Z");
  EXPECT_EQ(created.meta("deletionTimestamp"), "");
  EXPECT_EQ(JsonAt(created, {"metadata", "deletionGracePeriodSeconds"}), "");
}

TEST_F(CreateTest, OmitsNullAndEmptyFields) {
  const Answer created = Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":null,)"
                                            R"("annotations":{},"finalizers":[]},)"
                                            R"("data":null,"binaryData":{}})");

  EXPECT_EQ(Normal(created),
            Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",)"
                   R"("namespace":"NS","uid":"UID","resourceVersion":"RV",)"
                   R"("creationTimestamp":"TIME"}})"));
}

TEST_F(CreateTest, RejectsAnExistingName) {
  CreateConfigMap("a");

  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a"}})"),
                 {.code = 409,
                  .reason = "AlreadyExists",
                  .message = "configmaps \"a\" already exists",
                  .details = R"({"name":"a","kind":"configmaps"})"});
}

TEST_F(CreateTest, GeneratesUniqueNames) {
  const Answer one = Post(ConfigMaps(), R"({"metadata":{"generateName":"gen-"}})");
  const Answer two = Post(ConfigMaps(), R"({"metadata":{"generateName":"gen-"}})");

  EXPECT_EQ(one.code, 201);
  EXPECT_THAT(std::string(one.meta("name")), ::testing::MatchesRegex("gen-[a-z0-9]{5}"));
  EXPECT_EQ(one.meta("generateName"), "gen-");
  EXPECT_NE(one.meta("name"), two.meta("name"));
}

TEST_F(CreateTest, RejectsAnInvalidGenerateName) {
  const Answer answer = Post(ConfigMaps(), R"({"metadata":{"generateName":"Gen_"}})");

  const std::string name(runtime::GetString(answer.json["details"], "name"));
  EXPECT_THAT(name, StartsWith("Gen_"));
  const std::string first = InvalidValue("Gen_", kSubdomain);
  const std::string second = InvalidValue(name, kSubdomain);
  EXPECT_REFUSED(answer,
                 {.code = 422,
                  .reason = "Invalid",
                  .message = "ConfigMap \"" + name + "\" is invalid: [metadata.generateName: " +
                             first + ", metadata.name: " + second + "]",
                  .details = R"({"name":")" + name + R"(","kind":"ConfigMap","causes":[)" +
                             Cause("FieldValueInvalid", first, "metadata.generateName") + "," +
                             Cause("FieldValueInvalid", second, "metadata.name") + "]}"});
}

TEST_F(CreateTest, RequiresAName) {
  for (const char* const body : {"{}", R"({"metadata":{}})"}) {
    EXPECT_REFUSED(Post(ConfigMaps(), body),
                   Invalid("ConfigMap", "", "metadata.name", "FieldValueRequired",
                           "Required value: name or generateName is required"));
  }
}

TEST_F(CreateTest, RejectsAnInvalidName) {
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"A_b"}})"),
                 Invalid("ConfigMap", "A_b", "metadata.name", "FieldValueInvalid",
                         InvalidValue("A_b", kSubdomain)));
}

TEST_F(CreateTest, RejectsANameOver253Characters) {
  const std::string name(254, 'a');

  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":")" + name + R"("}})"),
                 Invalid("ConfigMap", name, "metadata.name", "FieldValueInvalid",
                         InvalidValue(name, "must be no more than 253 characters")));
}

TEST_F(CreateTest, RejectsInvalidLabelsAndAnnotations) {
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"a b":"c"}}})"),
                 Invalid("ConfigMap", "a", "metadata.labels", "FieldValueInvalid",
                         InvalidValue("a b", kNamePart)));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"a":"c c"}}})"),
                 Invalid("ConfigMap", "a", "metadata.labels", "FieldValueInvalid",
                         InvalidValue("c c", kLabelValue)));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","annotations":{"a b":"c"}}})"),
                 Invalid("ConfigMap", "a", "metadata.annotations", "FieldValueInvalid",
                         InvalidValue("a b", kNamePart)));
}

TEST_F(CreateTest, AcceptsCapitalLettersInThePrefixOfAnAnnotation) {
  const Answer created =
      Post(ConfigMaps(), R"({"metadata":{"name":"a","annotations":{"Example.COM/x":"y"}}})");
  EXPECT_EQ(created.code, 201) << created.body;
}

TEST_F(CreateTest, LimitsTheSizeOfAllAnnotations) {
  const auto create = [&](std::size_t size) {
    return Post(ConfigMaps(), R"({"metadata":{"name":"a","annotations":{"k":")" +
                                  std::string(size, 'x') + "\"}}}");
  };
  EXPECT_REFUSED(create(256 * 1024),
                 Invalid("ConfigMap", "a", "metadata.annotations", "FieldValueTooLong",
                         Minor() < 34 ? "Too long: must have at most 262144 bytes"
                                      : "Too long: may not be more than 262144 "
                                        "bytes"));
  EXPECT_EQ(create(256 * 1024 - 1).code, 201);  // with the key
}

TEST_F(CreateTest, RejectsAnInvalidDataKey) {
  EXPECT_REFUSED(
      Post(ConfigMaps(), R"({"metadata":{"name":"a"},"data":{"a b":"c"}})"),
      Invalid("ConfigMap", "a", "data[a b]", "FieldValueInvalid",
              InvalidValue("a b",
                           "a valid config key must consist of alphanumeric characters, '-', '_' "
                           "or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used "
                           "for validation is '[-._a-zA-Z0-9]+')")));
}

TEST_F(CreateTest, RejectsANamespaceOtherThanThePaths) {
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"other"}})"),
                 BadRequest("the namespace of the provided object does not match the namespace "
                            "sent on the request"));
}

TEST_F(CreateTest, RejectsAMissingNamespace) {
  EXPECT_REFUSED(
      Post("/api/v1/namespaces/contract-none/configmaps", R"({"metadata":{"name":"a"}})"),
      {.code = 404,
       .reason = "NotFound",
       .message = "namespaces \"contract-none\" not found",
       .details = R"({"name":"contract-none","kind":"namespaces"})"});
}

TEST_F(CreateTest, RejectsAResourceVersion) {
  EXPECT_REFUSED(
      Post(ConfigMaps(), R"({"metadata":{"name":"a","resourceVersion":"5"}})"),
      {.code = 500, .message = "resourceVersion should not be set on objects to be created"});
}

TEST_F(CreateTest, RejectsAnotherKind) {
  EXPECT_REFUSED(
      Post(ConfigMaps(), R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})"),
      BadRequest("Secret in version \"v1\" cannot be handled as a ConfigMap: converting "
                 "(v1.Secret) to (core.ConfigMap): unknown conversion"));
  const Answer unknown = Post(ConfigMaps(), R"({"apiVersion":"v1","kind":"Nope","metadata":{}})");
  EXPECT_EQ(unknown.code, 400);
  EXPECT_EQ(unknown.reason(), "BadRequest");
  // A line number of the server's source follows; it differs between versions.
  EXPECT_THAT(
      std::string(unknown.message()),
      StartsWith("Nope in version \"v1\" cannot be handled as a ConfigMap: no kind \"Nope\" "
                 "is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:"));
}

struct Malformed {
  std::string body;
  std::string why;
};

TEST_F(CreateTest, ReportsWhereTheJsonIsInvalid) {
  const std::vector<Malformed> table = {
      {"{", "unexpected end of JSON input ({)"},
      {"hello", "invalid character 'h' looking for beginning of value (68656c6c6f)"},
      {"[]",
       "json: cannot unmarshal array into Go value of type struct { APIVersion string "
       R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d))"},
      {R"({"metadata":{"name":"tr"}} x)",
       "invalid character 'x' after top-level value ({\"metadata\":{\"name\":\"tr\"}} x)"},
      {R"({"metadata":5,})",
       "invalid character '}' looking for beginning of object key string ({\"metadata\":5,})"},
      {R"({"metadata" 5})", "invalid character '5' after object key ({\"metadata\" 5})"},
      {R"({"a":5 "b":6})",
       "invalid character '\"' after object key:value pair ({\"a\":5 \"b\":6})"},
      {R"({"a":[5 6]})", "invalid character '6' after array element ({\"a\":[5 6]})"},
  };
  for (const auto& [body, why] : table) {
    EXPECT_REFUSED(Post(ConfigMaps(), body),
                   BadRequest("the object provided is unrecognized (must be of type ConfigMap): "
                              "couldn't get version/kind; json parse error: " +
                              why));
  }
}

TEST_F(CreateTest, RejectsAnEmptyBody) {
  EXPECT_REFUSED(Post(ConfigMaps(), ""),
                 BadRequest("the object provided is unrecognized (must be of type ConfigMap): "
                            "couldn't get version/kind; json parse error: unexpected end of JSON "
                            "input (<empty>)"));
}

TEST_F(CreateTest, RejectsDeepNesting) {
  const Answer answer = Post(ConfigMaps(), std::string(100000, '['));

  EXPECT_REFUSED(answer,
                 BadRequest("the object provided is unrecognized (must be of type ConfigMap): "
                            "couldn't get version/kind; json parse error: invalid character '[' "
                            "exceeded max depth (5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b"
                            "5b5b5b5b5b ...)"));
}

TEST_F(CreateTest, ReportsFieldsOfTheWrongType) {
  const auto refuse = [](const std::string& why) {
    return BadRequest("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: " + why);
  };
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":[]})"),
                 refuse("cannot unmarshal array into Go struct field ConfigMap.metadata of type "
                        "v1.ObjectMeta"));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":5}})"),
                 refuse("cannot unmarshal number into Go struct field ObjectMeta.metadata.name of "
                        "type string"));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"a":1}}})"),
                 refuse("cannot unmarshal number into Go struct field ObjectMeta.metadata.labels "
                        "of type string"));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":[]}})"),
                 refuse("cannot unmarshal array into Go struct field ObjectMeta.metadata.labels "
                        "of type map[string]string"));
  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a"},"data":{"a":true}})"),
                 refuse("cannot unmarshal bool into Go struct field ConfigMap.data of type "
                        "string"));
}

TEST_F(CreateTest, RejectsABodyOver3Mebibytes) {
  const std::string value(3U << 20U, 'x');

  EXPECT_REFUSED(Post(ConfigMaps(), R"({"metadata":{"name":"a"},"data":{"k":")" + value + R"("}})"),
                 {.code = 413,
                  .reason = "RequestEntityTooLarge",
                  .message = "Request entity too large: limit is 3145728"});
}

TEST_F(CreateTest, WarnsOfUnknownFieldsOfRejectedObjects) {
  const auto warned = [&](std::string_view method, const std::string& target,
                          const std::string& body, int code) {
    const Answer answer = Do(method, target, body);
    EXPECT_EQ(answer.code, code) << answer.body;
    return answer.head.find(R"(299 - "unknown field \"dat\"")") != std::string::npos;
  };
  const std::string again = R"({"metadata":{"name":"a"},"dat":{}})";
  const std::string invalid = R"({"metadata":{"name":"a"},"dat":{},"data":{"a!":"x"}})";
  CreateConfigMap("a");

  EXPECT_TRUE(warned("POST", ConfigMaps(), again, 409));
  EXPECT_TRUE(warned("POST", ConfigMaps(), R"({"metadata":{"name":"A_"},"dat":{}})", 422));
  EXPECT_TRUE(warned("PUT", ConfigMaps("a"), invalid, 422));
  EXPECT_FALSE(warned("POST", ConfigMaps() + "?fieldValidation=Ignore", again, 409));
  const Answer patched = MergePatch(ConfigMaps("a"), R"({"dat":{},"data":{"a!":"x"}})");
  EXPECT_EQ(patched.code, 422);
  EXPECT_THAT(patched.head, HasSubstr(R"(299 - "unknown field \"dat\"")"));
}

TEST_F(CreateTest, RejectsAnUnknownContentType) {
  const Answer answer = Do("POST", ConfigMaps(), "x", {"Content-Type: text/plain"});

  EXPECT_EQ(answer.code, 415);
  EXPECT_EQ(answer.reason(), "UnsupportedMediaType");
  // The types that follow differ between servers.
  EXPECT_THAT(std::string(answer.message()),
              StartsWith("the body of the request was in an unknown format - accepted media types "
                         "include: application/json"));
}

TEST_F(CreateTest, AcceptsAContentTypeWithACharset) {
  EXPECT_EQ(Do("POST", ConfigMaps(), R"({"metadata":{"name":"a"}})",
               {"Content-Type: application/json; charset=utf-8"})
                .code,
            201);
}

TEST_F(CreateTest, DryRunStoresNothing) {
  const Answer dry = Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(dry.code, 201);
  EXPECT_EQ(Normal(dry), Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",)"
                                R"("namespace":"NS","uid":"UID","creationTimestamp":"TIME"}})"));
  EXPECT_THAT(dry.meta("uid"), Not(IsEmpty()));
  EXPECT_EQ(Get(ConfigMaps("a")).code, 404);
}

Refusal InvalidOption(const std::string& kind, std::string_view field, std::string_view reason,
                      std::string_view message) {
  return {.code = 422,
          .reason = "Invalid",
          .message = kind + ".meta.k8s.io \"\" is invalid: " + std::string(field) + ": " +
                     std::string(message),
          .details = R"({"group":"meta.k8s.io","kind":")" + kind + R"(","causes":[)" +
                     Cause(reason, message, field) + "]}"};
}

TEST_F(CreateTest, RejectsInvalidOptions) {
  constexpr std::string_view kBody = R"({"metadata":{"name":"a"}})";

  EXPECT_REFUSED(
      Post(ConfigMaps() + "?dryRun=Some", kBody),
      InvalidOption("CreateOptions", "dryRun", "FieldValueNotSupported",
                    "Unsupported value: " + DryRunValue("Some") + ": supported values: \"All\""));
  EXPECT_REFUSED(Post(ConfigMaps() + "?fieldManager=" + std::string(129, 'x'), kBody),
                 InvalidOption("CreateOptions", "fieldManager", "FieldValueTooLong",
                               Minor() < 34 ? "Too long: must have at most 128 bytes"
                                            : "Too long: may not be more than 128 bytes"));
  EXPECT_REFUSED(Post(ConfigMaps() + "?fieldValidation=Nope", kBody),
                 InvalidOption("CreateOptions", "fieldValidation", "FieldValueNotSupported",
                               R"(Unsupported value: "Nope": supported values: "", "Ignore", )"
                               R"("Strict", "Warn")"));
}

TEST_F(CreateTest, CutsALongGenerateName) {
  const std::string prefix(70, 'a');

  const Answer created = Post(ConfigMaps(), R"({"metadata":{"generateName":")" + prefix + R"("}})");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(created.meta("name").size(), 63U);
  EXPECT_EQ(created.meta("name").substr(0, 58), prefix.substr(0, 58));
}

TEST_F(CreateTest, RejectsNamesThatAKindDoesNotAllow) {
  const auto named = [](const std::string& name, const std::string& more = "") {
    return R"({"metadata":{"name":")" + name + "\"}" + more + "}";
  };
  const Answer dotted = Post("/api/v1/namespaces", named("a.b"));
  EXPECT_EQ(dotted.code, 422) << dotted.body;
  EXPECT_THAT(dotted.message(), HasSubstr("metadata.name: Invalid value: \"a.b\""));

  const std::string ports = R"(,"spec":{"ports":[{"port":80}]})";
  EXPECT_EQ(Post(Core("services", ""), named("a.b", ports)).code, 422);
  // Since 1.36 the name of a Service may begin with a digit.
  const Answer digit = Post(Core("services", ""), named("1a", ports));
  EXPECT_EQ(digit.code, Minor() >= 36 ? 201 : 422) << digit.body;

  const std::string cron_jobs = "/apis/batch/v1/namespaces/" + ns() + "/cronjobs";
  const std::string spec = R"(,"spec":{"schedule":"* * * * *","suspend":true,"jobTemplate":{)"
                           R"("spec":{"template":{"spec":{"restartPolicy":"Never","containers":[)"
                           R"({"name":"c","image":"i"}]}}}}})";
  EXPECT_EQ(Post(cron_jobs, named(std::string(52, 'a'), spec)).code, 201);
  const Answer too_long = Post(cron_jobs, named(std::string(53, 'a'), spec));
  EXPECT_EQ(too_long.code, 422) << too_long.body;
  EXPECT_THAT(too_long.message(), HasSubstr("must be no more than 52 characters"));
}

TEST_F(CreateTest, RejectsTwoControllers) {
  const auto owner = [](const std::string& name) {
    return R"({"apiVersion":"v1","kind":"Node","name":")" + name + R"(","uid":")" + name +
           R"(","controller":true})";
  };

  const Answer refused = Post(ConfigMaps(), R"({"metadata":{"name":"a","ownerReferences":[)" +
                                                owner("x") + "," + owner("y") + "]}}");

  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_THAT(refused.message(),
              HasSubstr("Only one reference can have Controller set to true. Found \"true\" in "
                        "references for Node/x and Node/y"));
}

TEST_F(CreateTest, RejectsOwnersThatNameNoObject) {
  const auto refusal = [&](const std::string& owner) {
    const Answer answer =
        Post(ConfigMaps(), R"({"metadata":{"name":"a","ownerReferences":[)" + owner + "]}}");
    EXPECT_EQ(answer.code, 422) << answer.body;
    return std::string(answer.message());
  };
  const bool newer = Minor() >= 37;
  const auto why = [&](const std::string& member, const std::string& text) {
    return std::string("metadata.ownerReferences") + (newer ? "[0]." : ".") + member + ": " + text;
  };
  const std::string empty =
      newer ? "Required value: must not be empty" : R"(Invalid value: "": must not be empty)";
  const auto why_empty = [&](const std::string& member) {
    if (Minor() >= 34) return why(member, empty);
    return why(member, R"(Invalid value: "": )" + member + " must not be empty");
  };
  const std::string no_version = newer ? empty : R"(Invalid value: "": version must not be empty)";
  const std::string invalid = R"(ConfigMap "a" is invalid: )";

  EXPECT_EQ(refusal("{}"), invalid + "[" + why("apiVersion", no_version) + ", " +
                               why_empty("kind") + ", " + why_empty("name") + ", " +
                               why_empty("uid") + "]");
  EXPECT_EQ(refusal(R"({"apiVersion":"apps/v1","kind":"Deployment","name":"d"})"),
            invalid + why_empty("uid"));
  for (const std::string version : {"a/", "/", "a/b/c"}) {
    EXPECT_EQ(refusal(R"({"apiVersion":")" + version + R"(","kind":"Pod","name":"p","uid":"u"})"),
              invalid + why("apiVersion", "Invalid value: \"" + version + "\": " +
                                              (newer ? "must be <group>/<version> or <version>"
                                                     : "version must not be empty")));
  }
  EXPECT_THAT(refusal(R"({"apiVersion":"v1","kind":"Event","name":"e","uid":"u"})"),
              HasSubstr("/v1, Kind=Event is disallowed from being an owner"));
}

TEST_F(CreateTest, ClearsTheNamespaceOfAClusterScopedObject) {
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  DeleteLater(roles + "/" + ns());
  const auto body = [&](const std::string& in) {
    return R"({"metadata":{"name":")" + ns() + R"(","namespace":")" + in + R"("},"rules":[]})";
  };

  const Answer created = Post(roles, body("default"));
  const Answer updated = Put(roles + "/" + ns(), body("kube-system"));

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(created.meta("namespace"), "");
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(updated.meta("namespace"), "");
}

TEST_F(CreateTest, RejectsAVersionOnlyWhenItStoresTheObject) {
  const auto body = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","resourceVersion":"5"}})";
  };

  const Answer stored = Post(ConfigMaps(), body("a"));
  EXPECT_EQ(stored.code, 500);
  EXPECT_EQ(stored.message(), "resourceVersion should not be set on objects to be created");
  EXPECT_EQ(Post(ConfigMaps() + "?dryRun=All", body("a")).code, 201);
  EXPECT_EQ(Post(ConfigMaps(), body("A_b")).code, 422);
  EXPECT_EQ(Post(ConfigMaps() + "?dryRun=All", body("A_b")).code, 422);
}

TEST_F(CreateTest, AcceptsAShortFinalizerOfSomeKinds) {
  const std::string finalizers = R"("finalizers":["machine-test"])";
  const std::string metadata = R"({"metadata":{"name":"a",)" + finalizers + "}";

  const Answer lease = Post(Leases() + "?dryRun=All", metadata + "}");
  EXPECT_EQ(lease.code, 201) << lease.body;
  const Answer webhooks = Post(Configurations(false) + "?dryRun=All", metadata + "}");
  EXPECT_EQ(webhooks.code, 201) << webhooks.body;
  const Answer definition =
      Post(std::string(kDefinitions) + "?dryRun=All",
           R"({"metadata":{"name":"as.x.example.com",)" + finalizers +
               R"(},"spec":{"group":"x.example.com","scope":"Cluster","names":{"plural":"as",)"
               R"("kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
               R"("openAPIV3Schema":{"type":"object"}}}]}})");
  EXPECT_EQ(definition.code, 201) << definition.body;
  EXPECT_EQ(
      Post(Core("services", "") + "?dryRun=All", metadata + R"(,"spec":{"ports":[{"port":80}]}})")
          .code,
      422);
}

TEST_F(CreateTest, RejectsTwoOrdersOfDeletion) {
  const Answer refused = Post(
      ConfigMaps(), R"({"metadata":{"name":"a","finalizers":["orphan","foregroundDeletion"]}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.message(),
              HasSubstr("finalizer orphan and foregroundDeletion cannot be both set"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
