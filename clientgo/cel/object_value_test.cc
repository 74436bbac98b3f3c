// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/object_value.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/cel/testing/show.h"
#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::cel {
namespace {

// Evaluates an expression about `self`, which has a schema and is some JSON.
std::string Evaluated(const std::string& schema_json, const std::string& json,
                      const std::string& expression) {
  const runtime::JsonDocument schema_document = runtime::MustParse(schema_json);
  const runtime::JsonDocument document = runtime::MustParse(json);
  const SchemaPtr schema = ReadSchema(schema_document);
  const auto type = TypeOfSchema(schema, "selfType", false);
  return Show(expression, {{"self", type->type}}, {{"self", ValueOf(document, *schema)}});
}

std::string ObjectSchema(const std::string& properties) {
  return R"({"type":"object","properties":{)" + properties + "}}";
}

TEST(ObjectValueTest, ReadsFieldsByTheirTypes) {
  const std::string schema = ObjectSchema(
      R"("i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"},
         "t":{"type":"string","format":"date-time"},"d":{"type":"string","format":"duration"},
         "y":{"type":"string","format":"byte"},"e":{"type":"string","format":"date"})");
  const std::string json = R"({"i":5,"n":2,"s":"x","b":true,"t":"2026-01-02T03:04:05Z","d":"1h",
                               "y":"aGk=","e":"2026-01-02"})";
  EXPECT_EQ(Evaluated(schema, json, "self.i"), "5");
  EXPECT_EQ(Evaluated(schema, json, "self.n"), "double(2)");
  EXPECT_EQ(Evaluated(schema, json, "self.s"), "\"x\"");
  EXPECT_EQ(Evaluated(schema, json, "self.b"), "true");
  EXPECT_EQ(Evaluated(schema, json, "self.t"), "timestamp(2026-01-02T03:04:05Z)");
  EXPECT_EQ(Evaluated(schema, json, "self.d"), "duration(3600s)");
  EXPECT_EQ(Evaluated(schema, json, "self.y"), "b\"6869\"");
  EXPECT_EQ(Evaluated(schema, json, "self.e.getDate()"), "2");
}

TEST(ObjectValueTest, MissingAndNullFieldsAreAbsent) {
  const std::string schema =
      ObjectSchema(R"("a":{"type":"string"},"n":{"type":"string","nullable":true})");
  EXPECT_EQ(Evaluated(schema, "{}", "has(self.a)"), "false");
  EXPECT_EQ(Evaluated(schema, "{}", "self.a"), "error: no such key: a");
  EXPECT_EQ(Evaluated(schema, R"({"n":null})", "has(self.n)"), "false");
  EXPECT_EQ(Evaluated(schema, "{}", "self.?a.orValue('x')"), "\"x\"");
}

TEST(ObjectValueTest, CannotLookForNullAmongObjects) {
  const std::string schema = ObjectSchema(
      R"("l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}})");
  const std::string json = R"({"l":[{"a":"x"}]})";
  EXPECT_EQ(Evaluated(schema, json, "dyn(null) in self.l"), "error: no such overload");
  EXPECT_EQ(Evaluated(schema, json, "self.l.exists(x, x == dyn(null))"), "false");
}

TEST(ObjectValueTest, EmptyListPlusSetIsSet) {
  const std::string schema = ObjectSchema(
      R"("l":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})");
  EXPECT_EQ(Evaluated(schema, R"({"l":["x"]})", "[] + self.l + self.l"), "[\"x\"]");
  EXPECT_EQ(Evaluated(schema, R"({"l":["x"]})", "['x'] + self.l"), "[\"x\", \"x\"]");
}

