// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/plugin_stderr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace clientgo::auth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PluginStderrTest, BecomesOneBoundedLine) {
  EXPECT_EQ(OneLine("\n  one\r\n\ttwo\x1b[31;1m red\x1b[0m\n"), "one two red");
  EXPECT_EQ(OneLine("\x1b["), "");
  EXPECT_EQ(OneLine(std::string(10000, 'x')).size(), 500U);
}

TEST(PluginStderrTest, StaysReadable) {
  const std::string text =
      "Unable to connect to https://sts.eu-central-1.amazonaws.com:443/: dial tcp 10.0.0.1:443: "
      "/usr/local/share/credential-plugins/config.yaml: AccessDeniedException";

  EXPECT_EQ(ReadableStderr(text, ""), text);
}

TEST(PluginStderrTest, HidesTheTokenThatStdoutHas) {
  EXPECT_EQ(ReadableStderr("got s3cret, then failed", R"({"status":{"token":"s3cret"}})"),
            "got <hidden>, then failed");
}

TEST(PluginStderrTest, HidesWhatLooksLikeAToken) {
  const std::string jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl_-";

  EXPECT_EQ(ReadableStderr("Authorization: Bearer " + jwt + " refused", ""),
            "Authorization: Bearer <hidden> refused");
  EXPECT_THAT(ReadableStderr("key=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY7", ""),
              Not(HasSubstr("EXAMPLEKEY7")));
}

}  // namespace
}  // namespace clientgo::auth
