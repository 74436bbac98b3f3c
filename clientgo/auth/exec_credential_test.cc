// SPDX-License-Identifier: Apache-2.0
#include "capstan/auth/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/time.h"

namespace capstan::auth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";

std::string Output(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}\n";
}

std::string WhyNot(const std::string& output) {
  const auto status = ParseExecCredential(output, kV1);
  return status ? "accepted" : status.error().message;
}

TEST(ExecInfoTest, ContainsApiVersionAndInteractive) {
  EXPECT_EQ(ExecInfo({.api_version = std::string(kV1), .cluster = {.server = "https://h"}}),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
}

TEST(ExecInfoTest, ContainsClusterWhenConfigured) {
  EXPECT_EQ(ExecInfo({.api_version = "client.authentication.k8s.io/v1beta1",
                      .provide_cluster_info = true,
                      .cluster = {.server = "https://h",
                                  .tls_server_name = "api.internal",
                                  .insecure_skip_tls_verify = true,
                                  .ca_data = "CA",
                                  .proxy_url = "http://p:1",
                                  .config = R"({"audience":"a"})"}}),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
            R"("spec":{"cluster":{"server":"https://h","tls-server-name":"api.internal",)"
            R"("insecure-skip-tls-verify":true,"certificate-authority-data":"Q0E=",)"
            R"("proxy-url":"http://p:1","config":{"audience":"a"}},"interactive":false}})");
}

TEST(ExecCredentialTest, ReadsTokenAndCertificate) {
  const auto status =
      ParseExecCredential(Output(R"({"token":"t","clientCertificateData":"C","clientKeyData":"K",)"
                                 R"("expirationTimestamp":"2026-01-02T03:04:05Z"})"),
                          kV1);

  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->token, "t");
  EXPECT_EQ(status->cert_pem, "C");
  EXPECT_EQ(status->key_pem, "K");
  ASSERT_TRUE(status->expiration.has_value());
  EXPECT_EQ(FormatTime(ToTime(*status->expiration)), "2026-01-02T03:04:05Z");
}

TEST(ExecCredentialTest, IgnoresNullAndUnknownFields) {
  const auto status = ParseExecCredential(
      Output(R"({"token":"t","expirationTimestamp":null,"clientKeyData":null,"more":[1]})"), kV1);

  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->expiration, std::nullopt);
}

TEST(ExecCredentialTest, ReadsRepeatedMembersAsGo) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"token":"a","token":"b"})", "b"},
      {R"({"token":"a","token":null})", "a"},
      {R"({"token":"a"},"status":{"token":"b"})", "b"},
      {R"({"token":"a"},"status":{})", "a"},
      {R"({"token":"a"},"status":null)", "its output has no status"},
      {R"({"token":"a"},"status":null,"status":{"token":"b"})", "b"},
      {R"({"token":1,"token":"b"})", "status.token must be a string"},
      {R"("text","status":{"token":"b"})", "its output has no status"},
      {R"({"token":"a"},"kind":"Status","kind":"ExecCredential")", "a"},
      {R"({"token":"a"},"kind":1,"kind":"ExecCredential")", "kind of its output is"},
      {R"({"token":"a","expirationTimestamp":"2026-01-02T03:04:05Z","expirationTimestamp":null})",
       "a"},
      {R"({"token":"a","expirationTimestamp":"x","expirationTimestamp":null})", "not an RFC 3339"},
  };
  for (const auto& [status, want] : cases) {
    const auto parsed = ParseExecCredential(Output(status), kV1);
    EXPECT_THAT(parsed ? parsed->token : parsed.error().message, HasSubstr(want)) << status;
  }
}

TEST(ExecCredentialTest, ReadsApiVersionInUpperOrLowerCase) {
  EXPECT_TRUE(ParseExecCredential(
      R"({"APIversion":"client.authentication.k8s.io/v1","status":{"token":"t"}})", kV1));
}

TEST(ExecCredentialTest, IgnoresSpec) {
  const auto status = ParseExecCredential(
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":1,)"
      R"("status":{"token":"t"}})",
      kV1);

  ASSERT_TRUE(status.has_value()) << status.error().message;
}

TEST(ExecCredentialTest, ReadsOutputWithoutKind) {
  for (const char* kind : {"", R"("kind":"",)", R"("kind":null,)", R"("Kind":"ExecCredential",)"}) {
    const auto status = ParseExecCredential(R"({"apiVersion":"client.authentication.k8s.io/v1",)" +
                                                std::string(kind) + R"("status":{"token":"t"}})",
                                            kV1);

    ASSERT_TRUE(status.has_value()) << status.error().message;
    EXPECT_EQ(status->token, "t");
  }
}

