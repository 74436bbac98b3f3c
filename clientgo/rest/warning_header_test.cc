// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/warning_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WarningHeaderTest, ParsesLists) {
  EXPECT_THAT(ParseWarningHeader(R"(299 - "a")"), ElementsAre(Warning{299, "-", "a"}));
  EXPECT_THAT(
      ParseWarningHeader(R"( 299 k8s "a, b" ,112	- "c" "Wed, 21 Oct 2026 07:28:00 GMT")"),
      ElementsAre(Warning{299, "k8s", "a, b"}, Warning{112, "-", "c"}));
}

TEST(WarningHeaderTest, ResolvesEscapes) {
  EXPECT_THAT(ParseWarningHeader(R"(299 - "unknown field \"spec.x\" and \\")"),
              ElementsAre(Warning{299, "-", R"(unknown field "spec.x" and \)"}));
}

TEST(WarningHeaderTest, StopsAtFirstErrorAndKeepsWhatWasBefore) {
  for (const std::string bad :
       {"", "x", "29 - \"a\"", "2990 - \"a\"", "299", "299 -", "299 - a", "299 - \"a",
        "299 - \"a\\", "299 - \"a\" \"date", "299 - \"a\" x", "299 - \"a\";299 - \"b\""}) {
    EXPECT_THAT(ParseWarningHeader(bad), IsEmpty()) << bad;
    EXPECT_THAT(ParseWarningHeader("299 - \"ok\"," + bad), ElementsAre(Warning{299, "-", "ok"}))
        << bad;
  }
}

TEST(WarningHeaderTest, RemovesBytesThatCouldHarmATerminalOrLog) {
  EXPECT_THAT(ParseWarningHeader("299 - \"a\x1b[31m\x7f\xff\xc3(b\xc3\xa4\""),
              ElementsAre(Warning{299, "-", "a[31m(b\xc3\xa4"}));
  EXPECT_THAT(ParseWarningHeader("299 - \"\", 299 - \"b\""), ElementsAre(Warning{299, "-", "b"}));
}

TEST(WarningHeaderTest, LimitsLengthAndNumber) {
  const std::string text(5000, 'x');
  EXPECT_EQ(ParseWarningHeader("299 - \"" + text + "\"").at(0).text, text.substr(0, 2048));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "299 - \"a\",";
  EXPECT_EQ(ParseWarningHeader(many).size(), 64U);
}

}  // namespace
}  // namespace capstan::rest
