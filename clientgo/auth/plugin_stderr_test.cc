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

TEST(PluginStderrTest, PathsStayReadable) {
  for (const std::string text :
       {"/Users/jane/Library/Python3/bin/aws-iam-authenticator: permission denied",
        "open /opt/Google/CloudSDK/lib/third_party/yaml/config: no such file",
        "/usr/lib/python3/dist-packages/x86_64-linux-gnu/v1.2.3-rc4/k8s1/auth: bad magic number",
        "GET https://example.com/openid/v1/jwks/keys/2024/11/22: 404 Not Found",
        "arn:aws:iam::123456789012:role/team/ClusterAdminRole is not authorized",
        R"(C:\Program Files\Amazon\AWSCLIV2\aws.exe: exit status 255)"}) {
    EXPECT_EQ(ReadableStderr(text, ""), text);
  }
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

TEST(PluginStderrTest, HidesABase64SecretWholeWhateverItsSlashesCut) {
  EXPECT_EQ(ReadableStderr("secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY refused", ""),
            "secret <hidden> refused");
  EXPECT_EQ(ReadableStderr("Basic dXNlcjp/aGVsbG8/d29ybGQ/TG9uZ1/hcz9QYXNz/A==", ""),
            "Basic <hidden>");
  EXPECT_EQ(ReadableStderr(R"({"key":"3q2+7/Zm9v\/YmFyUXV4/MTIzNDU2\/Nzg5MEFCQw=="})", ""),
            R"({"key":"<hidden>"})");
}

}  // namespace
}  // namespace clientgo::auth
