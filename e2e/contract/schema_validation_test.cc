// SPDX-License-Identifier: Apache-2.0
// Tests of the schemas of custom resources: what kube-apiserver finds in objects, and in schemas
// that are not structural. The order of causes is random there, so the tests sort them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/eventually.h"
#include "capstan/text.h"
#include "e2e/contract/things_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class SchemaValidationTest : public ThingsTest {
 protected:
  // Returns a definition of Things. `properties` are those of the spec, `more` are other members of
  // its schema and start with a comma.
  std::string Definition(const std::string& properties, const std::string& more = "",
                         const std::string& subresources = "") const {
    return DefinitionJson(Group(), VersionJson(R"("spec":{"type":"object","properties":{)" +
                                                   properties + "}" + more + "}",
                                               subresources));
  }
  // Returns the sorted causes of a refusal as "field: message", a line each.
  static std::string Causes(const Answer& answer) {
    std::vector<std::string> lines;
    const runtime::JsonValue* const causes = runtime::FindPath(answer.json, {"details", "causes"});
    if (causes == nullptr) return answer.code == 201 || answer.code == 200 ? "" : answer.body;
    for (const runtime::JsonValue& cause : causes->GetArray()) {
      lines.push_back(std::string(runtime::GetString(cause, "field")) + ": " +
                      std::string(runtime::GetString(cause, "message")));
    }
    std::sort(lines.begin(), lines.end());
    return Join(lines, "\n", [](const std::string& line) { return line; });
  }
  std::string TooLong(int most) const {
    const std::string number = std::to_string(most);
    if (Minor() < 34) return "Too long: may not be longer than " + number;
    return "Too long: may not be more than " + number + (most == 1 ? " byte" : " bytes");
  }
  // Returns the causes of a definition whose spec has a property "p" with this schema. The path of
  // the property is "P" in them.
  std::string CausesOfProperty(const std::string& schema) {
    std::string causes = Causes(Define(Definition(R"("p":)" + schema)));
    const std::string path = "spec.validation.openAPIV3Schema.properties[spec].properties[p]";
    for (auto at = causes.find(path); at != std::string::npos; at = causes.find(path)) {
      causes.replace(at, path.size(), "P");
    }
    return causes;
  }
};

TEST_F(SchemaValidationTest, ReportsAlternativesThatDoNotMatch) {
  Serve(Definition(
      R"("any":{"type":"string","anyOf":[{"minLength":3},{"pattern":"^a"}]},)"
      R"("one":{"type":"string","oneOf":[{"maxLength":2},{"pattern":"^a"}]},)"
      R"("all":{"type":"integer","allOf":[{"minimum":2},{"maximum":5},{"multipleOf":2}]},)"
      R"("not":{"type":"string","not":{"enum":["x","y"]}},)"
      R"("port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},)"
      R"({"type":"string"}]})",
      R"(,"oneOf":[{"required":["any"]},{"required":["one"]},{"required":["all"]},)"
      R"({"required":["not"]},{"required":["port"]}])"));

  EXPECT_EQ(Causes(Create(R"({"any":"b"})")),
            "<nil>: Invalid value: \"\": \"spec.any\" must validate at least one schema (anyOf)\n"
            "spec.any: Invalid value: \"b\": spec.any in body should be at least 3 chars long");
  EXPECT_EQ(Causes(Create(R"({"one":"ab"})")),
            "<nil>: Invalid value: \"\": \"spec.one\" must validate one and only one schema "
            "(oneOf). Found 2 valid alternatives");
  EXPECT_EQ(Causes(Create(R"({"one":"bbb"})")),
            std::string("<nil>: Invalid value: \"\": \"spec.one\" must validate one and only one "
                        "schema (oneOf). Found none valid\n") +
                "spec.one: " + TooLong(2));
  EXPECT_EQ(Causes(Create(R"({"all":7})")),
            "<nil>: Invalid value: \"\": \"spec.all\" must validate all the schemas (allOf)\n"
            "spec.all: Invalid value: 7: spec.all in body should be a multiple of 2\n"
            "spec.all: Invalid value: 7: spec.all in body should be less than or equal to 5");
  EXPECT_EQ(Causes(Create(R"({"not":"x"})")),
            "<nil>: Invalid value: \"\": \"spec.not\" must not validate the schema (not)");
  EXPECT_EQ(Causes(Create("{}")),
            "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). "
            "Found none valid\n"
            "spec.any: Required value");
  EXPECT_EQ(Causes(Create(R"({"any":"abc","not":"z"})")),
            "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). "
            "Found 2 valid alternatives");
  EXPECT_EQ(Causes(Create(R"({"port":true})")),
            "<nil>: Invalid value: \"\": \"spec.port\" must validate at least one schema (anyOf)\n"
            "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,"
            "string: \"boolean\"\n"
            "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer: "
            "\"boolean\"");
  EXPECT_EQ(Causes(Create(R"({"port":"http"})")), "");
}

