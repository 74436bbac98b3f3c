// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/checker.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/cel/program.h"
#include "clientgo/cel/schema.h"
#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::cel {
namespace {

// Returns the type of an expression, or the first line of its error without "ERROR: <input>:".
std::string TypeOfText(const std::string& expression) {
  static const runtime::JsonDocument json = runtime::MustParse(R"({"type":"object","properties":{
      "replicas":{"type":"integer"},"name":{"type":"string"},"ratio":{"type":"number"},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "ports":{"type":"array","items":{"type":"object","properties":{"port":{"type":"integer"}}}},
      "target":{"x-kubernetes-int-or-string":true},"namespace":{"type":"string"},
      "a-b":{"type":"string"},"when":{"type":"string","format":"date-time"},
      "raw":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})");
  const auto self = TypeOfSchema(ReadSchema(json), "selfType", false);
  const auto program = Program::Compile(expression, {{"self", self->type}});
  if (program) return TypeText(program->type());
  const std::string prefix = "compilation failed: ERROR: <input>:";
  return program.error().substr(prefix.size(), program.error().find('\n') - prefix.size());
}

struct TypeCase {
  const char* expression;
  const char* type;
};

TEST(CheckerTest, FindsTypes) {
  for (const auto& [expression, type] :
       {TypeCase{"self.replicas", "int"},
        TypeCase{"self.labels", "map(string, string)"},
        TypeCase{"self.labels.a", "string"},
        TypeCase{"self.ports[0].port", "int"},
        TypeCase{"self.target", "dyn"},
        TypeCase{"self.ports.map(p, p.port)", "list(int)"},
        TypeCase{"self.?name", "optional_type(string)"},
        TypeCase{"self.?name.orValue('x')", "string"},
        TypeCase{"self.__namespace__", "string"},
        TypeCase{"self.namespace", "string"},
        TypeCase{"self.a__dash__b", "string"},
        TypeCase{"self.when", "timestamp"},
        TypeCase{"[]", "list(dyn)"},
        TypeCase{"{}", "map(dyn, dyn)"},
        TypeCase{"[1] + []", "list(int)"},
        TypeCase{"has(self.name)", "bool"},
        TypeCase{"type(1)", "type(int)"},
        TypeCase{"quantity('1')", "kubernetes.Quantity"},
        TypeCase{"self.ratio > 1", "bool"},
        TypeCase{"self.labels.transformMap(k, v, size(v))", "map(string, int)"}}) {
    EXPECT_EQ(TypeOfText(expression), type) << expression;
  }
}

TEST(CheckerTest, ReportsMistakesWithTextsOfCelGo) {
  for (const auto& [expression, type] :
       {TypeCase{"self.x", "1:5: undefined field 'x'"},
        TypeCase{"self.raw.x", "1:9: undefined field 'x'"},
        TypeCase{"other", "1:1: undeclared reference to 'other' (in container '')"},
        TypeCase{"self.replicas + 'a'",
                 "1:15: found no matching overload for '_+_' applied to '(int, string)'"},
        TypeCase{"self.name.size(1)",
                 "1:15: found no matching overload for 'size' applied to 'string.(int)'"},
        TypeCase{"self.name.foo()", "1:14: undeclared reference to 'foo' (in container '')"},
        TypeCase{"self.replicas.x", "1:14: type 'int' does not support field selection"},
        TypeCase{"self.replicas && true", "1:5: expected type 'bool' but found 'int'"},
        TypeCase{"[1, 'a']", "1:5: expected type 'int' but found 'string'"},
        TypeCase{"{'a': 1, 2: 1}", "1:10: expected type 'string' but found 'int'"},
        TypeCase{"1.all(x, true)",
                 "1:1: expression of type 'int' cannot be range of a comprehension "
                 "(must be list, map, or dynamic)"},
        TypeCase{"duration('x')", "1:10: invalid duration argument"},
        TypeCase{"timestamp('x')", "1:11: invalid timestamp argument"},
        TypeCase{"'a'.matches('(')", "1:13: invalid matches argument"},
        TypeCase{"'%d'.format(['a'])",
                 "1:14: error during formatting: decimal clause can only be used "
                 "on integers, was given string"},
        TypeCase{"'%s'.format([1, 2])",
                 "1:12: too many arguments supplied to string.format (expected 1, got 2)"},
        TypeCase{"Foo{}", "1:4: undeclared reference to 'Foo' (in container '')"}}) {
    EXPECT_EQ(TypeOfText(expression), type) << expression;
  }
}

TEST(CheckerTest, ReportsSeveralMistakesInOrder) {
  const auto program = Program::Compile("b || a", {});
  ASSERT_FALSE(program);
  EXPECT_EQ(
      program.error(),
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'b' (in container '')\n"
      " | b || a\n | ^\n"
      "ERROR: <input>:1:6: undeclared reference to 'a' (in container '')\n | b || a\n | "
      ".....^");
}

TEST(CheckerTest, KnowsWhichVariablesAreUsed) {
  const Variables variables = {{"self", SimpleType(TypeKind::kInt)},
                               {"oldSelf", SimpleType(TypeKind::kInt)}};
  EXPECT_TRUE(Program::Compile("self == oldSelf", variables)->Uses("oldSelf"));
  EXPECT_FALSE(Program::Compile("self == 1", variables)->Uses("oldSelf"));
  EXPECT_FALSE(Program::Compile("[1].all(oldSelf, oldSelf == self)", variables)->Uses("oldSelf"));
}

}  // namespace
}  // namespace capstan::cel
