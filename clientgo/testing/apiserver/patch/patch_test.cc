// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/patch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/types/large_stacks.h"

namespace capstan::testing::apiserver {
namespace {

struct PatchCase {
  const char* target;
  const char* patch;
  const char* result;  // null: rejected
};

class JsonPatchTest : public ::testing::TestWithParam<PatchCase> {};

TEST_P(JsonPatchTest, Patches) {
  runtime::JsonDocument target = runtime::MustParse(GetParam().target);

  const auto patched = ApplyJsonPatch(target, runtime::MustParse(GetParam().patch));

  ASSERT_EQ(patched.has_value(), GetParam().result != nullptr) << GetParam().patch;
  if (patched) {
    EXPECT_EQ(runtime::ToJson(target), GetParam().result);
  } else {
    EXPECT_EQ(patched.error().code, 422);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rfc6902, JsonPatchTest,
    ::testing::Values(
        PatchCase{R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])", R"({"a":1,"b":[1]})"},
        PatchCase{R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])",
                  R"({"a":[1,2,3]})"},
        PatchCase{R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
        PatchCase{R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":2}])", nullptr},
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])", R"({"a":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])", nullptr},
        PatchCase{R"({"a":[{"b":2.5}]})", R"([{"op":"test","path":"/a","value":[{"b":2.5}]}])",
                  R"({"a":[{"b":2.5}]})"},
        PatchCase{R"({"a":[{"b":1}]})", R"([{"op":"test","path":"","value":{"a":[{"b":1.0}]}}])",
                  nullptr},
        PatchCase{R"({"a":[null]})", R"([{"op":"test","path":"/a","value":[null]}])", nullptr},
        PatchCase{R"({"a":{"b":null}})", R"([{"op":"test","path":"/a","value":{"b":null}}])",
                  R"({"a":{"b":null}})"},
        // Differs from Go: the texts are different.
        PatchCase{R"({"a":1.5})", R"([{"op":"test","path":"/a","value":1.50}])", R"({"a":1.5})"},
        PatchCase{R"({"a":1})", "null", R"({"a":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"remove","path":"/a"}])", R"({})"},
        PatchCase{R"({"a":1})", R"([{"op":"remove","path":"/b"}])", nullptr},
        PatchCase{R"({"a/b":1,"m~n":2})", R"([{"op":"replace","path":"/a~1b","value":3},
             {"op":"remove","path":"/m~0n"}])",
                  R"({"a/b":3})"},
        PatchCase{R"({"a":1})", R"([{"op":"replace","path":"/b","value":3}])", R"({"a":1,"b":3})"},
        PatchCase{R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])",
                  R"({"a":{},"c":1})"},
        PatchCase{R"({"a":[1,2]})", R"([{"op":"copy","from":"/a/0","path":"/b"}])",
                  R"({"a":[1,2],"b":1})"},
        PatchCase{R"({"a":{"x":[1]}})", R"([{"op":"test","path":"/a","value":{"x":[1]}}])",
                  R"({"a":{"x":[1]}})"},
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])", nullptr},
        PatchCase{R"({"a":1})", R"([{"op":"nonsense","path":"/a","value":2}])", nullptr},
        PatchCase{R"({"a":1})", R"([{"op":"add","path":"a","value":2}])", nullptr}));

// What the library of kube-apiserver does, which RFC 6902 leaves open or decides otherwise.
INSTANTIATE_TEST_SUITE_P(
    KubeApiserver, JsonPatchTest,
    ::testing::Values(
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])", R"({"a":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"/a","value":null}])", nullptr},
        PatchCase{R"({"a":[]})", R"([{"op":"test","path":"/a/0","value":null}])", nullptr},
        PatchCase{R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1,2]})"},
        PatchCase{R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":3}])",
                  R"({"a":[1,2,3]})"},
        PatchCase{R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/-2","value":3}])",
                  R"({"a":[3,2]})"},
        PatchCase{R"({"a":[1]})", R"([{"op":"remove","path":"/a/-2"}])", nullptr},
        PatchCase{R"({"a":[1]})", R"([{"op":"add","path":"/a/+1","value":2}])", R"({"a":[1,2]})"},
        PatchCase{R"({})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"b":null})"},
        PatchCase{R"({})", R"([{"op":"add","path":"/a"}])", R"({"a":null})"},
        PatchCase{R"({})", R"([{"op":"add","path":"/~01","value":1}])", R"({"~1":1})"},
        PatchCase{R"({})", R"([{"op":"add","path":"x/a","value":1}])", R"({"a":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"add","path":"","value":{}}])", nullptr},
        PatchCase{R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":1}}])", R"({"b":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"replace","path":"","value":1}])", nullptr},
        PatchCase{R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
        PatchCase{R"({"a":1})", R"([{"op":"test","value":null}])", nullptr}));

class MergePatchTest : public ::testing::TestWithParam<PatchCase> {};