TEST_F(SchemaValidationTest, ChecksFormatsOfStrings) {
  struct Case {
    const char* format;
    const char* valid;
    const char* invalid;
  };
  std::vector<Case> cases = {
      {"bsonobjectid", "507f1f77bcf86cd799439011", "507f"},
      {"byte", "aGk=", "aGk"},
      {"cidr", "10.0.0.0/8", "10.0.0.0/33"},
      {"creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"},
      {"date", "2024-02-29", "2026-02-29"},
      {"date-time", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05Z"},
      {"duration", "2 weeks", "x"},
      {"email", "A <a@b.example>", "a@"},
      {"hexcolor", "#fff", "#ffff"},
      {"hostname", "a.example", "my-host"},
      {"ipv4", "01.2.3.4", "1.2.3"},
      {"ipv6", "fe80::1", "fe80::1%eth0"},
      {"isbn", "978-0321751041", "978-0321751042"},
      {"mac", "00:00:5e:00:53:01", "00:00:5e:00:53"},
      {"password", "", nullptr},
      {"rgbcolor", "rgb(1,2,3)", "rgb(256,2,3)"},
      {"ssn", "111-22-3333", "111223333"},
      {"uri", "http://a", "a"},
      {"uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"},
      {"uuid4", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
      {"unknown", "anything", nullptr},
  };
  // Kubernetes 1.34 introduced these formats, and ignores them. The next version checks them.
  if (Minor() >= 35) {
    cases.push_back({"k8s-short-name", "a-b", "a.b"});
    cases.push_back({"k8s-long-name", "a.b", "a..b"});
  } else {
    cases.push_back({"k8s-short-name", "a.b", nullptr});
    cases.push_back({"k8s-long-name", "a..b", nullptr});
  }
  std::string properties;
  std::string spec;
  std::string invalid;
  std::vector<std::string> expected;
  for (const auto& [format, valid, wrong] : cases) {
    std::string name(format);
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    const std::string comma = properties.empty() ? "" : ",";
    properties += comma + "\"" + name + R"(":{"type":"string","format":")" + format + "\"}";
    spec += comma + "\"" + name + "\":\"" + valid + "\"";
    if (wrong == nullptr) continue;
    invalid += (invalid.empty() ? "\"" : ",\"") + name + "\":\"" + wrong + "\"";
    expected.push_back("spec." + name + ": Invalid value: \"" + wrong + "\": spec." + name +
                       " in body must be of type " + format + ": \"" + wrong + "\"");
  }
  std::sort(expected.begin(), expected.end());
  const Answer defined = Define(Definition(properties));
  ASSERT_EQ(defined.code, 201) << defined.body;
  for (const char* const format : {"unknown", "k8s-short-name"}) {
    const bool warned = Minor() >= 34 && (Minor() == 34 || format == std::string("unknown"));
    const std::string warning = R"(299 - "unrecognized format \")" + std::string(format) + R"(\"")";
    EXPECT_EQ(defined.head.find(warning) != std::string::npos, warned) << defined.head;
  }
  ASSERT_TRUE(Eventually([&] { return Get(Things()).code == 200; }));

  EXPECT_EQ(Causes(Create("{" + invalid + "}")),
            Join(expected, "\n", [](const std::string& line) { return line; }));
  EXPECT_EQ(Causes(Create("{" + spec + "}")), "");
}

TEST_F(SchemaValidationTest, ReportsEveryKindOfMistake) {
  Serve(Definition(
      R"("size":{"type":"integer","minimum":0,"exclusiveMinimum":true,"maximum":10},)"
      R"("color":{"type":"string","enum":["red","green"]},"count":{"type":"integer","enum":[1,2]},)"
      R"("text":{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-zä]*$"},)"
      R"("list":{"type":"array","maxItems":1,"items":{"type":"string"}},)"
      R"("set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
      R"("map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],)"
      R"("items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}},)"
      R"("object":{"type":"object","additionalProperties":{"type":"string"},"minProperties":1,)"
      R"("maxProperties":2},"null":{"type":"string","nullable":true})"));

  EXPECT_EQ(Causes(Create(R"({"size":0,"color":"blue","count":3,"text":"äöü1","list":["a","b"],)"
                          R"("set":["a","b","a","a"],"map":[{"n":"a"},{"n":"a"}],"object":{}})")),
            "spec.color: Unsupported value: \"blue\": supported values: \"red\", \"green\"\n"
            "spec.count: Unsupported value: 3: supported values: \"1\", \"2\"\n" +
                OfVersion("spec.list: Too many: 2: must have at most 1 item\n"
                          "spec.map[1]: Duplicate value: ") +
                ObjectValue(R"({"n":"a"})") +
                "\nspec.object: Invalid value: 0: spec.object in body should have at least 1 "
                "properties\n"
                "spec.set[2]: Duplicate value: \"a\"\n"
                "spec.size: Invalid value: 0: spec.size in body should be greater than 0\n"
                "spec.text: " +
                TooLong(3));
  EXPECT_EQ(Causes(Create(R"({"size":1.5,"text":"A1","object":{"a":"1","b":2,"c":"3"}})")),
            std::string(Minor() < 37 ? ""
                                     : "<nil>: Invalid value: \"\": Checked value must be of type "
                                       "integer (default format) in spec.size\n") +
                "spec.object.b: Invalid value: \"integer\": spec.object.b in body must be of type "
                "string: \"integer\"\n"
                "spec.object: Too many: 3: must have at most 2 items\n"
                "spec.size: Invalid value: \"number\": spec.size in body must be of type integer: "
                "\"number\"\n"
                "spec.text: Invalid value: \"A1\": spec.text in body should match '^[a-zä]*$'");
  EXPECT_EQ(Causes(Create(R"({"text":"äöa","null":null,"size":2.0})")),
            "spec.text: Invalid value: \"äöa\": spec.text in body should match '^[a-zä]*$'");
  EXPECT_EQ(Causes(Create(R"({"text":"ääa","null":null})")), "");
}

