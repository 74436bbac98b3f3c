// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "clientgo/rest/config.h"
#include "clientgo/rest/temp_dir_for_test.h"

namespace clientgo::rest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using util::ErrorReason;

// A kubeconfig with one cluster, user and context; `cluster` and `user` are the maps' YAML.
std::string Kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
         "clusters:\n- name: k\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

const char kServer[] = "{server: \"https://10.0.0.1:6443\"}";

class KubeconfigTest : public ::testing::Test {
 protected:
  util::Expected<Config> Load(const std::string& text, const std::string& context = "") {
    return LoadKubeconfig({dir_.Write("config", text)}, context);
  }
  // The message of the error, which must be kInvalidArgument and name the file.
  std::string WhyNot(const std::string& text, const std::string& context = "") {
    auto config = Load(text, context);
    if (config) return "accepted";
    EXPECT_EQ(config.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(config.error().message, HasSubstr(dir_.Path("config")));
    return config.error().message;
  }
  const TempDir dir_;
};

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
       "cluster \"k\" does not exist"},
      {"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
       "clusters: [{name: k, cluster: {server: \"https://h\"}}]",
       "user \"u\" does not exist"},
      {Kubeconfig("{}", "{}"), "cluster \"k\": server is missing"},
      {Kubeconfig("{server: [1]}", "{}"), "server must be a string"},
      {Kubeconfig("{server: 10.0.0.1}", "{}"), "it must start with https:// or http://"},
      {Kubeconfig("{server: \"https://h\", insecure-skip-tls-verify: maybe}", "{}"),
       "insecure-skip-tls-verify must be true or false"},
      {Kubeconfig("{server: \"https://h\", certificate-authority-data: \"%%\"}", "{}"),
       "config:7: cluster \"k\": certificate-authority-data is not valid base64"},
      {Kubeconfig("{server: \"https://h\", insecure-skip-tls-verify: true, "
                  "certificate-authority: ca}",
                  "{}"),
       "exclude each other"},
      {Kubeconfig("{server: \"https://h\", proxy-url: \"http://p\"}", "{}"),
       "cluster \"k\": proxy-url is not supported yet"},
      {Kubeconfig(kServer, "{exec: {command: aws}}"), "user \"u\": exec is not supported yet"},
      {Kubeconfig(kServer, "{auth-provider: {name: gcp}}"), "auth-provider is not supported yet"},
      {Kubeconfig(kServer, "{as: admin}"), "as is not supported yet"},
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

TEST_F(KubeconfigTest, EmptyFieldsAreAsGoodAsNone) {
  auto config = Load(
      Kubeconfig("{server: \"https://h\", proxy-url: , tls-server-name: }", "{exec: , token: }"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://h");
}

TEST_F(KubeconfigTest, MissingFileIsNamed) {
  auto config = LoadKubeconfig({"/nonexistent/config"}, "");

  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message,
            "failed to load kubeconfig: open /nonexistent/config: No such file or directory");
}

}  // namespace
}  // namespace clientgo::rest