TEST_P(MergePatchTest, Patches) {
  runtime::JsonDocument target = runtime::MustParse(GetParam().target);

  ApplyMergePatch(target, runtime::MustParse(GetParam().patch), target.GetAllocator());

  EXPECT_EQ(runtime::ToJson(target), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Rfc7386, MergePatchTest,
    ::testing::Values(PatchCase{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
                      PatchCase{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
                      PatchCase{R"({"a":"b"})", R"({"a":null})", R"({})"},
                      PatchCase{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
                      PatchCase{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})",
                                R"({"a":{"b":"d"}})"},
                      PatchCase{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
                      PatchCase{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
                      PatchCase{R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"}));

// Lists lose the nulls of their maps, unless they replace a map.
INSTANTIATE_TEST_SUITE_P(
    KubeApiserver, MergePatchTest,
    ::testing::Values(PatchCase{R"({})", R"({"a":[{"b":null,"c":1},null]})",
                                R"({"a":[{"c":1},null]})"},
                      PatchCase{R"({"a":[1]})", R"({"a":[[{"b":null}]]})", R"({"a":[[{}]]})"},
                      PatchCase{R"({"a":{}})", R"({"a":[{"b":null}]})", R"({"a":[{"b":null}]})"}));

// 6,000 levels below 6,000 levels: each operation alone is not too deep.
TEST(JsonPatchDepthTest, RejectsOperationsThatNestTooDeep) {
  std::string value;
  std::string path = "/x";
  for (int i = 0; i < 6'000; ++i) {
    value += R"({"a":)";
    path += "/a";
  }
  value += "{}" + std::string(6'000, '}');
  const std::string first = R"({"op":"add","path":"/x","value":)" + value + "}";
  const auto expect = [&](const std::string& second, const std::string& op) {
    runtime::JsonDocument target = runtime::MustParse("{}");
    std::optional<Result<void>> result;

    const LargeStacks stacks;
    std::jthread([&] {
      result = ApplyJsonPatch(target, runtime::MustParse("[" + first + "," + second + "]"));
    }).join();

    ASSERT_TRUE(result.has_value());
    const auto& patched = *result;

    ASSERT_FALSE(patched.has_value());
    EXPECT_EQ(patched.error().code, 400);
    EXPECT_EQ(patched.error().message,
              "the JSON patch nests maps and lists deeper than 10000 levels with op \"" + op +
                  "\"; send a flatter value");
  };
  expect(R"({"op":"add","path":")" + path + R"(/b","value":)" + value + "}", "add");
  expect(R"({"op":"copy","path":")" + path + R"(/b","from":"/x"})", "copy");
}

TEST(JsonEditTest, RejectsDeepNesting) {
  std::string error;

  EXPECT_EQ(ParseJson(std::string(100000, '['), &error), nullptr);
  EXPECT_EQ(error, "invalid character '[' exceeded max depth");
  EXPECT_NE(ParseJson("{\"text\":\"" + std::string(1000, '[') + "\"}", &error), nullptr);
}

TEST(JsonEditTest, KeepsLastOfMembersWithSameName) {
  std::string error;

  EXPECT_EQ(runtime::ToJson(*ParseJson(R"({"a":1,"b":{"c":1,"c":2},"a":2})", &error)),
            R"({"b":{"c":2},"a":2})");
  EXPECT_EQ(runtime::ToJson(*ParseJson(R"({"a":1,"a":2})", &error, Repeats::kKeepAll)),
            R"({"a":1,"a":2})");
}

TEST(JsonEditTest, KeepsEveryDigitOfNumbers) {
  std::string error;
  const std::string text = R"([0.30000000000000004,1.7976931348623157e+308,5e-324,1.0])";

  EXPECT_EQ(runtime::ToJson(*ParseJson(text, &error)), text);
}

TEST(JsonEditTest, ReportsInvalidTextAsGo) {
  const std::string nul(1, '\0');
  const std::pair<std::string, std::string> cases[] = {
      {"{}" + nul, R"(invalid character '\x00' after top-level value)"},
      {"{}" + nul + "x", R"(invalid character '\x00' after top-level value)"},
      {"\"\xff\"", "invalid character '\u00ff' in string literal"},
      {R"("\udc00")", R"(invalid character '\\' in string literal)"},
      {"\xef\xbb\xbf{}", "invalid character '\u00ef' looking for beginning of value"},
      {"'", R"(invalid character '\'' looking for beginning of value)"},
      {"[1,\v]", R"(invalid character '\v' looking for beginning of value)"},
      {"[1.7976931348623159e308]",
       "json: cannot unmarshal number 1.7976931348623159e308 into Go value of type float64"},
      {"[-1e400,1]", "json: cannot unmarshal number -1e400 into Go value of type float64"},
      {"[", "unexpected end of JSON input"}};
  for (const auto& [text, expected] : cases) {
    std::string error;
    EXPECT_EQ(ParseJson(text, &error), nullptr) << text;
    EXPECT_EQ(error, expected);
  }
}

TEST(JsonPatchLimitTest, RejectsCopiesThatGrowTheTarget) {
  runtime::JsonDocument target = runtime::MustParse(R"({"a":["some text"]})");
  std::string patch;
  for (int i = 0; i < 30; ++i) {
    patch +=
        (patch.empty() ? "[" : ",") + std::string(R"({"op":"copy","from":"/a","path":"/a/-"})");
  }

  const auto patched = ApplyJsonPatch(target, runtime::MustParse(patch + "]"));

  ASSERT_FALSE(patched.has_value());
  EXPECT_EQ(patched.error().code, 422);
}

}  // namespace
}  // namespace capstan::testing::apiserver