TEST_F(SchemaValidationTest, KeepsInvalidValuesThatAnUpdateDoesNotChange) {
  const std::string properties =
      R"("a":{"type":"string"},"b":{"type":"integer"},"set":{"type":"array","items":)"
      R"({"type":"string"}},"map":{"type":"array","x-kubernetes-list-type":"map",)"
      R"("x-kubernetes-list-map-keys":["n"],"items":{"type":"object","required":["n"],)"
      R"("properties":{"n":{"type":"string"},"v":{"type":"string"}}}})";
  Serve(Definition(properties));
  EXPECT_EQ(Create(R"({"a":"long","set":["x","x"],"map":[{"n":"1","v":"long"},{"n":"2"}]})").code,
            201);
  std::string stricter = properties;
  const auto replace = [&](const std::string& from, const std::string& to) {
    stricter.replace(stricter.find(from), from.size(), to);
  };
  replace(R"("a":{"type":"string")", R"("a":{"type":"string","maxLength":1)");
  replace(R"("v":{"type":"string")", R"("v":{"type":"string","maxLength":1)");
  replace(R"("set":{"type":"array",)", R"("set":{"type":"array","x-kubernetes-list-type":"set",)");
  const std::string path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
  const Answer changed =
      JsonPatch(std::string(kDefinitions) + "/things." + Group(),
                R"([{"op":"replace","path":")" + path + R"(","value":{)" + stricter + "}}]");
  ASSERT_EQ(changed.code, 200) << changed.body;
  ASSERT_TRUE(Eventually([&] {
    return Post(Things() + "?dryRun=All",
                R"({"apiVersion":")" + Group() +
                    R"(/v1","kind":"Thing","metadata":{"name":"b"},"spec":{"a":"long"}})")
               .code == 422;
  }));

  EXPECT_EQ(Causes(Update(R"({"b":1})")), "");
  EXPECT_EQ(Causes(Update(R"({"map":[{"n":"3"},{"n":"1","v":"long"}]})")), "");
  EXPECT_EQ(Causes(Update(R"({"a":"other"})")), "spec.a: " + TooLong(1));
  EXPECT_EQ(Causes(Update(R"({"map":[{"n":"4","v":"long"}]})")), "spec.map[0].v: " + TooLong(1));
}

