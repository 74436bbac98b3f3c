// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/auth/plugin_stderr.h"
#include "clientgo/util/time_format.h"

namespace clientgo::auth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";

std::string Answer(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" +
         status + "}\n";
}

std::string WhyNot(const std::string& answer) {
  const auto status = ParseExecCredential(answer, kV1);
  return status ? "accepted" : status.error().message;
}

TEST(ExecInfoTest, TellsThePluginWhatIsAskedFor) {
  EXPECT_EQ(ExecInfo({.api_version = std::string(kV1), .cluster = {.server = "https://h"}}),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
}

TEST(ExecInfoTest, TellsTheClusterToAPluginThatWantsIt) {
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

TEST(ExecCredentialTest, ReadsATokenAndACertificate) {
  const auto status =
      ParseExecCredential(Answer(R"({"token":"t","clientCertificateData":"C","clientKeyData":"K",)"
                                 R"("expirationTimestamp":"2026-01-02T03:04:05Z"})"),
                          kV1);

  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->token, "t");
  EXPECT_EQ(status->cert_pem, "C");
  EXPECT_EQ(status->key_pem, "K");
  ASSERT_TRUE(status->expiration.has_value());
  EXPECT_EQ(util::FormatTime(*status->expiration), "2026-01-02T03:04:05Z");
}

TEST(ExecCredentialTest, WhatIsNullOrUnknownIsAsGoodAsAbsent) {
  const auto status = ParseExecCredential(
      Answer(R"({"token":"t","expirationTimestamp":null,"clientKeyData":null,"more":[1]})"), kV1);

  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->expiration, std::nullopt);
}

TEST(ExecCredentialTest, ABadAnswerIsOneClearLine) {
  const struct {
    std::string answer;
    std::string message;
  } cases[] = {
      {"", "the answer on its stdout is empty"},
      {"\n", "the answer on its stdout is empty"},
      {"token: secret", "no JSON object"},
      {"[]", "no JSON object"},
      {Answer("{}").substr(0, 40), "no JSON object"},
      {R"({"kind":"Status"})", R"(kind is "Status", not "ExecCredential")"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "apiVersion is \"client.authentication.k8s.io/v1beta1\", but the kubeconfig asks for "
       "\"client.authentication.k8s.io/v1\""},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
       "the answer has no status"},
      {Answer("{}"), "neither a token nor a certificate"},
      {Answer(R"({"token":1})"), "status.token must be a string"},
      {Answer(R"({"clientKeyData":"secret"})"), "only one of clientCertificateData and clientKey"},
      {Answer(R"({"clientCertificateData":"C","token":"t"})"), "only one of clientCertificateData"},
      {Answer(R"({"token":"secret\r\nX: y"})"), "status.token holds a line break"},
      {Answer(R"({"token":"secret","expirationTimestamp":"tomorrow"})"), "not an RFC 3339 time"},
  };
  for (const auto& [answer, message] : cases) {
    EXPECT_THAT(WhyNot(answer), AllOf(HasSubstr(message), Not(HasSubstr("secret")))) << answer;
  }
}

TEST(ExecCredentialTest, RefusesAnswerThatIsNestedTooDeep) {
  for (const char* open : {"[", R"({"a":)", R"([{"kind":)"}) {
    std::string answer;
    for (int i = 0; i < 1'000'000; ++i) answer += open;
    EXPECT_THAT(WhyNot(answer), HasSubstr("no JSON object"));
    EXPECT_EQ(ReadableStderr("failed", answer), "failed");
  }
}

TEST(ExecCredentialTest, AMisplacedTokenIsNotRepeated) {
  EXPECT_THAT(WhyNot(R"({"kind":"secret token"})"), HasSubstr("kind is something else"));
}

}  // namespace
}  // namespace clientgo::auth
