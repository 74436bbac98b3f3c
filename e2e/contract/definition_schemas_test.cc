// SPDX-License-Identifier: Apache-2.0
// Tests of CustomResourceDefinitions: the mistakes that authors make in names, schemas and printer
// columns.
#include <utility>
#include <vector>

#include "e2e/contract/things_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kQualifiedKind = "CustomResourceDefinition.apiextensions.k8s.io";
constexpr const char* kSchemaPath = "spec.validation.openAPIV3Schema.properties[spec]";

class DefinitionSchemasTest : public ThingsTest {
 protected:
  std::string Name() const { return "things." + Group(); }
  // Returns a version of this name whose spec has these properties.
  static std::string Version(const std::string& name, const std::string& properties,
                             const std::string& more = "", bool storage = true) {
    return R"({"name":")" + name + R"(","served":false,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{)"
           R"("type":"object","properties":{)" +
           properties + "}}}}}" + more + "}";
  }
  Answer CreateVersions(const std::string& versions, const std::string& group) const {
    DeleteWhenDone(group);
    return Post(kDefinitions, DefinitionJson(group, versions));
  }
  Answer Create(const std::string& properties, const std::string& more = "") const {
    return CreateVersions(Version("v1", properties, more), Group());
  }
  void DeleteWhenDone(const std::string& group) const {
    const_cast<DefinitionSchemasTest*>(this)->DeleteLater(std::string(kDefinitions) + "/things." +
                                                          group);
  }
  void ExpectInvalid(const Answer& answer, const std::string& field, const std::string& reason,
                     const std::string& message) const {
    EXPECT_REFUSED(answer, Invalid(kQualifiedKind, Name(), field, reason, message));
  }
  // Expects that a property "p" with this schema is rejected.
  void ExpectInvalidProperty(const std::string& schema, const std::string& field,
                             const std::string& reason, const std::string& message) const {
    ExpectInvalid(Create(R"("p":)" + schema), kSchemaPath + (".properties[p]" + field), reason,
                  message);
  }
};

TEST_F(DefinitionSchemasTest, RejectsPatternsThatDoNotCompile) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"(", "missing closing ): `(`"},
      {"a)", "unexpected ): `a)`"},
      {"x[a-z", "missing closing ]: `[a-z`"},
      {"[z-a]", "invalid character class range: `z-a`"},
      {"*a", "missing argument to repetition operator: `*`"},
      {"a|+?", "missing argument to repetition operator: `+?`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"a{2}{3}", "invalid nested repetition operator: `{2}{3}`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a{3,2}", "invalid repeat count: `{3,2}`"},
      {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      {"a(?!b)", "invalid or unsupported Perl syntax: `(?!`"},
      {"(?<!a)b", "invalid named capture: `(?<!a)b`"},
      {R"((a)\\1)", R"(invalid escape sequence: `\1`)"},
      {R"(a\\Z)", R"(invalid escape sequence: `\Z`)"},
      {R"(a\\)", "trailing backslash at end of expression: ``"},
  };
  for (const auto& [pattern, why] : mistakes) {
    ExpectInvalidProperty(R"({"type":"string","pattern":")" + pattern + "\"}", ".pattern",
                          "FieldValueInvalid",
                          "Invalid value: \"" + pattern +
                              "\": must be a valid regular expression, but isn't: error parsing "
                              "regexp: " +
                              why);
  }
}

TEST_F(DefinitionSchemasTest, AcceptsPatternsOfGo) {
  const std::vector<std::string> patterns = {
      "^[a-z]([-a-z0-9]*[a-z0-9])?$",
      "(?i)abc",
      "(?P<year>[0-9]{4})-(?<month>..)",
      "(?:a|b|)+?",
      "(?i:a)b{2,}c{2,3}?d{,2}{",
      "[]a]]",
      "[^]\\\\]-]",
      "[[:alpha:]_-]+",
      "\\\\d+\\\\.\\\\pL\\\\p{Greek}\\\\x{10FFFF}\\\\x41\\\\z",
      "\\\\Q(*\\\\E",
      "^$",
      "(|a)*",
      "a\\\\12",
      "[+-]",
      "[a-z-9]",
  };
  std::string properties;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) +
                  R"(":{"type":"string","pattern":")" + patterns[i] + "\"}";
  }
  const Answer created = Create(properties);
  EXPECT_EQ(created.code, 201) << created.body;
}