TEST_F(SchemaValidationTest, RejectsSchemasThatAreNotStructural) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"{}", "P.type: Required value: must not be empty for specified object fields"},
      {R"({"type":"array"})", "P.items: Required value: must be specified"},
      {R"({"type":"array","items":{}})",
       "P.items.type: Required value: must not be empty for specified array items"},
      {R"({"type":"text"})",
       R"(P.type: Unsupported value: "text": supported values: "array", "boolean", "integer", )"
       R"("number", "object", "string")"},
      {R"({"type":"string","anyOf":[{"type":"string","description":"x"}]})",
       "P.anyOf[0].description: Forbidden: must be empty to be structural\n"
       "P.anyOf[0].type: Forbidden: must be empty to be structural"},
      {R"({"type":"string","oneOf":[{"default":"x"},{"nullable":true}]})",
       "P.oneOf[0].default: Forbidden: must be undefined to be structural\n"
       "P.oneOf[1].nullable: Forbidden: must be false to be structural"},
      {R"({"type":"object","not":{"additionalProperties":true}})",
       "P.not.additionalProperties: Forbidden: must be undefined to be structural"},
      {R"({"type":"string","allOf":[{"x-kubernetes-validations":[{"rule":"self == 'a'"}]}]})",
       "P.allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"},
      {R"({"type":"string","allOf":[{"not":{"pattern":"("}}]})",
       "P.allOf[0].not.pattern: Invalid value: \"(\": must be a valid regular expression, but "
       "isn't: error parsing regexp: missing closing ): `(`"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},)"
       R"("additionalProperties":{"type":"string"}})",
       "P.additionalProperties: Forbidden: additionalProperties and properties are mutual "
       "exclusive"},
      {R"({"type":"array","uniqueItems":true,"items":{"type":"string"}})",
       "P.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
       "becomes quadratic"},
      {R"({"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true})",
       "P.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if "
       "x-kubernetes-int-or-string is true"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})",
       "P.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
      {R"({"x-kubernetes-embedded-resource":true})",
       "P.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true "
       "without x-kubernetes-preserve-unknown-fields\n"
       "P.type: Required value: must be object if x-kubernetes-embedded-resource is true"},
      {R"({"type":"string","x-kubernetes-list-type":"set"})",
       R"(P.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified)"},
      {R"({"type":"array","x-kubernetes-list-type":"bag","items":{"type":"string"}})",
       R"(P.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", )"
       R"("map")"},
      {R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"object",)"
       R"("properties":{"a":{"type":"string"}}}})",
       "P.items.x-kubernetes-map-type: Invalid value: " +
           std::string(Minor() < 34 ? "\"null\"" : "null") +
           ": must be atomic as item of a list with "
           "x-kubernetes-list-type=set"},
      {R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string",)"
       R"("nullable":true}})",
       "P.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"},
      {R"({"type":"array","x-kubernetes-list-map-keys":["a"],"items":{"type":"string"}})",
       "P.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is "
       "non-empty"},
      {R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","a"],)"
       R"("items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}})",
       "P.x-kubernetes-list-map-keys: Invalid value: " +
           std::string(Minor() < 34 ? R"([]string{"a", "a"})" : R"(["a","a"])") +
           ": must not contain duplicate "
           "entries"},
      {R"({"type":"string","x-kubernetes-map-type":"atomic"})",
       R"(P.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified)"},
      {R"({"type":"string","$ref":"#/x"})", "P.$ref: Forbidden: $ref is not supported"},
      {R"({"type":"string","minLength":2,"default":"x","x-kubernetes-validations":[]})",
       R"(P.default: Invalid value: "x":  in body should be at least 2 chars long)"},
      {R"({"type":"string","default":"x","x-kubernetes-validations":[{"rule":"self == 'a'",)"
       R"("message":"be a"}]})",
       std::string("P.default: Invalid value: ") + (Minor() < 37 ? "\"string\"" : "\"x\"") +
           ": be a"},
  };
  for (const auto& [schema, causes] : mistakes) {
    EXPECT_EQ(CausesOfProperty(schema), causes) << schema;
  }
}

