// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace capstan::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Json(std::string_view text) {
  const auto value = Parse(text, "f");
  if (!value) return value.error().message;
  auto json = ToJson(**value);
  return json ? *json : json.error().message;
}

TEST(ParseTest, ReadsDocumentAsGo) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "null"},
      {"# nothing\n", "null"},
      {"a:\nb: ~\n", R"({"a":null,"b":null})"},
      {"mode: 0644\non: off\n", R"({"mode":420,"true":false})"},
      {"1.0: a\n0x10: b\n", R"({"1":"a","16":"b"})"},
      {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", R"({"a":"x\ny\n","b":"x y"})"},
      {"a: &x {b: 1}\nc: *x\n", R"({"a":{"b":1},"c":{"b":1}})"},
      {"a: &x k\n*x : 1\n", R"({"a":"k","k":1})"},
      {"!!set {a, b}\n", R"({"a":null,"b":null})"},
      {"a: !!binary |\n  aGVs\n  bG8=\n", R"({"a":"hello"})"},
      {"{a: 1}\n---\n{b: 2}\n", R"({"a":1})"},
      {".inf: a\n-.INF: b\n", R"({".inf":"a","-.inf":"b"})"},
      {R"(a: "x\N\_\xe9y")", "{\"a\":\"x\xc2\x85\xc2\xa0\xc3\xa9y\"}"},
  };
  for (const auto& [text, json] : cases) EXPECT_EQ(Json(text), json) << text;
}

TEST(ParseTest, LastOfTwoEqualKeysWins) {
  EXPECT_EQ(Json("a: 1\nb: 2\na: 3\n"), R"({"b":2,"a":3})");
  EXPECT_EQ(Json("{a: 1, a: }"), R"({"a":null})");
  EXPECT_EQ(Json("{1: 1, \"1\": 2}"), R"({"1":2})");

  const auto value = Parse("a: 1\nb: 2\na: 3\nb: 4\na: 5\n", "f").value();
  ASSERT_EQ(value->repeats.size(), 3U);
  EXPECT_EQ(value->repeats[0].key, "a");
  EXPECT_EQ(value->repeats[0].line, 3);
  EXPECT_EQ(value->repeats[1].key, "b");
  EXPECT_EQ(value->repeats[2].line, 5);
}

TEST(ParseTest, MergesMaps) {
  EXPECT_EQ(Json("x: &x {ca: c, a: 1}\nz:\n  <<: *x\n  a: 2\n"),
            R"({"x":{"ca":"c","a":1},"z":{"ca":"c","a":2}})");
  // As in go-yaml, a key before << does not win.
  EXPECT_EQ(Json("{a: 1, <<: {a: 2}}"), R"({"a":2})");
  EXPECT_EQ(Json("<<: [{a: 1}, {a: 2, b: 2}]\n"), R"({"b":2,"a":1})");
  EXPECT_EQ(Json("<<: {<<: {a: 1}, b: 2}\n"), R"({"a":1,"b":2})");
  EXPECT_EQ(Json("\"<<\": {a: 1}\n"), R"({"<<":{"a":1}})");
  EXPECT_TRUE(Parse("<<: {a: 1}\na: 2\n", "f").value()->repeats.empty());
}

TEST(ParseTest, IgnoresValueThatIsReplaced) {
  EXPECT_EQ(Json("a: .inf\na: 1\n"), R"({"a":1})");
  EXPECT_EQ(Json("a: {~: 1}\na: 1\n"), R"({"a":1})");
  EXPECT_EQ(Json("x: {<<: {a: .nan}, a: 1}\n"), R"({"x":{"a":1}})");
  EXPECT_THAT(Json("x: {<<: {~: 1}}\n"), HasSubstr("f:1: the key of a map must be"));
}

TEST(ParseTest, KeepsLastOfTwoEqualAnchors) {
  EXPECT_EQ(Json("- &x [&x 1, *x]\n- *x\n"), "[[1,1],1]");
  EXPECT_EQ(Json("- &x 1\n- &x 2\n- *x\n"), "[1,2,2]");
  EXPECT_THAT(Json("- &x 1\n- &x [*x]\n"), HasSubstr("f:2: an anchor's value contains itself"));
}

// go-yaml reads 512 bytes at once.
TEST(ParseTest, RejectsForbiddenCharacterSoonAfterDocument) {
  EXPECT_THAT(Json("1\n...\n" + std::string(400, ' ') + "\x01"),
              HasSubstr("f:3: invalid YAML: control characters are not allowed"));
  EXPECT_EQ(Json("1\n...\n" + std::string(600, ' ') + "\x01"), "1");
  EXPECT_EQ(Json("a: 1\n---\n" + std::string(600, 'x') + "\x80"), R"({"a":1})");
  EXPECT_THAT(Json("a: 1\nb: " + std::string(600, 'x') + "\x01\n---\n"),
              HasSubstr("f:2: invalid YAML: control characters are not allowed"));
}