TEST(ObjectValueTest, EscapesNamesOfFields) {
  const std::string schema = ObjectSchema(
      R"("a-b":{"type":"integer"},"c.d":{"type":"integer"},"e__f":{"type":"integer"},
         "namespace":{"type":"integer"},"g/h":{"type":"integer"})");
  const std::string json = R"({"a-b":1,"c.d":2,"e__f":3,"namespace":4,"g/h":5})";
  EXPECT_EQ(Evaluated(schema, json, "self.a__dash__b"), "1");
  EXPECT_EQ(Evaluated(schema, json, "self.c__dot__d"), "2");
  EXPECT_EQ(Evaluated(schema, json, "self.e__underscores__f"), "3");
  EXPECT_EQ(Evaluated(schema, json, "self.__namespace__"), "4");
  EXPECT_EQ(Evaluated(schema, json, "self.namespace"), "4");
  EXPECT_EQ(Evaluated(schema, json, "self.g__slash__h"), "5");
}

TEST(ObjectValueTest, KeysOfMapsAreNotEscaped) {
  const std::string schema = R"({"type":"object","additionalProperties":{"type":"integer"}})";
  EXPECT_EQ(Evaluated(schema, R"({"a-b":1})", "self['a-b']"), "1");
  EXPECT_EQ(Evaluated(schema, R"({"a-b":1})", "self.all(k, k == 'a-b')"), "true");
}

TEST(ObjectValueTest, IntOrStringIsDynamic) {
  const std::string schema = ObjectSchema(R"("p":{"x-kubernetes-int-or-string":true})");
  EXPECT_EQ(Evaluated(schema, R"({"p":5})", "type(self.p) == int && self.p < 6"), "true");
  EXPECT_EQ(Evaluated(schema, R"({"p":"5%"})", "type(self.p) == string"), "true");
  EXPECT_EQ(Evaluated(schema, R"({"p":"5%"})", "self.p < 6"), "error: no such overload");
}

TEST(ObjectValueTest, SetsAndMapsIgnoreTheOrder) {
  const std::string set = ObjectSchema(
      R"("a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
         "b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})");
  const std::string sets = R"({"a":["x","y"],"b":["y","x"]})";
  EXPECT_EQ(Evaluated(set, sets, "self.a == self.b"), "true");
  EXPECT_EQ(Evaluated(set, sets, "self.a + ['z', 'x']"), "[\"x\", \"y\", \"z\"]");

  const std::string items =
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
          "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}}}})";
  // Objects at different places of a schema have different types, those of one list the same.
  const std::string maps_schema = ObjectSchema(R"("l":{"type":"array","items":)" + items + "}");
  const std::string maps = R"({"l":[[{"k":"x","v":1},{"k":"y","v":2}],
                                    [{"k":"y","v":2},{"k":"x","v":1}]]})";
  EXPECT_EQ(Evaluated(maps_schema, maps, "self.l[0] == self.l[1]"), "true");
  EXPECT_EQ(Evaluated(maps_schema, maps, "(self.l[0] + self.l[1]).size()"), "2");

  const std::string list = ObjectSchema(
      R"("a":{"type":"array","items":{"type":"string"}},
         "b":{"type":"array","items":{"type":"string"}})");
  EXPECT_EQ(Evaluated(list, sets, "self.a == self.b"), "false");
}

TEST(ObjectValueTest, HasNoOverloadForValuesOfOtherTypes) {
  const std::string schema = ObjectSchema(
      R"("a":{"type":"array","items":{"type":"integer"}},
         "m":{"type":"object","additionalProperties":{"type":"string"}},
         "o":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}}})");
  const std::string json = R"({"a":[1],"m":{"x":"y"},"o":[{"k":"v"}]})";
  for (const char* const expression : {"self.a == dyn(1)", "self.m == dyn('x')", "dyn(1) in self.o",
                                       "sets.contains(self.o, [dyn(1)])"}) {
    EXPECT_EQ(Evaluated(schema, json, expression), "error: no such overload") << expression;
  }
  for (const char* const expression :
       {"dyn(1) == self.a", "self.a + [2] == dyn(1)", "self.a in dyn([1])", "dyn('x') in self.a"}) {
    EXPECT_EQ(Evaluated(schema, json, expression), "false") << expression;
  }
}

TEST(ObjectValueTest, SetWithRepeatedElementsIsNotEqualToSetWithoutThem) {
  const std::string keyed =
      R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})";
  const std::string schema = ObjectSchema(R"("a":)" + keyed + R"(,"b":)" + keyed);
  EXPECT_EQ(Evaluated(schema, R"({"a":["x","y"],"b":["x","x"]})", "self.a == self.b"), "false");
  EXPECT_EQ(Evaluated(schema, R"({"a":["x","y"],"b":["x","x"]})", "self.a == ['y', 'x']"), "true");
}