TEST_F(SchemaValidationTest, RejectsWhatOnlyTheRootMayNotHave) {
  const std::string schema = "spec.validation.openAPIV3Schema";
  const auto causes = [&](const std::string& root) {
    std::string definition = Definition("");
    const std::string from = R"({"type":"object","properties":{"spec":)";
    const auto at = definition.find(from);
    definition.replace(at, definition.find("}}}}}]}}") + 3 - at, root);
    return Causes(Define(definition));
  };
  EXPECT_EQ(causes("{}"), schema + ".type: Required value: must not be empty at the root");
  EXPECT_EQ(causes(R"({"type":"string"})"),
            schema + R"(.type: Invalid value: "string": must be object at the root)");
  EXPECT_EQ(causes(R"({"type":"object","nullable":true})"),
            schema + ".nullable: Forbidden: nullable cannot be true at the root");
  EXPECT_EQ(causes(R"({"type":"object","additionalProperties":{"type":"string"}})"),
            schema + ".additionalProperties: Forbidden: must not be used at the root");
  EXPECT_EQ(causes(R"({"type":"object","properties":{"metadata":{"type":"object","properties":)"
                   R"({"labels":{"type":"object"}}}}})"),
            schema +
                ".properties[metadata]: Forbidden: must not specify anything other than name "
                "and generateName, but metadata is implicitly specified");
  EXPECT_EQ(causes(R"({"type":"object","properties":{"kind":{"type":"string","default":"x"},)"
                   R"("spec":{"type":"object"}},"anyOf":[{"properties":{"spec":{"minProperties":)"
                   R"(1}}},{"properties":{"other":{}}}]})"),
            schema + ".properties[kind].default: Forbidden: must not be set in top-level kind\n" +
                schema + ".properties[other]: Required value: because it is defined in " + schema +
                ".anyOf[1].properties[other]");
}

TEST_F(SchemaValidationTest, RestrictsTheRootOfSchemasWithStatus) {
  std::string definition = Definition("", "", R"("subresources":{"status":{}},)");
  const std::string end = "}}}}}]}}";
  definition.replace(definition.rfind(end), end.size(),
                     R"(}},"required":["spec"],)"
                     R"("minProperties":1}}}]}})");
  const std::string causes = Causes(Define(definition));
  const std::string start = "spec.validation.openAPIV3Schema: Invalid value: ";
  const std::string value =
      Minor() < 34 ? R"(apiextensions.JSONSchemaProps{ID:"", Schema:"", Ref:(*string)(nil), )"
                     R"(Description:"", Type:"object", Nullable:false, )"
                   : R"({"ID":"","Schema":"","Ref":null,"Description":"","Type":"object",)"
                     R"("Nullable":false,)";
  const std::string end_of_value =
      Minor() < 34 ? "XValidations:apiextensions.ValidationRules(nil)}" : R"("XValidations":null})";
  EXPECT_THAT(causes, ::testing::StartsWith(start + value));
  EXPECT_THAT(causes, ::testing::EndsWith(
                          end_of_value +
                          R"(: only [Description Type Format Title Maximum )"
                          "ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
                          "MaxItems MinItems UniqueItems MultipleOf Required Items Properties "
                          "ExternalDocs Example XPreserveUnknownFields XValidations] fields are "
                          "allowed at the root of the schema if the status subresource is "
                          "enabled"));
}

TEST_F(SchemaValidationTest, RejectsOtherMistakesOfDefinitions) {
  const auto causes = [&](const std::string& from, const std::string& to) {
    std::string definition = Definition(R"("a":{"type":"string"},"o":{"type":"object"})");
    definition.replace(definition.find(from), from.size(), to);
    return Causes(Define(definition));
  };
  const std::string kind = R"("kind":"Thing"})";
  const std::string label =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
      "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
      "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  EXPECT_EQ(causes(kind, R"("kind":"Thing","listKind":"Thing","shortNames":["T"]})"),
            "spec.names.listKind: Invalid value: \"Thing\": kind and listKind may not be the same\n"
            "spec.names.shortNames[0]: Invalid value: \"T\": " +
                label);
  EXPECT_EQ(causes(kind, R"("kind":"Thing_","categories":["a_"]})"),
            "spec.names.categories[0]: Invalid value: \"a_\": " + label +
                "\nspec.names.kind: Invalid value: \"Thing_\": may have mixed case, but should "
                "otherwise match: " +
                label + "\nspec.names.listKind: Invalid value: \"Thing_List\": may have mixed " +
                "case, but should otherwise match: " + label +
                "\nspec.names.singular: Invalid value: \"thing_\": " + label);
  const std::string served = R"("served":true,)";
  EXPECT_EQ(causes(served, served + R"("deprecationWarning":"x",)"),
            "spec.versions[0].deprecationWarning: Invalid value: \"x\": can only be set for "
            "deprecated versions");
  const auto selectable = [&](const std::string& path) {
    return causes(served, served + R"("selectableFields":[{"jsonPath":")" + path + "\"}],");
  };
  if (Minor() < 31) return;  // there are no selectable fields
  const std::string field = "spec.selectableFields[0].jsonPath: ";
  EXPECT_EQ(selectable(".spec.a"), "");
  EXPECT_EQ(Delete(std::string(kDefinitions) + "/things." + Group()).code, 200);
  ASSERT_TRUE(Eventually(
      [&] { return Get(std::string(kDefinitions) + "/things." + Group()).code == 404; }));
  EXPECT_EQ(selectable(".spec.b"), field +
                                       "Invalid value: \".spec.b\": is an invalid path: does "
                                       "not refer to a valid field");
  EXPECT_EQ(selectable("spec.a"), field +
                                      "Invalid value: \"spec.a\": is an invalid path: expected "
                                      "[ or . but got: spec");
  EXPECT_EQ(selectable(".spec.o"),
            field +
                "Invalid value: \".spec.o\": must point to a field of type string, boolean or "
                "integer. Enum string fields and strings with formats are allowed.");
}

