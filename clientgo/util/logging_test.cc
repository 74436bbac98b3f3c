// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/logging.h"

#include <gtest/gtest.h>

namespace clientgo::util {
namespace {

TEST(KvTest, WritesKlogsFormat) {
  EXPECT_EQ(Kv("Reconciled object", "object", "ns/n", "tries", 3, "ok", true),
            R"("Reconciled object" object="ns/n" tries=3 ok=true)");
}

TEST(KvTest, NoInputCanFakeALine) {
  EXPECT_EQ(Kv("Failed", "err", Error{.message = "a\nE1121 \"forged\"\x1b[31m\\"}),
            R"("Failed" err="a\nE1121 \"forged\"\x1b[31m\\")");
}

TEST(QuotedTest, EscapesWhatWouldEndOrColourALine) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c\n\t\x1b\x7f\xc3\xbc"), "\"a\\\"b\\\\c\\n\\t\\x1b\\x7f\xc3\xbc\"");
}

}  // namespace
}  // namespace clientgo::util
