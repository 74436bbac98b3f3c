// SPDX-License-Identifier: Apache-2.0
#include "capstan/kind/crd.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/runtime/parsed_json.h"
#include "capstan/clientgo/runtime/testing/golden.h"
#include "capstan/kind/testing/kinds.h"

namespace capstan {
namespace {

using clientgo::runtime::JsonElements;
using clientgo::runtime::JsonMembers;
using clientgo::runtime::JsonValue;

// Appends `value` with a line for each member, so that a difference can be read.
void Print(const JsonValue& value, const std::string& indent, std::string& text) {
  const std::string deeper = indent + "  ";
  const bool object = clientgo::runtime::IsJsonObject(value);
  if ((!object && !clientgo::runtime::IsJsonArray(value)) ||
      (JsonMembers(value).empty() && JsonElements(value).empty())) {
    text += clientgo::runtime::ToJson(value);
    return;
  }
  std::string comma;
  text += object ? "{" : "[";
  for (const auto& [name, member] : JsonMembers(value)) {
    text += std::exchange(comma, ",") + "\n" + deeper + "\"" + std::string(name) + "\": ";
    Print(member, deeper, text);
  }
  for (const JsonValue& element : JsonElements(value)) {
    text += std::exchange(comma, ",") + "\n" + deeper;
    Print(element, deeper, text);
  }
  text += "\n" + indent + (object ? "}" : "]");
}

std::string Printed(const std::string& json) {
  const auto parsed = clientgo::runtime::ParsedJson::Parse(json);
  if (!parsed) return parsed.error().message;
  std::string text;
  Print(parsed->root(), "", text);
  return text + "\n";
}

TEST(CustomResourceDefinitionTest, DescribesTheSampleController) {
  EXPECT_EQ(Printed(CustomResourceDefinition<kind_test::Foo>()),
            clientgo::runtime::ReadGolden("foo_crd.json"));
}

TEST(CustomResourceDefinitionTest, DescribesEveryTypeAndAttribute) {
  EXPECT_EQ(Printed(CustomResourceDefinition<kind_test::Widget>()),
            clientgo::runtime::ReadGolden("widget_crd.json"));
}

}  // namespace
}  // namespace capstan
