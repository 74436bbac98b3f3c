// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/json_patch.h"

#include <gtest/gtest.h>

#include "capstan/runtime/parsed_json.h"
#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/patch/patch.h"

namespace capstan::webhook {
namespace {

// Returns the document that an API server makes of a patch.
std::string Apply(const std::string& original, const std::string& patch) {
  namespace apiserver = testing::apiserver;
  runtime::JsonDocument target = runtime::MustParse(original);
  const auto applied = apiserver::ApplyJsonPatch(target, runtime::MustParse(patch));
  EXPECT_TRUE(applied.has_value()) << patch;
  return runtime::ToJson(target);
}

struct Case {
  std::string original;
  std::string modified;
  std::string patch;
};

class CreateJsonPatchTest : public ::testing::TestWithParam<Case> {};

TEST_P(CreateJsonPatchTest, ReturnsThePatchThatTheServerApplies) {
  const auto patch = CreateJsonPatch(GetParam().original, GetParam().modified);

  ASSERT_TRUE(patch.has_value());
  EXPECT_EQ(*patch, GetParam().patch);
  const std::string result = Apply(GetParam().original, *patch);
  EXPECT_EQ(*CreateJsonPatch(result, GetParam().modified), "[]") << result;
}

INSTANTIATE_TEST_SUITE_P(
    All, CreateJsonPatchTest,
    ::testing::Values(
        Case{R"({"a":1})", R"({"a":1})", "[]"}, Case{R"({"b":1,"a":2})", R"({"a":2,"b":1})", "[]"},
        Case{R"({"a":1})", R"({"a":"1"})", R"([{"op":"replace","path":"/a","value":"1"}])"},
        Case{R"({"a":{"b":1,"c":2}})", R"({"a":{"c":3,"d":[]}})",
             R"([{"op":"remove","path":"/a/b"},{"op":"replace","path":"/a/c","value":3},)"
             R"({"op":"add","path":"/a/d","value":[]}])"},
        Case{R"({"m":{}})", R"({"m":{"a/b~c":"x"}})",
             R"([{"op":"add","path":"/m/a~1b~0c","value":"x"}])"},
        Case{R"({"a":null})", R"({"a":{}})", R"([{"op":"replace","path":"/a","value":{}}])"},
        Case{R"({"l":[1,2,3]})", R"({"l":[1,2,3,4]})", R"([{"op":"add","path":"/l/3","value":4}])"},
        Case{R"({"l":[1,2,3]})", R"({"l":[0,1,2,3]})", R"([{"op":"add","path":"/l/0","value":0}])"},
        Case{R"({"l":[1,2,3]})", R"({"l":[1,3]})", R"([{"op":"remove","path":"/l/1"}])"},
        Case{R"({"l":[1,2,3,4]})", R"({"l":[]})",
             R"([{"op":"remove","path":"/l/3"},{"op":"remove","path":"/l/2"},)"
             R"({"op":"remove","path":"/l/1"},{"op":"remove","path":"/l/0"}])"},
        Case{R"({"l":[1,1]})", R"({"l":[1]})", R"([{"op":"remove","path":"/l/1"}])"},
        Case{R"({"l":[{"a":1,"b":2},5]})", R"({"l":[{"a":1,"b":3},6,7]})",
             R"([{"op":"remove","path":"/l/1"},{"op":"remove","path":"/l/0"},)"
             R"({"op":"add","path":"/l/0","value":{"a":1,"b":3}},)"
             R"({"op":"add","path":"/l/1","value":6},{"op":"add","path":"/l/2","value":7}])"},
        Case{R"({"l":[{"a":1,"b":2},5]})", R"({"l":[{"a":1,"b":3},6]})",
             R"([{"op":"replace","path":"/l/0/b","value":3},)"
             R"({"op":"replace","path":"/l/1","value":6}])"},
        Case{R"({"l":[{"name":"a","v":1},{"name":"b"},{"name":"c"}]})",
             R"({"l":[{"name":"n"},{"name":"a","v":2},{"name":"c"}]})",
             R"([{"op":"remove","path":"/l/1"},{"op":"add","path":"/l/0","value":{"name":"n"}},)"
             R"({"op":"replace","path":"/l/1/v","value":2}])"},
        Case{R"({"l":[{"name":"a"},{"name":"b"}]})", R"({"l":[{"name":"b"},{"name":"a"}]})",
             R"([{"op":"replace","path":"/l","value":[{"name":"b"},{"name":"a"}]}])"}));

std::string Nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += i % 2 == 0 ? R"({"a":)" : "[";
  text += "1";
  for (std::size_t i = levels; i-- > 0;) text += i % 2 == 0 ? '}' : ']';
  return text;
}

TEST(CreateJsonPatchTest, ComparesObjectsThatAreNestedAsDeepAsTheApiServerAllows) {
  const std::string deep = Nested(9'998);
  const auto object = [&](const std::string& name, const std::string& free) {
    return R"({"name":")" + name + R"(","free":)" + free + "}";
  };

  EXPECT_EQ(CreateJsonPatch(object("a", deep), object("b", deep)).value_or("failed"),
            R"([{"op":"replace","path":"/name","value":"b"}])");
  const auto patch = CreateJsonPatch(object("a", deep), object("a", Nested(9'997)));
  ASSERT_TRUE(patch.has_value());
  EXPECT_EQ(patch->find(R"([{"op":"replace","path":"/free/a/0/a/0/)"), 0U);
}

TEST(CreateJsonPatchTest, RejectsTextsThatAreNoObjects) {
  EXPECT_FALSE(CreateJsonPatch("[]", "{}").has_value());
  EXPECT_FALSE(CreateJsonPatch("{}", "{").has_value());
}

struct Change {
  std::string original;
  std::string before;
  std::string after;
  std::string result;
};

class ApplyTypedChangeTest : public ::testing::TestWithParam<Change> {};

TEST_P(ApplyTypedChangeTest, KeepsWhatTheStructDoesNotKnow) {
  const auto original = runtime::ParsedJson::Parse(GetParam().original);
  const auto before = runtime::ParsedJson::Parse(GetParam().before);
  const auto after = runtime::ParsedJson::Parse(GetParam().after);
  ASSERT_TRUE(original && before && after);

  EXPECT_EQ(detail::ApplyTypedChange(original->root(), before->root(), after->root()),
            GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    All, ApplyTypedChangeTest,
    ::testing::Values(
        Change{R"({"x":1,"a":1})", R"({"a":1})", R"({"a":2})", R"({"x":1,"a":2})"},
        // What the struct writes although it is not in the original is no change.
        Change{R"({"x":1})", R"({"a":0,"s":{"b":1}})", R"({"a":0,"s":{"b":2}})",
               R"({"x":1,"s":{"b":2}})"},
        Change{R"({"a":"01"})", R"({"a":"1"})", R"({"a":"1"})", R"({"a":"01"})"},
        Change{R"({"a":null})", R"({})", R"({"a":[1]})", R"({"a":[1]})"},
        Change{R"({"s":{"x":1,"a":1}})", R"({"s":{"a":1}})", R"({})", R"({"s":{"x":1}})"},
        Change{R"({"s":{"a":1}})", R"({"s":{"a":1}})", R"({})", R"({})"},
        Change{R"({"s":{"x":1}})", R"({})", R"({"s":{"a":1}})", R"({"s":{"x":1,"a":1}})"},
        Change{R"({"m":{"k":"v","l":"w"}})", R"({"m":{"k":"v","l":"w"}})", R"({"m":{"l":"w"}})",
               R"({"m":{"l":"w"}})"},
        // In lists, elements are changed, inserted, removed and exchanged.
        Change{R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})",
               R"({"l":[{"name":"a"},{"name":"b"}]})",
               R"({"l":[{"name":"a","i":"v"},{"name":"b"}]})",
               R"({"l":[{"name":"a","x":1,"i":"v"},{"name":"b","x":2}]})"},
        Change{R"({"l":[{"name":"a","x":1}]})", R"({"l":[{"name":"a"}]})",
               R"({"l":[{"name":"n"},{"name":"a"}]})",
               R"({"l":[{"name":"n"},{"name":"a","x":1}]})"},
        Change{R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})",
               R"({"l":[{"name":"a"},{"name":"b"}]})", R"({"l":[{"name":"b"}]})",
               R"({"l":[{"name":"b","x":2}]})"},
        Change{R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})",
               R"({"l":[{"name":"a"},{"name":"b"}]})", R"({"l":[{"name":"b"},{"name":"a"}]})",
               R"({"l":[{"name":"b","x":2},{"name":"a","x":1}]})"},
        // A name, key, type or uid that is set or cleared does not make another element.
        Change{R"({"l":[{"port":80,"x":1}]})", R"({"l":[{"port":80}]})",
               R"({"l":[{"name":"http","port":80}]})",
               R"({"l":[{"port":80,"x":1,"name":"http"}]})"},
        Change{R"({"l":[{"name":"","port":80,"x":1}]})", R"({"l":[{"name":"","port":80}]})",
               R"({"l":[{"name":"http","port":80}]})",
               R"({"l":[{"name":"http","port":80,"x":1}]})"},
        Change{R"({"l":[{"port":80,"x":1},{"port":90,"x":2}]})",
               R"({"l":[{"port":80},{"port":90}]})",
               R"({"l":[{"type":"A","port":80},{"uid":"u","port":90}]})",
               R"({"l":[{"port":80,"x":1,"type":"A"},{"port":90,"x":2,"uid":"u"}]})"},
        Change{R"({"l":[{"name":"a","key":"k","x":1}]})", R"({"l":[{"name":"a","key":"k"}]})",
               R"({"l":[{"key":"k"}]})", R"({"l":[{"key":"k","x":1}]})"},
        // Another name is another element.
        Change{R"({"l":[{"name":"a","x":1}]})", R"({"l":[{"name":"a"}]})",
               R"({"l":[{"name":"b"}]})", R"({"l":[{"name":"b"}]})"},
        Change{R"({"l":[{"p":1,"x":1},{"p":2,"x":2}]})", R"({"l":[{"p":1},{"p":2}]})",
               R"({"l":[{"p":1},{"p":3}]})", R"({"l":[{"p":1,"x":1},{"p":3,"x":2}]})"},
        Change{R"({"l":["b","a"]})", R"({"l":["b","a"]})", R"({"l":["a"]})", R"({"l":["a"]})"}));

}  // namespace
}  // namespace capstan::webhook
