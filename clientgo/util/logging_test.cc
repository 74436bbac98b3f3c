// SPDX-License-Identifier: Apache-2.0
#include "capstan/logging.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <limits>
#include <random>

namespace capstan {
namespace {

TEST(KvTest, WritesFormatOfKlog) {
  EXPECT_EQ(Kv("Reconciled object", "object", "ns/n", "tries", 3, "ok", true),
            R"("Reconciled object" object="ns/n" tries=3 ok=true)");
}

TEST(KvTest, InputCannotForgeLine) {
  EXPECT_EQ(Kv("Failed", "err", Error{.message = "a\nE1121 \"forged\"\x1b[31m\\"}),
            R"("Failed" err="a\nE1121 \"forged\"\x1b[31m\\")");
}

TEST(QuotedTest, EscapesQuotesAndControlCharacters) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c\n\t\x1b\x7f\xc3\xbc"), "\"a\\\"b\\\\c\\n\\t\\x1b\\x7f\xc3\xbc\"");
}

std::string Json(const std::string& text) {
  return ToJson({.severity = "INFO",
                 .microseconds = 1'763'719'200'000'123,
                 .file = "file.cc",
                 .line = 42,
                 .text = text});
}

const std::string kHead = R"({"ts":1763719200000.123,"severity":"INFO","caller":"file.cc:42",)";

TEST(LoggingJsonTest, WritesPairsOfKvAsMembers) {
  EXPECT_EQ(Json(Kv("Updated object", "object", "ns/n", "tries", 3, "ok", true, "seconds", 1.5,
                    "empty", "")),
            kHead + (R"("msg":"Updated object","object":"ns/n","tries":3,"ok":true,)"
                     R"("seconds":1.500000,"empty":""})"));
  EXPECT_EQ(Json(Kv("Alone")), kHead + (R"("msg":"Alone"})"));
}

TEST(LoggingJsonTest, WritesOtherTextAsMessage) {
  const std::pair<std::string, std::string> cases[] = {
      {"Check failed: a == b", R"("msg":"Check failed: a == b"})"},
      {"", R"("msg":""})"},
      {R"("open)", R"("msg":"\"open"})"},
      {R"("a" key)", R"("msg":"\"a\" key"})"},
      {R"("a" k="v)", R"("msg":"\"a\" k=\"v"})"},
      {R"("a\xzz")", R"("msg":"\"a\\xzz\""})"}};
  for (const auto& [text, members] : cases) EXPECT_EQ(Json(text), kHead + members);
}

TEST(LoggingJsonTest, EscapesControlCharacters) {
  EXPECT_EQ(Json(Kv("Failed", "err", std::string("a\n\t\"q\" \\ \x01\x1b\x7f \0 é", 17))),
            kHead + (R"("msg":"Failed","err":"a\n\u0009\"q\" \\ \u0001\u001b\u007f )"
                     "\\u0000 é\"}"));
}

TEST(LoggingJsonTest, ReplacesInvalidUtf8) {
  // A lone continuation byte, an overlong form, a surrogate, above U+10FFFF, a truncated sequence.
  for (const std::string bad :
       {"\x80", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    std::string members = R"("msg":"m","k":")";
    for (std::size_t i = 0; i < bad.size(); ++i) members.append("\xef\xbf\xbd");
    members.append("\"}");
    EXPECT_EQ(Json(Kv("m", "k", bad)), kHead + members);
  }
  EXPECT_EQ(Json(Kv("m", "k", "€ 𝄞")), kHead + ("\"msg\":\"m\",\"k\":\"€ 𝄞\"}"));
}

TEST(LoggingJsonTest, WritesValidJsonForAnyBytes) {
  std::mt19937 dice(1);  // the same bytes in every run
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(dice() % 24, '\0');
    // Half of the bytes are special in one of the two formats.
    const std::string special = "\"\\ =x\n{}\xc3\xa9\xed\xf0";
    for (char& c : bytes) {
      c = special[dice() % special.size()];
      if (dice() % 2 == 0) c = static_cast<char>(dice() % 256);
    }
    for (const std::string& text : {bytes, "\"m\" " + bytes, Kv(bytes, "k", bytes, "n", 1)}) {
      rapidjson::Document document;
      document.Parse<rapidjson::kParseValidateEncodingFlag>(Json(text).c_str());
      ASSERT_FALSE(document.HasParseError()) << Json(text);
      ASSERT_TRUE(document.HasMember("msg")) << Json(text);
    }
  }
}

TEST(LoggingJsonTest, NumbersDuplicateKeys) {
  EXPECT_EQ(Json(Kv("m", "err", "a", "err", "b", "msg", "c", "ts", 1, "caller", "d")),
            kHead + (R"("msg":"m","err":"a","err_2":"b","msg_2":"c","ts_2":1,)"
                     R"("caller_2":"d"})"));
}

TEST(LoggingJsonTest, WritesInfinityAsText) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Json(Kv("m", "a", infinity, "b", -infinity, "c", -0.25, "d", -7)),
            kHead + (R"("msg":"m","a":"inf","b":"-inf","c":-0.250000,"d":-7})"));
}

}  // namespace
}  // namespace capstan