TEST_F(SchemaValidationTest, ChecksEmbeddedResourcesAndReplicas) {
  Serve(Definition(R"("template":{"type":"object","x-kubernetes-embedded-resource":true,)"
                   R"("x-kubernetes-preserve-unknown-fields":true},"replicas":{"type":"integer"})",
                   "",
                   R"("subresources":{"scale":{"specReplicasPath":".spec.replicas",)"
                   R"("statusReplicasPath":".status.replicas"}},)"));

  const std::string required =
      Minor() < 34 ? "Required value: must not be empty" : "Required value";
  EXPECT_EQ(Causes(Create(R"({"template":{}})")),
            "spec.template.apiVersion: " + required + "\nspec.template.kind: " + required);
  EXPECT_EQ(Causes(Create(R"({"template":{"apiVersion":"a/b/c","kind":"","metadata":)"
                          R"({"name":"a/b"}}})")),
            "spec.template.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: "
            "a/b/c\n"
            "spec.template.kind: Invalid value: \"\": must not be empty\n"
            "spec.template.metadata.name: Invalid value: \"a/b\": may not contain '/'");
  EXPECT_EQ(Causes(Create(R"({"replicas":-1})")),
            ".spec.replicas: Invalid value: -1: should be a non-negative integer");
  EXPECT_EQ(Causes(Create(R"({"replicas":1,"template":{"apiVersion":"v1","kind":"Pod"}})")), "");
}

TEST_F(SchemaValidationTest, ChecksTheMetadataOfEmbeddedResources) {
  Serve(Definition(R"("template":{"type":"object","x-kubernetes-embedded-resource":true,)"
                   R"("x-kubernetes-preserve-unknown-fields":true})",
                   "", ""));
  const auto causes = [&](const std::string& metadata) {
    return Causes(
        Create(R"({"template":{"apiVersion":"v1","kind":"Pod","metadata":{)" + metadata + "}}}"));
  };
  const std::string at = "spec.template.metadata.";

  EXPECT_EQ(causes(R"("namespace":"a.b","generation":-2)"),
            at + "generation: Invalid value: -2: must be greater than or equal to 0\n" + at +
                "namespace: Invalid value: \"a.b\": must not contain dots");
  EXPECT_EQ(causes(R"("annotations":{"":"x"})").substr(0, at.size() + 11), at + "annotations");
  EXPECT_EQ(causes(R"("finalizers":["/b"])"),
            at + "finalizers: Invalid value: \"/b\": prefix part must be non-empty");
  EXPECT_EQ(causes(R"("managedFields":[{"manager":"m","fieldsType":"x","operation":"y"}])"),
            at + "managedFields[0].fieldsType: Invalid value: \"x\": must be `FieldsV1`\n" + at +
                "managedFields[0].operation: " +
                (Minor() < 37 ? "Invalid value: \"y\": must be `Apply` or `Update`"
                              : "Unsupported value: \"y\": supported values: \"Apply\", "
                                "\"Update\""));
  EXPECT_THAT(causes(R"("ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n",)"
                     R"("uid":"u"}])"),
              ::testing::EndsWith("/v1, Kind=Event is disallowed from being an owner"));
  EXPECT_EQ(causes(R"("uid":"u","generateName":"/","name":"A B","finalizers":["x"])"),
            at + "generateName: Invalid value: \"/\": may not contain '/'");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