TEST_F(DefinitionSchemasTest, RejectsDefaultsThatTheirSchemaDoesNotAllow) {
  ExpectInvalidProperty(R"({"type":"integer","minimum":2,"default":1})", ".default",
                        "FieldValueInvalid",
                        "Invalid value: 1:  in body should be greater than or equal to 2");
  ExpectInvalidProperty(R"({"type":"string","enum":["a","b"],"default":"c"})", ".default",
                        "FieldValueNotSupported",
                        R"(Unsupported value: "c": supported values: "a", "b")");
  ExpectInvalidProperty(R"({"type":"string","pattern":"^a","default":"b"})", ".default",
                        "FieldValueInvalid", R"(Invalid value: "b":  in body should match '^a')");
  ExpectInvalidProperty(R"({"type":"integer","default":"x"})", ".default", "FieldValueTypeInvalid",
                        R"(Invalid value: "string":  in body must be of type integer: "string")");
  ExpectInvalidProperty(R"({"type":"array","items":{"type":"object","properties":{)"
                        R"("n":{"type":"string","minLength":2,"default":"x"}}}})",
                        ".items.properties[n].default", "FieldValueInvalid",
                        R"(Invalid value: "x":  in body should be at least 2 chars long)");
  ExpectInvalidProperty(
      R"({"type":"object","properties":{"n":{"type":"integer","maximum":1}},"default":{"n":2}})",
      ".default.n", "FieldValueInvalid",
      "Invalid value: 2: n in body should be less than or equal to 1");
  ExpectInvalidProperty(
      R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"default":{}})",
      ".default.n", "FieldValueRequired", "Required value");
  ExpectInvalidProperty(
      R"({"type":"object","properties":{"n":{"type":"integer"}},"default":{"odd":2}})", ".default",
      "FieldValueInvalid",
      "Invalid value: " + ObjectValue(R"({"odd":2})") + ": must not have unknown fields");
}

TEST_F(DefinitionSchemasTest, RejectsListMapKeysThatDoNotIdentifyElements) {
  const auto list = [](const std::string& keys, const std::string& items) {
    return R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)" +
           keys + R"(,"items":)" + items + "}";
  };
  const std::string keys_path = ".x-kubernetes-list-map-keys";
  ExpectInvalidProperty(
      list(R"(["nme"])",
           R"({"type":"object","required":["name"],"properties":{"name":{"type":"string"}}})"),
      keys_path, "FieldValueInvalid",
      "Invalid value: " + DryRunValue("nme") + ": entries must all be names of item properties");
  ExpectInvalidProperty(
      list(R"(["name"])", R"({"type":"object","properties":{"name":{"type":"string"}}})"),
      ".items.properties[name].default", "FieldValueRequired",
      "Required value: this property is in x-kubernetes-list-map-keys, so it must have a default "
      "or be a required property");
  ExpectInvalidProperty(list("[]", R"({"type":"object","properties":{"name":{"type":"string"}}})"),
                        keys_path, "FieldValueRequired",
                        "Required value: must not be empty if x-kubernetes-list-type is map");
  ExpectInvalidProperty(
      list(R"(["name"])", R"({"type":"string"})"), ".items.type", "FieldValueInvalid",
      R"(Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map)");

  const Answer created = Create(
      R"("p":)" + list(R"(["name","port"])",
                       R"({"type":"object","required":["name"],"properties":{)"
                       R"("name":{"type":"string"},"port":{"type":"integer","default":1}}})"));
  EXPECT_EQ(created.code, 201) << created.body;
}

