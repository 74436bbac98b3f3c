// SPDX-License-Identifier: Apache-2.0
#include "capstan/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TextTest, LowersOnlyAsciiLetters) {
  EXPECT_EQ(LowerAscii("AZ az @[`{ 09"), "az az @[`{ 09");
  EXPECT_EQ(LowerAscii("\xc3\x84\xff"), "\xc3\x84\xff");
  EXPECT_EQ(LowerAscii('Q'), 'q');
}

TEST(TextTest, ComparesIgnoringCase) {
  EXPECT_TRUE(EqualIgnoringCase("Content-TYPE", "content-type"));
  EXPECT_TRUE(EqualIgnoringCase("", ""));
  EXPECT_FALSE(EqualIgnoringCase("content", "content-type"));
  EXPECT_FALSE(EqualIgnoringCase("@", "`"));  // they differ in the bit that letters differ in
}

TEST(TextTest, EncodesAllButPlainBytes) {
  EXPECT_EQ(PercentEncode("azAZ09", ""), "azAZ09");
  EXPECT_EQ(PercentEncode("a/b c~", "~"), "a%2Fb%20c~");
  EXPECT_EQ(PercentEncode(std::string_view("\0\x7f\xc3\xbf%", 5), "~"), "%00%7F%C3%BF%25");
}

TEST(TextTest, DecodesEscapesOfEitherCase) {
  EXPECT_EQ(PercentDecode("a%2fb%2Fc"), "a/b/c");
  EXPECT_EQ(PercentDecode("%25%32%35"), "%25");  // once
}

TEST(TextTest, KeepsInvalidEscapes) {
  for (const char* text : {"%", "%2", "%zz", "%2z", "a%z2b", "%%%", "100% sure", "%+1", "a+b"}) {
    EXPECT_EQ(PercentDecode(text), text);
  }
  EXPECT_EQ(PercentDecode("%%41"), "%A");
}

TEST(TextTest, DecodesEveryEncodedByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);

  EXPECT_EQ(PercentDecode(PercentEncode(all, "")), all);
}

TEST(TextTest, TrimsBothEnds) {
  EXPECT_EQ(Trim(" \t a b \n", " \t\n"), "a b");
  EXPECT_EQ(Trim("\ta ", " "), "\ta");
  EXPECT_EQ(Trim("a", " "), "a");
  EXPECT_EQ(Trim("  ", " "), "");
  EXPECT_EQ(Trim("", " "), "");
}

TEST(TextTest, SplitsAndSkipsEmptyParts) {
  EXPECT_THAT(Split("a,b c,,d", ','), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(Split(",a,", ','), ElementsAre("a"));
  EXPECT_THAT(Split("a", ','), ElementsAre("a"));
  EXPECT_THAT(Split(",,", ','), IsEmpty());
  EXPECT_THAT(Split("", ','), IsEmpty());
}

TEST(TextTest, ParsesBooleansLikeGo) {
  for (const char* text : {"1", "t", "T", "true", "True", "TRUE"}) EXPECT_EQ(ParseBool(text), true);
  for (const char* text : {"0", "f", "F", "false", "False", "FALSE"}) {
    EXPECT_EQ(ParseBool(text), false);
  }
  for (const char* text : {"", "yes", "tRUE", " true", "01"}) {
    EXPECT_EQ(ParseBool(text), std::nullopt) << text;
  }
}

TEST(TextTest, RecognizesDnsSubdomain) {
  for (const char* text : {"a", "0", "a-b", "a.b", "1.2-3.c"}) EXPECT_TRUE(IsDnsSubdomain(text));
  for (const char* text : {"", ".", "a.", ".a", "a..b", "-a", "a-", "a-.b", "a.-b", "A", "a_b"}) {
    EXPECT_FALSE(IsDnsSubdomain(text)) << text;
  }
}

TEST(TextTest, TruncatesAtACharacterOfUtf8) {
  EXPECT_EQ(TruncateUtf8("abc", 3), "abc");
  EXPECT_EQ(TruncateUtf8("abc", 2), "ab");
  EXPECT_EQ(TruncateUtf8("a\xe2\x82\xac", 3), "a");
  EXPECT_EQ(TruncateUtf8("a\xe2\x82\xac", 4), "a\xe2\x82\xac");
  EXPECT_EQ(TruncateUtf8("\xe2\x82\xac", 2), "");
}

TEST(TextTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(ToValidUtf8("a\xe2\x82\xac"), "a\xe2\x82\xac");
  EXPECT_EQ(ToValidUtf8("\xff\"a\xc3\""), "\xef\xbf\xbd\"a\xef\xbf\xbd\"");
  EXPECT_EQ(ToValidUtf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace capstan
