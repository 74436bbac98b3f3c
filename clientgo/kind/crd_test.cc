// SPDX-License-Identifier: Apache-2.0
#include "capstan/crd.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "clientgo/kind/testing/kinds.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::kind_test {

struct Inner {
  std::string name;
};

// Nested has structs that are required for their required fields, and structs that are not.
struct Nested {
  ObjectMeta metadata;
  struct Spec {
    Inner always;
    Inner with_default;
    std::optional<Inner> maybe;
    std::vector<Inner> list;
  } spec;
  struct Status {
    Inner always;
  } status;
};

// Optional has no required field.
struct Optional {
  ObjectMeta metadata;
  struct Spec {
    Inner with_default;
    std::optional<Inner> maybe;
  } spec;
};

constexpr auto RequiredName() { return Field("name", &Inner::name).Required(); }

}  // namespace capstan::kind_test

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::Nested> =
    capstan::Kind("example.com", "v1", "Nested", "nesteds")
        .Namespaced()
        .Spec(capstan::Field("always", &capstan::kind_test::Nested::Spec::always,
                             capstan::kind_test::RequiredName()),
              capstan::Field("withDefault", &capstan::kind_test::Nested::Spec::with_default,
                             capstan::kind_test::RequiredName().Default("a")),
              capstan::Field("maybe", &capstan::kind_test::Nested::Spec::maybe,
                             capstan::kind_test::RequiredName()),
              capstan::Field("list", &capstan::kind_test::Nested::Spec::list,
                             capstan::kind_test::RequiredName()))
        .Status(capstan::Field("always", &capstan::kind_test::Nested::Status::always,
                               capstan::kind_test::RequiredName()));

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::Optional> =
    capstan::Kind("example.com", "v1", "Optional", "optionals")
        .Namespaced()
        .Spec(capstan::Field("withDefault", &capstan::kind_test::Optional::Spec::with_default,
                             capstan::kind_test::RequiredName().Default("a")),
              capstan::Field("maybe", &capstan::kind_test::Optional::Spec::maybe,
                             capstan::kind_test::RequiredName()));

namespace capstan {
namespace {

// Appends `value` with a line for each member, so that a difference can be read.
void Print(const runtime::JsonValue& value, const std::string& indent, std::string& text) {
  const std::string deeper = indent + "  ";
  const bool object = runtime::IsJsonObject(value);
  if ((!object && !runtime::IsJsonArray(value)) ||
      (runtime::JsonMembers(value).empty() && runtime::JsonElements(value).empty())) {
    text += runtime::ToJson(value);
    return;
  }
  std::string comma;
  text += object ? "{" : "[";
  for (const auto& [name, member] : runtime::JsonMembers(value)) {
    text += std::exchange(comma, ",") + "\n" + deeper + "\"" + std::string(name) + "\": ";
    Print(member, deeper, text);
  }
  for (const runtime::JsonValue& element : runtime::JsonElements(value)) {
    text += std::exchange(comma, ",") + "\n" + deeper;
    Print(element, deeper, text);
  }
  text += "\n" + indent + (object ? "}" : "]");
}

std::string Printed(const std::string& json) {
  const auto parsed = runtime::ParsedJson::Parse(json);
  if (!parsed) return parsed.error().message;
  std::string text;
  Print(parsed->root(), "", text);
  return text + "\n";
}

TEST(CustomResourceDefinitionTest, DescribesTheSampleController) {
  EXPECT_EQ(Printed(CustomResourceDefinition<kind_test::Foo>()),
            runtime::ReadGolden("foo_crd.json"));
}

TEST(CustomResourceDefinitionTest, DescribesEveryTypeAndAttribute) {
  EXPECT_EQ(Printed(CustomResourceDefinition<kind_test::Widget>()),
            runtime::ReadGolden("widget_crd.json"));
}

// Returns the names of the required members of the schema that these properties lead to.
std::string RequiredOf(const std::string& definition, const std::vector<std::string>& path) {
  const auto parsed = runtime::ParsedJson::Parse(definition);
  if (!parsed) return parsed.error().message;
  const runtime::JsonValue& versions = *runtime::FindPath(parsed->root(), {"spec", "versions"});
  const runtime::JsonValue* schema =
      runtime::FindPath(*runtime::JsonElements(versions).begin(), {"schema", "openAPIV3Schema"});
  for (const std::string& name : path) {
    schema = runtime::FindPath(*schema, {"properties", name});
  }
  const runtime::JsonValue* const required = runtime::FindPath(*schema, {"required"});
  return required == nullptr ? "none" : runtime::ToJson(*required);
}

TEST(CustomResourceDefinitionTest, RequiresStructsWithRequiredFields) {
  const std::string nested = CustomResourceDefinition<kind_test::Nested>();
  EXPECT_EQ(RequiredOf(nested, {}), R"(["spec"])");
  EXPECT_EQ(RequiredOf(nested, {"spec"}), R"(["always"])");
  EXPECT_EQ(RequiredOf(nested, {"spec", "always"}), R"(["name"])");
  EXPECT_EQ(RequiredOf(nested, {"status"}), R"(["always"])");
}

TEST(CustomResourceDefinitionTest, RequiresNoStructWhoseFieldsHaveDefaultsOrThatIsOptional) {
  const std::string optional = CustomResourceDefinition<kind_test::Optional>();
  EXPECT_EQ(RequiredOf(optional, {}), "none");
  EXPECT_EQ(RequiredOf(optional, {"spec"}), "none");
  EXPECT_EQ(RequiredOf(optional, {"spec", "maybe"}), R"(["name"])");
}

}  // namespace
}  // namespace capstan
