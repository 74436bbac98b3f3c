// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::readinessgate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(QuoteTest, QuotesLikeGo) {
  EXPECT_EQ(Quote("plain"), R"("plain")");
  EXPECT_EQ(Quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quote("\n\t\x7f\x01"), R"("\n\t\x7f\x01")");
  EXPECT_EQ(Quote("Zürich €"), R"("Zürich €")");
  EXPECT_EQ(Quote("\xc0\xaf\xff"), R"("\xc0\xaf\xff")");  // an overlong '/'
  EXPECT_EQ(Quote("\xed\xa0\x80"), R"("\xed\xa0\x80")");  // half a surrogate pair
}

TEST(ClipTest, CutsBetweenCharacters) {
  EXPECT_EQ(Clip("plain", 5), "plain");
  EXPECT_EQ(Clip("plain", 4), "plai");
  EXPECT_EQ(Clip("a€", 3), "a");
  EXPECT_EQ(Clip("a€", 4), "a€");
  EXPECT_EQ(Clip("a\xff", 9), "a\xef\xbf\xbd");
  EXPECT_EQ(Clip("\xf0\x9f\x98", 9), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(LabelTest, KeysAreQualifiedNames) {
  for (const std::string key : {"a", "app", "A_b-c.9", "example.com/a", "x/y"}) {
    EXPECT_EQ(WhyNotLabelKey(key), "") << key;
    EXPECT_EQ(WhyNotAnnotationKey(key), "") << key;
  }
  for (const std::string key : {"", "/", "a/", "/a", "a/b/c", "-a", "a-", "a=b", "a b", "é", "a\nb",
                                "*", "a..b/c", "-a/b", "a./b", "a_b/c"}) {
    EXPECT_NE(WhyNotLabelKey(key), "") << key;
    EXPECT_NE(WhyNotAnnotationKey(key), "") << key;
  }
  EXPECT_NE(WhyNotLabelKey("Example.com/a"), "");
  EXPECT_EQ(WhyNotAnnotationKey("Example.com/a"), "");
}

TEST(LabelTest, RejectsLongKeysAndValues) {
  EXPECT_EQ(WhyNotLabelKey(std::string(253, 'a') + "/" + std::string(63, 'a')), "");
  EXPECT_EQ(WhyNotLabelKey(std::string(64, 'a')), "its name is longer than 63 bytes");
  EXPECT_NE(WhyNotLabelKey(std::string(254, 'a') + "/a"), "");
  EXPECT_EQ(WhyNotLabelValue(std::string(63, 'a')), "");
  EXPECT_EQ(WhyNotLabelValue(std::string(64, 'a')), "it is longer than 63 bytes");
}

TEST(LabelTest, AcceptsEmptyValue) {
  EXPECT_EQ(WhyNotLabelValue(""), "");
  EXPECT_EQ(WhyNotLabelValue("v1.2_3-x"), "");
  for (const std::string value : {" ", "a b", "-a", "a/b", "a=b"}) {
    EXPECT_NE(WhyNotLabelValue(value), "") << value;
  }
}

TEST(BoundedJsonTest, ReportsErrorsWithoutQuotingTheText) {
  const auto error = [](std::string_view text) {
    BoundedJson document(1000);
    const auto parsed = document.Parse(text);
    return parsed ? std::string() : parsed.error().message;
  };

  EXPECT_EQ(error(" {\"a\":[1,2,{\"b\":null}]} \n"), "");
  EXPECT_EQ(error("7"), "");
  EXPECT_EQ(error(""), "it is empty");
  EXPECT_EQ(error("{} x"), "something follows the JSON at byte 2");
  EXPECT_EQ(error("{}{}"), "something follows the JSON at byte 2");
  EXPECT_EQ(error(std::string(1001, ' ')), "it is longer than 1000 bytes");
  for (const std::string text : {"password", "{\"a\":password}", "[\"password", "[\"\xff\"]",
                                 "{\"a\":1e999}", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]"}) {
    EXPECT_NE(error(text), "") << text;
    EXPECT_THAT(error(text), Not(HasSubstr("password")));
  }
}

}  // namespace
}  // namespace capstan::readinessgate