TEST_F(DefinitionSchemasTest, RejectsPrinterColumns) {
  const auto create = [&](const std::string& column) {
    return Create("", R"(,"additionalPrinterColumns":[{"name":"A","type":"date",)"
                      R"("jsonPath":".metadata.creationTimestamp"},)" +
                          column + "]");
  };
  const std::string path = "spec.additionalPrinterColumns[1]";
  const std::string one_of = "must be one of boolean,date,integer,number,string";
  ExpectInvalid(create(R"({"name":"B","type":"int","jsonPath":".spec.size"})"), path + ".type",
                "FieldValueInvalid", R"(Invalid value: "int": )" + one_of);
  ExpectInvalid(create(R"({"name":"B","type":"","jsonPath":".spec.size"})"), path + ".type",
                "FieldValueRequired", "Required value: " + one_of);
  ExpectInvalid(create(R"({"name":"B","type":"integer","jsonPath":"spec.size"})"),
                path + ".JSONPath", "FieldValueInvalid",
                R"(Invalid value: "spec.size": must be a simple json path starting with .)");
  ExpectInvalid(create(R"({"name":"B","type":"integer","jsonPath":""})"), path + ".JSONPath",
                "FieldValueRequired", "Required value");
  ExpectInvalid(create(R"({"name":"","type":"integer","jsonPath":".spec.size"})"), path + ".name",
                "FieldValueRequired", "Required value");
}

TEST_F(DefinitionSchemasTest, NamesTheVersionWhoseSchemaIsInvalid) {
  const std::string versions =
      Version("v1", R"("p":{"type":"string"})") + "," +
      Version("v2", R"("p":{"type":"string","pattern":"("})",
              R"(,"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".p"}])",
              false);
  ExpectInvalid(CreateVersions(versions, Group()),
                "spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[p].pattern",
                "FieldValueInvalid",
                R"(Invalid value: "(": must be a valid regular expression, but isn't: error )"
                "parsing regexp: missing closing ): `(`");
}

TEST_F(DefinitionSchemasTest, RejectsGroupWithoutDot) {
  const Answer answer = CreateVersions(Version("v1", ""), ns());
  EXPECT_REFUSED(
      answer, Invalid(kQualifiedKind, "things." + ns(), "spec.group", "FieldValueInvalid",
                      "Invalid value: \"" + ns() + "\": should be a domain with at least one dot"));
}

TEST_F(DefinitionSchemasTest, RejectsNameThatIsNotPluralAndGroup) {
  EXPECT_REFUSED(
      Post(kDefinitions,
           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"thing.)" +
               Group() + R"("},"spec":{"group":")" + Group() +
               R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},)"
               R"("versions":[)" +
               Version("v1", "") + "]}}"),
      Invalid(
          kQualifiedKind, "thing." + Group(), "metadata.name", "FieldValueInvalid",
          "Invalid value: \"thing." + Group() + R"(": must be spec.names.plural+"."+spec.group)"));

  const Answer nameless =
      Post(kDefinitions, R"({"metadata":{},"spec":{"group":")" + Group() +
                             R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},)"
                             R"("versions":[)" +
                             Version("v1", "") + "]}}");
  EXPECT_EQ(nameless.message(),
            R"(CustomResourceDefinition.apiextensions.k8s.io "" is invalid: metadata.name: )"
            "Required value: name or generateName is required");
}

TEST_F(DefinitionSchemasTest, RejectsNameOfVersion) {
  const std::string what =
      "Invalid value: \"1\": a DNS-1035 label must consist of lower case alphanumeric characters "
      "or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. "
      "'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  EXPECT_REFUSED(
      CreateVersions(Version("1", ""), Group()),
      {.code = 422,
       .reason = "Invalid",
       .message = std::string(kQualifiedKind) + " \"" + Name() +
                  "\" is invalid: [spec.versions[0].name: " + what + ", spec.version: " + what +
                  "]",
       .details = R"({"name":")" + Name() +
                  R"(","group":"apiextensions.k8s.io","kind":"CustomResourceDefinition",)"
                  R"("causes":[)" +
                  Cause("FieldValueInvalid", what, "spec.versions[0].name") + "," +
                  Cause("FieldValueInvalid", what, "spec.version") + "]}"});
}

TEST_F(DefinitionSchemasTest, RejectsChangesThatMakeASchemaInvalid) {
  ASSERT_EQ(Create(R"("p":{"type":"string"})").code, 201);
  const Answer changed = JsonPatch(
      std::string(kDefinitions) + "/" + Name(),
      R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties)"
      R"(/p/pattern","value":"("}])");
  ExpectInvalid(changed, std::string(kSchemaPath) + ".properties[p].pattern", "FieldValueInvalid",
                R"(Invalid value: "(": must be a valid regular expression, but isn't: error )"
                "parsing regexp: missing closing ): `(`");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