// In Kubernetes a loop sees a nil for each of them.
TEST(ObjectValueTest, HasNullForUnknownFields) {
  const std::string schema = ObjectSchema(R"("a":{"type":"string"})");
  const std::string object = R"({"b":1,"a":"x"})";
  EXPECT_EQ(
      Evaluated(schema, object, "'%s'.format([dyn(self)]) == '' || true"),
      "error: internal error: runtime error: invalid memory address or nil pointer dereference");
  EXPECT_EQ(Evaluated(schema, object, "dyn(self).map(k, k)"), "[\"a\", null]");
  EXPECT_EQ(Evaluated(schema, object, "dyn(self)"), "{\"a\": \"x\"}");
  EXPECT_EQ(Evaluated(schema, object, "dyn(self).transformList(k, v, v)"),
            "error: no such overload");
  EXPECT_EQ(Evaluated(ObjectSchema(R"("a":{"type":"array","items":{"type":"string"}})"),
                      R"({"a":[]})", "self.a != dyn(1)"),
            "true");
}

TEST(ObjectValueTest, ChoosesAnOverloadByTheFirstElement) {
  const std::string schema = ObjectSchema(R"("l":{"type":"array","items":{"type":"integer"}})");
  EXPECT_EQ(Evaluated(schema, R"({"l":["a"]})", "self.l.min()").find("error: no such overload"),
            0U);
  EXPECT_EQ(Evaluated(schema, R"({"l":[1,"a"]})", "self.l.isSorted()"),
            "error: invalid data, expected int, got string");
}

TEST(ObjectValueTest, AnOptionalElementMayBeAnError) {
  const std::string schema =
      ObjectSchema(R"("l":{"type":"array","items":{"type":"integer"}},"s":{"type":"string"})");
  EXPECT_EQ(Evaluated(schema, R"({"l":["a"]})", "self.l[?0].hasValue()"), "true");
  EXPECT_EQ(Evaluated(schema, R"({"l":["a"]})", "self.l[?0].orValue(1)"),
            "error: invalid data, expected int, got string");
  EXPECT_EQ(Evaluated(schema, R"({"s":1})", "self.?s.hasValue()").find("error: "), 0U);
}

TEST(ObjectValueTest, NullIsAKeyWithoutValue) {
  const std::string schema = ObjectSchema(R"("a":{"type":"string","nullable":true})");
  EXPECT_EQ(Evaluated(schema, R"({"a":null})", "'%s'.format([dyn(self)])").find("error: "), 0U);
  EXPECT_EQ(Evaluated(schema, R"({"a":null})", "dyn(self)"), "{\"a\": error: no such key}");
}

TEST(ObjectValueTest, ComparesPreservedFields) {
  const std::string schema = ObjectSchema(
      R"("l":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
              "properties":{"k":{"type":"string"}}}})");
  EXPECT_EQ(
      Evaluated(schema, R"({"l":[{"k":"x","u":1},{"k":"x","u":1}]})", "self.l[0] == self.l[1]"),
      "true");
  EXPECT_EQ(
      Evaluated(schema, R"({"l":[{"k":"x","u":1},{"k":"x","u":2}]})", "self.l[0] == self.l[1]"),
      "false");
}

TEST(ObjectValueTest, EmbeddedResourcesHaveKindAndName) {
  const std::string schema = ObjectSchema(
      R"("r":{"type":"object","x-kubernetes-embedded-resource":true,
              "x-kubernetes-preserve-unknown-fields":true})");
  const std::string json =
      R"({"r":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"x":1}})";
  EXPECT_EQ(Evaluated(schema, json, "self.r.kind + self.r.metadata.name"), "\"Podn\"");
  EXPECT_NE(Evaluated(schema, json, "self.r.x").find("undefined field 'x'"), std::string::npos);
}

}  // namespace
}  // namespace capstan::cel
