// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace capstan::runtime {
namespace {

using ::testing::HasSubstr;

TEST(JsonParserTest, ParsesInPlace) {
  std::string text = R"({"a":"x\ny","b":[1,true,null]})";
  JsonParser parser;

  const auto root = parser.ParseInsitu(text.data(), text.size());

  ASSERT_TRUE(root.has_value());
  const std::string_view a = GetString(**root, "a");
  EXPECT_EQ(a, "x\ny");
  EXPECT_GE(a.data(), text.data());
  EXPECT_LT(a.data(), text.data() + text.size());
}

TEST(JsonParserTest, ParsesTextThatDoesNotFitIntoThePool) {
  std::string text = "[0";
  for (int i = 1; i < 5000; ++i) text += "," + std::to_string(i);
  text += "]";
  JsonParser parser;

  const auto root = parser.ParseInsitu(text.data(), text.size());

  ASSERT_TRUE(root.has_value());
  ASSERT_EQ((*root)->Size(), 5000U);
  EXPECT_EQ((**root)[4999].GetInt(), 4999);
}

TEST(JsonParserTest, ReportsInvalidJson) {
  for (const char* bad : {"", "{", "[1,]", R"({"a":"\x"})", "{} {}", "\"\x01\""}) {
    std::string text = bad;
    JsonParser parser;
    const auto root = parser.ParseInsitu(text.data(), text.size());
    ASSERT_FALSE(root.has_value()) << bad;
    EXPECT_EQ(root.error().reason, ErrorReason::kDecode);
    EXPECT_THAT(root.error().message, HasSubstr("invalid JSON at byte"));
  }
}

TEST(JsonParserTest, RejectsNulAfterTheValue) {
  using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace): literals only
  for (const std::string_view bad : {"{}\0"sv, "1\0"sv, "{} \0{}"sv, "[1]\0,2]"sv}) {
    std::string text(bad);
    const auto root = JsonParser().ParseInsitu(text.data(), text.size());
    ASSERT_FALSE(root.has_value());
    EXPECT_THAT(root.error().message, HasSubstr("0x00 after the value"));
  }
}

TEST(JsonParserTest, RejectsTextThatIsNestedTooDeeply) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : R"({"a":)";
    text += "1";
    for (int i = depth; i-- > 0;) text += i % 2 == 0 ? "]" : "}";
    return text;
  };
  std::string deepest = nested(JsonParser::kDepthMax);
  EXPECT_TRUE(JsonParser().ParseInsitu(deepest.data(), deepest.size()).has_value());
  for (const int depth : {JsonParser::kDepthMax + 1, 1'000'000}) {
    std::string text = nested(depth);
    const auto root = JsonParser().ParseInsitu(text.data(), text.size());
    ASSERT_FALSE(root.has_value());
    EXPECT_THAT(root.error().message, HasSubstr("nested too deep"));
  }
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],{},";
  wide += "[]]";
  EXPECT_TRUE(JsonParser().ParseInsitu(wide.data(), wide.size()).has_value());
}

TEST(JsonTest, FindsMembersOfAnyValueWithoutAsserting) {
  JsonDocument document;
  document.Parse(R"({"a":{"b":{"c":"deep"}},"n":7,"l":[]})");

  EXPECT_STREQ(FindPath(document, {"a", "b", "c"})->GetString(), "deep");
  EXPECT_EQ(FindPath(document, {"a", "x", "c"}), nullptr);
  EXPECT_EQ(FindPath(document, {"n", "x"}), nullptr);
  EXPECT_EQ(FindPath(document, {"l", "x"}), nullptr);
  EXPECT_EQ(GetString(document, "n"), "");
  EXPECT_EQ(GetString(document["n"], "n"), "");
  EXPECT_EQ(ToJson(document["a"]), R"({"b":{"c":"deep"}})");
}

TEST(FindForbiddenByteTest, FindsInvalidUtf8AtEveryOffset) {
  const std::vector<std::string> good = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
                                         "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
                                         "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
  const std::vector<std::string> bad = {"\x80",
                                        "\xbf",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x9f\xbf",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff",
                                        "\xc2x",
                                        "\xe2\x82x",
                                        "\xf0\x9f\x98x"};
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const auto invalid_at = [&](const std::string& sequence) {
        const std::string text = std::string(before, 'x') + sequence + std::string(after, 'y');
        return FindForbiddenByte(text.data(), text.data() + text.size()) - text.data() -
               static_cast<std::ptrdiff_t>(before);
      };
      for (const std::string& sequence : good) {
        ASSERT_EQ(invalid_at(sequence), static_cast<std::ptrdiff_t>(sequence.size() + after));
      }
      for (const std::string& sequence : bad) ASSERT_EQ(invalid_at(sequence), 0) << sequence;
    }
  }
}

TEST(FindForbiddenByteTest, FindsLoneLowSurrogate) {
  const auto found_at = [](const std::string& text) {
    const char* const end = text.data() + text.size();
    const char* const found = FindForbiddenByte(text.data(), end);
    return found == end ? std::string::npos : static_cast<std::size_t>(found - text.data());
  };
  EXPECT_EQ(found_at(R"("\udc00")"), 1U);
  EXPECT_EQ(found_at(R"("ab\\\uDFFF")"), 5U);
  EXPECT_EQ(found_at(R"("\ud83d\ude00\udead")"), 13U);
  for (const char* fine : {"", "\\", R"("\ud83d\ude00\uD83D\uDE00")", R"("\\udc00")",
                           R"("\u00e9\ue000")", R"("\udc0)", R"("\udcxx")", R"("\ud83d)"}) {
    EXPECT_EQ(found_at(fine), std::string::npos) << fine;
  }
}

TEST(JsonParserTest, RejectsControlCharacters) {
  for (int byte = 0; byte < 0x20; ++byte) {
    for (const std::size_t before : {0U, 1U, 20U, 40U}) {
      std::string text =
          "\"" + std::string(before, 'x') + static_cast<char>(byte) + std::string(20, 'y') + "\"";
      JsonParser parser;
      EXPECT_FALSE(parser.ParseInsitu(text.data(), text.size()).has_value())
          << byte << " after " << before;
    }
  }
}

TEST(FindForbiddenByteTest, RejectsTruncatedSequence) {
  const std::string text = "\xf0\x9f\x98\x80";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(FindForbiddenByte(text.data(), text.data() + size), text.data()) << size;
  }
}

}  // namespace
}  // namespace capstan::runtime
