// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "clientgo/clientcmd/kubeconfig_fixture_for_test.h"

namespace clientgo::clientcmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(KubeconfigTest, ReadsWhatKindWrites) {
  auto config = Load(R"(
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://127.0.0.1:6443
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {}
users:
- name: kind-kind
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
)");

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://127.0.0.1:6443");
  EXPECT_EQ(config->tls.ca_data, "CA");
  EXPECT_EQ(config->tls.cert_data, "CERT");
  EXPECT_EQ(config->tls.key_data, "KEY");
  EXPECT_EQ(config->source, dir_.Path("config"));
}

TEST_F(KubeconfigTest, PathsAreRelativeToTheirFileAndDataWins) {
  auto config = Load(Kubeconfig("{server: \"https://h\", certificate-authority: ca.crt}",
                                "{client-certificate: ../tls.crt, client-key: /abs/tls.key, "
                                "client-key-data: S0VZ, tokenFile: token}"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls.ca_file, dir_.Path("ca.crt"));
  EXPECT_EQ(config->tls.cert_file,
            std::filesystem::path(dir_.Path("")).parent_path().parent_path() / "tls.crt");
  EXPECT_EQ(config->tls.key_data, "KEY");
  EXPECT_EQ(config->tls.key_file, "");
  EXPECT_EQ(config->bearer_token_file, dir_.Path("token"));
}

TEST_F(KubeconfigTest, ReadsTheOtherFields) {
  auto config = Load(Kubeconfig(
      "{server: \"https://h\", tls-server-name: api.internal, insecure-skip-tls-verify: true}",
      "{token: abc, tokenFile: /token}"));
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls.server_name, "api.internal");
  EXPECT_TRUE(config->tls.insecure_skip_verify);
  EXPECT_EQ(config->bearer_token, "abc");
  EXPECT_EQ(config->bearer_token_file, "") << "the token wins";

  auto basic = Load(Kubeconfig(kServer, "{username: admin, password: pw}"));
  ASSERT_TRUE(basic.has_value()) << basic.error().message;
  EXPECT_EQ(basic->username, "admin");
  EXPECT_EQ(basic->password, "pw");
}

TEST_F(KubeconfigTest, ChoosesTheNamedContext) {
  const std::string text = R"(
current-context: one
contexts:
- {name: one, context: {cluster: a}}
- {name: two, context: {cluster: b}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
)";

  EXPECT_EQ(Load(text).value().host, "https://a");
  EXPECT_EQ(Load(text, "two").value().host, "https://b");
}

TEST_F(KubeconfigTest, MergesFilesFirstOneWins) {
  const std::string first = dir_.Write("1", R"(
contexts: [{name: c, context: {cluster: shared, user: u}}]
clusters: [{name: shared, cluster: {server: "https://first"}}]
)");
  const std::string second = dir_.Write("2", R"(
current-context: c
clusters: [{name: shared, cluster: {server: "https://second", tls-server-name: x}}]
users: [{name: u, user: {token: t}}]
)");

  auto config = LoadKubeconfig({first, second}, "");

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://first");
  EXPECT_EQ(config->tls.server_name, "") << "entries are taken whole";
  EXPECT_EQ(config->bearer_token, "t");
}

TEST_F(KubeconfigTest, BadInputIsOneClearLine) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"a: [", "config:1: invalid YAML"},
      {"a: b\nclusters: [\n- }\n", "invalid YAML"},
      {"just text", "not a kubeconfig"},
      {"", "current-context is not set"},
      {"current-context: nope", "context \"nope\" does not exist"},
      {"current-context: c\ncontexts: text", "config:2: contexts must be a list"},
      {"current-context: c\ncontexts: [text]", "must be a map"},
      {"current-context: c\ncontexts: [{name: c}]", "cluster is missing"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k}}]",
       R"(config:2: context "c": cluster "k" does not exist)"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
       "clusters: [{name: k, cluster: {server: \"https://h\"}}]",
       R"(config:2: context "c": user "u" does not exist)"},
      {"current-context: c\ncontexts:\n- name: c\n- name: c\n",
       "config:4: contexts: duplicate name \"c\""},
      {Kubeconfig("{}", "{}"), "cluster \"k\": server is missing"},
      {Kubeconfig("{server: [1]}", "{}"), "server must be a string"},
      {Kubeconfig("{server: 10.0.0.1}", "{}"), "it must start with https:// or http://"},
      {Kubeconfig("{server: \"https://h\", insecure-skip-tls-verify: maybe}", "{}"),
       "insecure-skip-tls-verify must be true or false"},
      {Kubeconfig(R"({server: "https://h", certificate-authority-data: "%%"})", "{}"),
       "config:7: cluster \"k\": certificate-authority-data is not valid base64"},
      {Kubeconfig("{server: \"https://h\", insecure-skip-tls-verify: true, "
                  "certificate-authority: ca}",
                  "{}"),
       "exclude each other"},
      {Kubeconfig(kServer, "{token: t, username: u}"), "exclude each other"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(WhyNot(text), HasSubstr(message)) << text;
  }
  EXPECT_THAT(WhyNot(Kubeconfig(kServer, "{}"), "other"),
              HasSubstr("context \"other\" does not exist"));
}

TEST_F(KubeconfigTest, BadKeyDataIsNotRepeated) {
  EXPECT_THAT(WhyNot(Kubeconfig(kServer, "{client-key-data: \"c2VjcmV0LWtleQ=!\"}")),
              AllOf(HasSubstr("client-key-data is not valid base64"), Not(HasSubstr("c2Vj"))));
}

TEST_F(KubeconfigTest, AServersUserIsNotRepeated) {
  for (const char* url :
       {"ftp://u:s3cret@h", "https://u:s3cret@h", "https://u:s3cret@h?x", "HTTPS://u:s3cret@h"}) {
    EXPECT_THAT(WhyNot(Kubeconfig("{server: \"" + std::string(url) + "\"}", "{}")),
                AllOf(HasSubstr("invalid server: "), Not(HasSubstr("s3cret"))))
        << url;
  }
}

// A password may well start with '*' or '%', and that is YAML's own.
TEST_F(KubeconfigTest, TextThatIsNoYamlIsNotRepeated) {
  for (const char* text : {"%YAML S3CRET\n", "password: *S3CRET\n", "password: 'S3CRET",
                           "password: @S3CRET\n", "password: \"\\S3CRET\"\n"}) {
    const std::string error = WhyNot(text);
    EXPECT_THAT(error, HasSubstr("invalid YAML: ")) << text;
    EXPECT_THAT(error, Not(HasSubstr("S3CRET"))) << text;
  }
}

TEST_F(KubeconfigTest, EmptyFieldsAreAsGoodAsNone) {
  auto config = Load(
      Kubeconfig("{server: \"https://h\", proxy-url: , tls-server-name: }", "{exec: , token: }"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://h");
}

// A newer kubectl may have written it; client-go does not mind either.
TEST_F(KubeconfigTest, UnknownFieldsAreIgnored) {
  auto config = Load(
      "preferences: {colors: true}\nnew: [1]\n" +
      Kubeconfig("{server: \"https://h\", disable-compression: true, new: 1, extensions: [{name: "
                 "minikube.sigs.k8s.io, extension: {provider: x}}]}",
                 "{token: t, new: {}}"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->bearer_token, "t");
}

TEST_F(KubeconfigTest, MissingFileIsNamed) {
  auto config = LoadKubeconfig({"/nonexistent/config"}, "");

  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message,
            "failed to load kubeconfig: open /nonexistent/config: No such file or directory");
}

}  // namespace
}  // namespace clientgo::clientcmd