TEST(ParseTest, ReadsEscapesOfJson) {
  EXPECT_THAT(Json(R"(a: "\'")"), HasSubstr("f:1: invalid YAML: found unknown escape"));
  EXPECT_EQ(Json(R"(a: "x\/y\\/")"), R"({"a":"x/y\\/"})");
}

TEST(ParseTest, RejectsTagWithCommaOrBracket) {
  for (const char* text : {"!a,b c", "!] c", "[!a,b]", "!["}) {
    EXPECT_THAT(Json(text), StartsWith("f:1: invalid YAML: ")) << text;
  }
}

TEST(ParseTest, RejectsColonAtEndOfTextInBrackets) {
  for (const char* text : {"{a:}", "[a:,b]", "[http:]"}) {
    EXPECT_THAT(Json(text), StartsWith("f:1: invalid YAML: found unexpected ':'")) << text;
  }
  EXPECT_EQ(Json("{\"a\":, b: }"), R"({"a":null,"b":null})");
}

TEST(ParseTest, ReadsVersionWithZeros) {
  for (const char* text : {"%YAML 1.001\n---\na: 1\n", "%YAML 001.1\n---\na: 1\n",
                           "%TAG !a! b # %YAML 1.001\n%YAML 01.1\n---\na: 1\n"}) {
    EXPECT_EQ(Json(text), R"({"a":1})") << text;
  }
}

// go-yaml is a port of libyaml. The two read these texts differently.
TEST(ParseTest, FollowsGoWhereLibyamlDiffers) {
  EXPECT_THAT(Json("[a?b]"), StartsWith("f:1: invalid YAML: "));
  EXPECT_THAT(Json("[!a,b]"), StartsWith("f:1: invalid YAML: "));
  EXPECT_THAT(Json("%YAML 1.2\n---\na: 1\n"), StartsWith("f:1: invalid YAML: "));
  EXPECT_EQ(Json("[? a]"), R"([{"a":null}])");
  EXPECT_EQ(Json("[!a , &x,*x ,!a &y,b]"), R"(["",null,null,"","b"])");
  EXPECT_EQ(Json("[! 5, ! \"5\", !<?> 5]"), R"(["5","5","5"])");
}

TEST(ParseTest, RejectsWhatGoRejects) {
  for (const char* text : {"<<: 1\n", "<<: [1]\n", "<<: ~\n", "<<: [[]]\n"}) {
    EXPECT_THAT(Json(text), HasSubstr("f:1: << needs a map or a list of maps")) << text;
  }
  EXPECT_THAT(Json("a: &a []\n<<: *a\n"), HasSubstr("f:2: << needs a map or a list of maps"));
  for (const char* text : {"~: a\n", "[a]: b\n", "{a: b}: c\n", "18446744073709551615: a\n"}) {
    EXPECT_THAT(Json(text), HasSubstr("f:1: the key of a map must be")) << text;
  }
  EXPECT_THAT(Json("a: 1\nb: &x [*x]\n"), HasSubstr("f:2: an anchor's value contains itself"));
  EXPECT_THAT(Json("a: 1\nb: .inf\n"), HasSubstr("f:2: JSON has no infinity"));
  EXPECT_THAT(Json("a: 1\nb: [-.INF]\n"), HasSubstr("f:2: JSON has no infinity"));
  EXPECT_THAT(Json(".nan"), HasSubstr("f:1: JSON has no infinity and no .nan"));
  EXPECT_THAT(Json("a: \x01\n"),
              HasSubstr("f:1: invalid YAML: control characters are not allowed"));
  EXPECT_THAT(Json("a: b\nc: \xff\n"), HasSubstr("f:2: invalid YAML: invalid UTF-8"));
  EXPECT_THAT(Json("a: b\nc: [\n"), StartsWith("f:"));
  EXPECT_THAT(Json("a: *s3cret\n"), Not(HasSubstr("s3cret")));
  EXPECT_THAT(Json("a: 1\nb 2\n"), HasSubstr("f:2: invalid YAML: a key without a colon"));
  EXPECT_THAT(Json("a:\n  b: |\n  text\n"), HasSubstr("f:3: invalid YAML: a key without a colon"));
  EXPECT_THAT(Json("a: \"b\n"), HasSubstr("f:2: invalid YAML: "));
  EXPECT_THAT(Json("a: 'b\nc: d\n"), HasSubstr("f:3: invalid YAML: "));
  for (const char* text : {"\"", "'", "a: \"b", "a: 'b"}) {
    EXPECT_THAT(Json(text), StartsWith("f:1: invalid YAML: ")) << text;
  }
  EXPECT_EQ(Json("a: 'b'"), R"({"a":"b"})");
  EXPECT_EQ(Json("a: |\n  'b'"), R"({"a":"'b'"})");
  EXPECT_EQ(Json("? a\n"), R"({"a":null})");
}

// Go rejects it, or drops it after a scalar, after brackets, and where the indentation ends.
TEST(ParseTest, RejectsTextAfterDocument) {
  for (const char* text : {"- a\nb: c\n", "- a\nb\n", "  a: 1\nb: 2\n", "a: 1\n}\n"}) {
    EXPECT_THAT(Json(text), StartsWith("f:2: invalid YAML: ")) << text;
  }
  EXPECT_THAT(Json("[a] b"), HasSubstr("f:1: invalid YAML: text after the end"));
  EXPECT_THAT(Json("[a]\n{}\n@"), HasSubstr("f:3: invalid YAML: text after the end"));
  EXPECT_THAT(Json("[]: a"), HasSubstr("f:1: the key of a map must be"));
  EXPECT_EQ(Json("a: \xf0\x9f\x98\x80\n---\nb: 1\n"), "{\"a\":\"\xf0\x9f\x98\x80\"}");
  EXPECT_EQ(Json("a: 1\n--- @\n"), R"({"a":1})");
  EXPECT_EQ(Json("a: 1\n... # end\n\nb: 2\n"), R"({"a":1})");
}

TEST(ParseTest, ReadsAllLineBreaks) {
  for (const char* const line_break : {"\n", "\r\n", "\r", "\xc2\x85"}) {
    std::string text;
    for (const char* const line : {"a: x", "  y", "b: |", "  1", "  2", "c: \"p", "  q\"", ""}) {
      text += std::string(text.empty() ? "" : line_break) + line;
    }
    EXPECT_EQ(Json(text), R"({"a":"x y","b":"1\n2\n","c":"p q"})") << text;
  }
}

TEST(ParseTest, ReadsUtf16AndByteOrderMarks) {
  EXPECT_EQ(Json("\xef\xbb\xbf"
                 "a: 1\n\xef\xbb\xbf"
                 "b: 2\n"),
            R"({"a":1,"b":2})");
  EXPECT_EQ(Json({"\xff\xfe"
                  "a\0:\0 \0\xe9\0\n\0",
                  12}),
            "{\"a\":\"\xc3\xa9\"}");
  EXPECT_EQ(Json({"\xfe\xff\0a\0:\0 \xd8\x3d\xde\x00", 12}), "{\"a\":\"\xf0\x9f\x98\x80\"}");
}

// Short texts that stand for large values. Each must be refused before memory is used for them.
TEST(ParseTest, LimitsWhatAliasesMultiply) {
  std::string deep = "a0: &a0 x\n";
  std::string wide = "a0: &a0 [x, x]\n";
  std::string merged = "a0: &a0 {a: 1, b: 2}\n";
  for (int i = 1; i < 600; ++i) {
    const std::string now = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    deep += "a" + now + ": &a" + now + " [*a" + before + "]\n";
    wide += "a" + now + ": &a" + now + " [*a" + before + ", *a" + before + "]\n";
  }
  std::string keys;
  for (int i = 0; i < 2000; ++i) keys += std::to_string(i) + ": ,";
  merged = "a: &a {" + keys + "}\nb:\n";
  for (int i = 0; i < 2000; ++i) merged += "- {<<: *a}\n";

  EXPECT_THAT(Json(deep), HasSubstr("more than 500 levels are not supported"));
  EXPECT_THAT(Json(wide.substr(0, wide.find("a60:"))),
              HasSubstr("more than 8 MiB of JSON are not supported"));
  EXPECT_THAT(Json(merged), HasSubstr("more than 1000000 values are not supported"));
  EXPECT_THAT(Json(std::string(100'000, '[')), StartsWith("f:1: "));
}

TEST(ParseTest, KnowsTheLines) {
  const auto value = Parse("# a\na:\n  b: 1\n", "f", 10).value();

  ASSERT_EQ(value->members.size(), 1U);
  EXPECT_EQ(value->members[0].line, 11);
  EXPECT_EQ(value->Find("a")->line, 12);
  EXPECT_EQ(value->Find("b"), nullptr);
}

}  // namespace
}  // namespace capstan::yaml