// Plugins write these times for "never".
TEST(ExecCredentialTest, ReadsTimesFarAway) {
  const auto never = ParseExecCredential(
      Output(R"({"token":"t","expirationTimestamp":"9999-12-31T23:59:59Z"})"), kV1);
  ASSERT_TRUE(never.has_value()) << never.error().message;
  EXPECT_EQ(never->expiration, std::chrono::system_clock::time_point::max());

  for (const std::string zero :
       {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", "0001-01-01T01:00:00+01:00"}) {
    const auto credential = ParseExecCredential(
        Output(R"({"token":"t","expirationTimestamp":")" + zero + R"("})"), kV1);
    ASSERT_TRUE(credential.has_value()) << zero << ": " << credential.error().message;
    EXPECT_EQ(credential->expiration, std::nullopt) << zero;
  }
}

TEST(ExecCredentialTest, ReadsOnlyGosZeroTimeAsNoExpiration) {
  for (const std::string past : {"0001-01-01T00:00:00.5Z", "0001-01-01T00:00:00+01:00"}) {
    const auto credential = ParseExecCredential(
        Output(R"({"token":"t","expirationTimestamp":")" + past + R"("})"), kV1);
    ASSERT_TRUE(credential.has_value()) << past << ": " << credential.error().message;
    EXPECT_EQ(credential->expiration, std::chrono::system_clock::time_point::min()) << past;
  }
  for (const std::string bad : {"0001-01-01T00:00:00", "0001-01-01T00:00:00never"}) {
    EXPECT_FALSE(
        ParseExecCredential(Output(R"({"token":"t","expirationTimestamp":")" + bad + R"("})"), kV1))
        << bad;
  }
}

TEST(ExecCredentialTest, ExplainsBadOutputInOneLine) {
  const struct {
    std::string output;
    std::string message;
  } cases[] = {
      {"", "its output is empty"},
      {"\n", "its output is empty"},
      {"token: secret", "not an ExecCredential in JSON or YAML"},
      {"[]", "not an ExecCredential in JSON or YAML"},
      {Output("{}").substr(0, 40), "not an ExecCredential in JSON or YAML"},
      {R"({"kind":"Status"})", R"(kind of its output is "Status", not "ExecCredential")"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "apiVersion of its output is \"client.authentication.k8s.io/v1beta1\", but the kubeconfig "
       "requests \"client.authentication.k8s.io/v1\""},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
       "its output has no status"},
      {Output("{}"), "neither a token nor a certificate"},
      {Output(R"({"token":1})"), "status.token must be a string"},
      {Output(R"({"clientKeyData":"secret"})"), "only one of clientCertificateData and clientKey"},
      {Output(R"({"clientCertificateData":"C","token":"t"})"), "only one of clientCertificateData"},
      {Output(R"({"token":"secret\r\nX: y"})"), "status.token contains a line break"},
      {Output(R"({"token":"secret","expirationTimestamp":"tomorrow"})"), "not an RFC 3339 time"},
      {Output(R"({"token":"secret","expirationTimestamp":""})"), "not an RFC 3339 time"},
      {Output("{\"x\":\"\xFF\"}"), "not an ExecCredential in JSON or YAML"},
      {R"({"kind":1,"apiVersion":"client.authentication.k8s.io/v1"})", "kind of its output is"},
  };
  for (const auto& [output, message] : cases) {
    EXPECT_THAT(WhyNot(output), AllOf(HasSubstr(message), Not(HasSubstr("secret")))) << output;
  }
}

TEST(ExecCredentialTest, RejectsOutputThatIsNestedTooDeep) {
  for (const char* open : {"[", R"({"a":)", R"([{"kind":)"}) {
    std::string output;
    for (int i = 0; i < 1'000'000; ++i) output += open;
    EXPECT_THAT(WhyNot(output), HasSubstr("not an ExecCredential in JSON or YAML"));
    EXPECT_EQ(ReadableStderr("failed", output), "failed");
  }
}

TEST(ExecCredentialTest, DoesNotQuoteMisplacedToken) {
  EXPECT_THAT(WhyNot(R"({"kind":"secret token"})"),
              HasSubstr("kind of its output is something else"));
}

TEST(PluginStderrTest, ReturnsOneBoundedLine) {
  EXPECT_EQ(OneLine("\n  one\r\n\ttwo\x1b[31;1m red\x1b[0m\n"), "one two red");
  EXPECT_EQ(OneLine("\x1b["), "");
  EXPECT_EQ(OneLine(std::string(10000, 'x')).size(), 500U);
}

TEST(PluginStderrTest, KeepsHostsAndAddresses) {
  const std::string text =
      "Unable to connect to https://sts.eu-central-1.amazonaws.com:443/: dial tcp 10.0.0.1:443: "
      "/usr/local/share/credential-plugins/config.yaml: AccessDeniedException";

  EXPECT_EQ(ReadableStderr(text, ""), text);
}

TEST(PluginStderrTest, KeepsPaths) {
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

TEST(PluginStderrTest, HidesTokenInStdout) {
  EXPECT_EQ(ReadableStderr("got s3cret, then failed", R"({"status":{"token":"s3cret"}})"),
            "got <hidden>, then failed");
}

TEST(PluginStderrTest, HidesWordThatLooksLikeToken) {
  const std::string jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl_-";

  EXPECT_EQ(ReadableStderr("Authorization: Bearer " + jwt + " refused", ""),
            "Authorization: Bearer <hidden> refused");
  EXPECT_THAT(ReadableStderr("key=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY7", ""),
              Not(HasSubstr("EXAMPLEKEY7")));
}

TEST(PluginStderrTest, HidesWholeBase64SecretWithSlashes) {
  EXPECT_EQ(ReadableStderr("secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY refused", ""),
            "secret <hidden> refused");
  EXPECT_EQ(ReadableStderr("Basic dXNlcjp/aGVsbG8/d29ybGQ/TG9uZ1/hcz9QYXNz/A==", ""),
            "Basic <hidden>");
  EXPECT_EQ(ReadableStderr(R"({"key":"3q2+7/Zm9v\/YmFyUXV4/MTIzNDU2\/Nzg5MEFCQw=="})", ""),
            R"({"key":"<hidden>"})");
}

}  // namespace
}  // namespace capstan::auth
