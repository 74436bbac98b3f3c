// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "capstan/testing/temp_dir.h"

namespace capstan::clientcmd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// Returns a kubeconfig with one cluster, user and context. `cluster` and `user` are YAML maps.
std::string Kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
         "clusters:\n- name: k\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

constexpr char kServer[] = "{server: \"https://10.0.0.1:6443\"}";

class KubeconfigTest : public ::testing::Test {
 protected:
  Expected<rest::Config> Load(const std::string& text, const std::string& context = "") {
    return LoadKubeconfig({dir_.Write("config", text)}, context);
  }
  // Returns the error's message. The error must be kInvalidArgument and name the file.
  std::string WhyNot(const std::string& text, const std::string& context = "") {
    auto config = Load(text, context);
    if (config) return "accepted";
    EXPECT_EQ(config.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(config.error().message, ::testing::HasSubstr(dir_.Path("config")));
    return config.error().message;
  }
  // Loads `text`, which must have no error.
  rest::Config Loaded(const std::string& text) {
    auto config = Load(text);
    EXPECT_TRUE(config.has_value()) << config.error().message;
    return config ? *config : rest::Config();
  }
  const testing::TempDir dir_;
};

TEST_F(KubeconfigTest, ReadsKubeconfigOfKind) {
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

TEST_F(KubeconfigTest, ResolvesPathsRelativeToFile) {
  auto config = Load(Kubeconfig("{server: \"https://h\", certificate-authority: ca.crt}",
                                "{client-certificate: ../tls.crt, client-key: /abs/tls.key, "
                                "tokenFile: token}"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls.ca_file, dir_.Path("ca.crt"));
  EXPECT_EQ(config->tls.cert_file,
            std::filesystem::path(dir_.Path("")).parent_path().parent_path() / "tls.crt");
  EXPECT_EQ(config->tls.key_file, "/abs/tls.key");
  EXPECT_EQ(config->bearer_token_file, dir_.Path("token"));
}

// As in client-go. Nobody knows which of the two is meant.
TEST_F(KubeconfigTest, RejectsTwoFieldsForTheSame) {
  EXPECT_THAT(WhyNot(Kubeconfig("{server: \"http://h\", certificate-authority: ca, "
                                "certificate-authority-data: Q0E=}",
                                "{}")),
              HasSubstr("certificate-authority and certificate-authority-data exclude each other"));
  EXPECT_THAT(WhyNot(Kubeconfig(kServer,
                                "{client-certificate: c, client-certificate-data: Q0E=, "
                                "client-key: k}")),
              HasSubstr("client-certificate and client-certificate-data exclude each other"));
  EXPECT_THAT(
      WhyNot(Kubeconfig(kServer, "{client-certificate: c, client-key: k, client-key-data: S0VZ}")),
      HasSubstr("client-key and client-key-data exclude each other"));
  EXPECT_THAT(WhyNot(Kubeconfig("{server: \"http://h\"}",
                                "{auth-provider: {name: gcp}, exec: {apiVersion: "
                                "client.authentication.k8s.io/v1, command: c, "
                                "interactiveMode: Never}}")),
              HasSubstr("auth-provider \"gcp\" was removed"));
}

TEST_F(KubeconfigTest, ReadsServerNameTokenAndPassword) {
  auto config = Load(Kubeconfig(
      "{server: \"https://h\", tls-server-name: api.internal, insecure-skip-tls-verify: true}",
      "{token: abc, tokenFile: /token}"));
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls.server_name, "api.internal");
  EXPECT_TRUE(config->tls.insecure_skip_verify);
  EXPECT_EQ(config->bearer_token, "abc");
  EXPECT_EQ(config->bearer_token_file, "/token");

  auto basic = Load(Kubeconfig(kServer, "{username: admin, password: pw}"));
  ASSERT_TRUE(basic.has_value()) << basic.error().message;
  EXPECT_EQ(basic->username, "admin");
  EXPECT_EQ(basic->password, "pw");
}

TEST_F(KubeconfigTest, SelectsNamedContext) {
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

TEST_F(KubeconfigTest, MergesFilesAndFirstOneWins) {
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

TEST_F(KubeconfigTest, ExplainsBadInputInOneLine) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"a: [", "config:1: invalid YAML"},
      {"a: b\nclusters: [\n- }\n", "invalid YAML"},
      {"just text", "not a kubeconfig"},
      {"", "current-context is not set"},
      {"current-context: 5", "config:1: current-context must be a string; put it in quotes"},
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
      {Kubeconfig("{server: 10.0.0.1/x}", "{}"), "it must start with https:// or http://"},
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

// client-go decodes the whole file.
TEST_F(KubeconfigTest, RejectsWrongTypeInEntryThatIsNotUsed) {
  const struct {
    std::string more;
    std::string message;
  } cases[] = {
      {"- name: other\n  user: {token: 5}\n", "user \"other\": token must be a string"},
      {"- name: other\n  user: text\n", "user \"other\": must be a map"},
      {"- name: other\n  user: {exec: {env: [text]}}\n", "exec: env: must be a map"},
      {"- name: other\n  user: {exec: {env: [{name: 1}]}}\n", "exec: env: name must be a string"},
      {"- name: other\n  user: {as-groups: g}\n", "as-groups must be a list of strings"},
      {"- name: other\n  user: {as-user-extra: {a: b}}\n", "a must be a list of strings"},
      {"- name: other\n  user: {auth-provider: {config: {a: 1}}}\n", "a must be a string"},
      {"- name: other\n  user: {client-key-data: \"%\"}\n", "is not valid base64"},
      {"- name: other\n- name: other\n", "duplicate name \"other\""},
      {"preferences: {colors: 1}\n", "preferences: colors must be true or false"},
      {"extensions: {}\n", "extensions must be a list"},
  };
  for (const auto& [more, message] : cases) {
    EXPECT_THAT(WhyNot(Kubeconfig(kServer, "{}") + more), HasSubstr(message)) << more;
  }
  EXPECT_THAT(WhyNot("current-context: c\n"
                     "contexts: [{name: c, context: {cluster: k, namespace: n}}]\n"
                     "clusters: [{name: k, cluster: {server: \"https://h\"}}]\n"),
              HasSubstr("context \"c\": namespace must be a string; put it in quotes"))
      << "n is false in YAML 1.1";
}

// The files of the certificates do not exist.
TEST_F(KubeconfigTest, SendsNoCredentialsOverPlainHttp) {
  const std::vector<std::string> users = {
      "{token: t}", "{tokenFile: f}", "{username: u, password: p}",
      "{client-certificate: c, client-key: k}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Never}}"};
  for (const char* cluster : {"{server: \"http://h\"}", "{server: \"HTTP://h\"}", "{server: h}",
                              "{server: \"h:6443\", certificate-authority: ca}"}) {
    for (const std::string& user : users) {
      const auto config = Loaded(Kubeconfig(cluster, user));

      EXPECT_EQ(config.bearer_token + config.bearer_token_file + config.username + config.password +
                    config.tls.cert_file + config.tls.key_file + config.tls.ca_file,
                "")
          << cluster << user;
      EXPECT_FALSE(config.exec.has_value()) << cluster;
    }
    EXPECT_EQ(Loaded(Kubeconfig(cluster, "{as: jane, token: t}")).impersonate.user_name, "jane");
  }
  EXPECT_EQ(Loaded(Kubeconfig(kServer, "{token: t}")).bearer_token, "t");
}

// They are not used, so they are not an error.
TEST_F(KubeconfigTest, AcceptsUnusableCredentialsForPlainHttp) {
  for (const char* user :
       {"{auth-provider: {name: gcp}}", "{tokenFile: f, username: u}",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, "
        "interactiveMode: Always}}",
        "{exec: {apiVersion: example.com/v1, command: c, interactiveMode: Never}}"}) {
    EXPECT_FALSE(Loaded(Kubeconfig("{server: \"http://h\"}", user)).exec) << user;
    EXPECT_NE(WhyNot(Kubeconfig(kServer, user)), "accepted") << user;
  }
  EXPECT_THAT(WhyNot(Kubeconfig("{server: \"http://h\"}",
                                "{exec: {apiVersion: example.com/v1, command: c}}")),
              HasSubstr("interactiveMode must be specified in example.com/v1"));
}

TEST_F(KubeconfigTest, UsesEntriesWithoutNameForContextThatNamesNone) {
  const auto config = Loaded(
      "current-context: c\ncontexts: [{name: c}]\n"
      "clusters: [{cluster: {server: \"https://h\"}}]\nusers: [{name: \"\", user: {token: t}}]\n");

  EXPECT_EQ(config.host, "https://h");
  EXPECT_EQ(config.bearer_token, "t");
}

TEST_F(KubeconfigTest, ReadsPasswordAsClientGo) {
  Loaded(Kubeconfig(kServer, "{tokenFile: f, password: p}"));
  EXPECT_THAT(WhyNot(Kubeconfig(kServer, "{token: t, password: p}")), HasSubstr("exclude"));
}

TEST_F(KubeconfigTest, DoesNotQuoteBadKeyData) {
  EXPECT_THAT(
      WhyNot(Kubeconfig(kServer,
                        "{client-certificate-data: Q0E=, client-key-data: \"c2VjcmV0LWtleQ=!\"}")),
      AllOf(HasSubstr("client-key-data is not valid base64"), Not(HasSubstr("c2Vj"))));
}

TEST_F(KubeconfigTest, DoesNotQuoteUserInServer) {
  for (const char* url :
       {"ftp://u:s3cret@h", "https://u:s3cret@h", "https://u:s3cret@h?x", "HTTPS://u:s3cret@h"}) {
    EXPECT_THAT(WhyNot(Kubeconfig("{server: \"" + std::string(url) + "\"}", "{}")),
                AllOf(HasSubstr("invalid server: "), Not(HasSubstr("s3cret"))))
        << url;
  }
}

// A password may start with '*' or '%', which have a meaning in YAML.
TEST_F(KubeconfigTest, DoesNotQuoteInvalidYaml) {
  for (const char* text : {"%YAML S3CRET\n", "password: *S3CRET\n", "password: 'S3CRET",
                           "password: @S3CRET\n", "password: \"\\S3CRET\"\n"}) {
    const std::string error = WhyNot(text);
    EXPECT_THAT(error, HasSubstr("invalid YAML: ")) << text;
    EXPECT_THAT(error, Not(HasSubstr("S3CRET"))) << text;
  }
}

TEST_F(KubeconfigTest, TreatsEmptyFieldAsMissing) {
  auto config = Load(
      Kubeconfig("{server: \"https://h\", proxy-url: , tls-server-name: }", "{exec: , token: }"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://h");
}

// A newer kubectl may have written them. client-go ignores them, too.
TEST_F(KubeconfigTest, IgnoresUnknownFields) {
  auto config = Load(
      "preferences: {colors: true}\nnew: [1]\n" +
      Kubeconfig("{server: \"https://h\", disable-compression: true, new: 1, extensions: [{name: "
                 "minikube.sigs.k8s.io, extension: {provider: x}}]}",
                 "{token: t, new: {}}"));

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->bearer_token, "t");
}

TEST_F(KubeconfigTest, NamesMissingFile) {
  auto config = LoadKubeconfig({"/nonexistent/config"}, "");

  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().message,
            "failed to load kubeconfig: open /nonexistent/config: No such file or directory");
}

// Returns a valid exec entry with additional fields.
std::string Exec(const std::string& more) {
  return "{exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, "
         "interactiveMode: Never" +
         more + "}}";
}

TEST_F(KubeconfigTest, ReadsProxy) {
  const rest::Config config =
      Loaded(Kubeconfig(R"({server: "https://h", proxy-url: "http://user:pw@proxy:3128"})", "{}"));

  EXPECT_EQ(config.proxy_url, "http://user:pw@proxy:3128");
}

TEST_F(KubeconfigTest, RejectsUnusableProxy) {
  for (const char* url : {"https://u:s3cret@p", "socks5://u:s3cret@p:1080", "proxy:3128", "http://",
                          "http://u:s3cret@p:port", "ftp://p", "p:3128?http://a"}) {
    EXPECT_THAT(WhyNot(Kubeconfig(
                    "{server: \"https://h\", proxy-url: \"" + std::string(url) + "\"}", "{}")),
                AllOf(HasSubstr("config:7: cluster \"k\": proxy-url"), Not(HasSubstr("s3cret"))))
        << url;
  }
}

TEST_F(KubeconfigTest, ReadsImpersonation) {
  const rest::Config config =
      Loaded(Kubeconfig(kServer,
                        "{token: t, as: jane, as-uid: \"42\", as-groups: [a, b], "
                        "as-user-extra: {scopes: [x, 'y'], acme.com/why: [z]}}"));

  EXPECT_EQ(config.impersonate.user_name, "jane");
  EXPECT_EQ(config.impersonate.uid, "42");
  EXPECT_THAT(config.impersonate.groups, ElementsAre("a", "b"));
  EXPECT_THAT(config.impersonate.extra, ElementsAre(Pair("scopes", ElementsAre("x", "y")),
                                                    Pair("acme.com/why", ElementsAre("z"))));
}

TEST_F(KubeconfigTest, ReadsExecPlugin) {
  const rest::Config config = Loaded(Kubeconfig(
      kServer,
      "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws-iam-authenticator, "
      "args: [token, -i, cluster], env: [{name: AWS_PROFILE, value: prod}], "
      "installHint: Install it}}"));

  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->api_version, "client.authentication.k8s.io/v1beta1");
  EXPECT_EQ(config.exec->command, "aws-iam-authenticator");
  EXPECT_THAT(config.exec->args, ElementsAre("token", "-i", "cluster"));
  EXPECT_THAT(config.exec->env, ElementsAre(Pair("AWS_PROFILE", "prod")));
  EXPECT_EQ(config.exec->install_hint, "Install it");
  EXPECT_FALSE(config.exec->provide_cluster_info);
  EXPECT_EQ(config.exec->cluster.server, "") << "provideClusterInfo is not set";
  EXPECT_EQ(config.exec->origin, "user \"u\" of " + dir_.Path("config"));
}

TEST_F(KubeconfigTest, ResolvesCommandRelativeToFile) {
  const auto command = [&](const std::string& text) {
    return Loaded(Kubeconfig(kServer,
                             "{exec: {apiVersion: client.authentication.k8s.io/v1, "
                             "interactiveMode: IfAvailable, command: " +
                                 text + "}}"))
        .exec->command;
  };

  EXPECT_EQ(command("./bin/plugin"), dir_.Path("bin/plugin"));
  EXPECT_EQ(command("./bin//plugin/"), dir_.Path("bin/plugin"));
  EXPECT_EQ(command("/bin/plugin"), "/bin/plugin");
  EXPECT_EQ(command("plugin"), "plugin");
}

TEST_F(KubeconfigTest, DescribesClusterToPlugin) {
  dir_.Write("ca.crt", "CA");

  const rest::Config config = Loaded(Kubeconfig(
      "{server: \"https://h\", certificate-authority: ca.crt, tls-server-name: api, "
      "proxy-url: \"http://p:1\", extensions: [{name: other, extension: {a: b}}, "
      "{name: client.authentication.k8s.io/exec, extension: {audience: x, size: 1, f: -1.5, "
      "yes: true, text: \"1\", none: , list: [a, {b: c}], 1.2.3.4: 1.2.3.4}}]}",
      Exec(", provideClusterInfo: true")));

  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->cluster.server, "https://h");
  EXPECT_EQ(config.exec->cluster.ca_data, "CA");
  EXPECT_EQ(config.exec->cluster.tls_server_name, "api");
  EXPECT_EQ(config.exec->cluster.proxy_url, "http://p:1");
  EXPECT_EQ(config.exec->cluster.config,
            R"({"audience":"x","size":1,"f":-1.5,"true":true,"text":"1","none":null,)"
            R"("list":["a",{"b":"c"}],"1.2.3.4":"1.2.3.4"})");
}

TEST_F(KubeconfigTest, RejectsEndlessOrHugeExtension) {
  std::string huge = "{a: &a [x, x]";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    huge += std::string(", ") + name + ": &" + name + " [*" + before + ", *" + before + "]";
  }
  const std::pair<std::string, std::string> cases[] = {
      {"&a [*a]", "config:7: an anchor's value contains itself"},
      {"&a {k: *a}", "config:7: an anchor's value contains itself"},
      {huge + "}", "extension: more than 8 MiB of JSON are not supported"}};
  for (const auto& [extension, message] : cases) {
    EXPECT_THAT(WhyNot(Kubeconfig("{server: \"https://h\", extensions: [{name: "
                                  "client.authentication.k8s.io/exec, extension: " +
                                      extension + "}]}",
                                  Exec(", provideClusterInfo: true"))),
                HasSubstr(message));
  }
}

TEST_F(KubeconfigTest, ExplainsBadUserInOneLine) {
  const struct {
    std::string user;
    std::string message;
  } cases[] = {
      {"{client-certificate-data: Q0E=}", "client-key-data or client-key is missing"},
      {"{client-certificate: tls.crt}", "client-key-data or client-key is missing"},
      {"{auth-provider: {name: gcp}}",
       "auth-provider \"gcp\" was removed from Kubernetes' clients in 1.26; use exec"},
      {"{auth-provider: {name: oidc}}", "auth-provider \"oidc\" is not supported; use exec"},
      {"{auth-provider: {name: S3CRET}}", "auth-provider is not supported; use exec"},
      {"{token: 12345678}", "token must be a string; put it in quotes"},
      {"{token: [a]}", "token must be a string"},
      {"{as: yes}", "as must be a string; put it in quotes"},
      {"{as-groups: [a]}", "without impersonating a user"},
      {"{as: jane, as-groups: a}", "as-groups must be a list of strings"},
      {"{as: jane, as-groups: [[a]]}", "as-groups must be a list of strings"},
      {"{as: jane, as-user-extra: {k: v}}", "as-user-extra: k must be a list of strings"},
      {R"({as: "jane\r\nX: y"})", "Impersonate-User contains a line break"},
      {"{exec: aws}", "user \"u\": exec: must be a map"},
      {"{exec: {apiVersion: client.authentication.k8s.io/v1}}", "exec: command is missing"},
      {"{exec: {command: aws}}", "exec: apiVersion is missing"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1alpha1}}",
       "invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"; "
       "client.authentication.k8s.io/v1 and v1beta1 are supported"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}}",
       "interactiveMode must be specified in client.authentication.k8s.io/v1"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1beta1, "
       "interactiveMode: Always}}",
       "interactiveMode Always needs a terminal"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1beta1, "
       "interactiveMode: never}}",
       "invalid interactiveMode \"never\""},
      {Exec(", env: [{value: x}]"), "exec: env: name is missing"},
      {Exec(", env: {a: b}"), "exec: env must be a list"},
      {Exec(", args: [[]]"), "exec: args must be a list of strings"},
  };
  for (const auto& [user, message] : cases) {
    EXPECT_THAT(WhyNot(Kubeconfig(kServer, user)),
                AllOf(HasSubstr("config:10: user \"u\""), HasSubstr(message)))
        << user;
  }
}

// kubectl reads the same values.
TEST_F(KubeconfigTest, ReadsYamlAsGo) {
  const rest::Config config = Loaded(R"(
x-common: &common
  certificate-authority-data: Q0E=
  server: https://old
clusters:
- name: k
  cluster:
    <<: *common
    server: https://h
    insecure-skip-tls-verify: off
users:
- name: u
  user:
    client-certificate-data: !!binary |
      UTBWU1ZBPT0=
    client-key-data: |
      S0
      VZ
    token: stale
    token: good
contexts:
- {name: c, context: {cluster: k, user: u}}
current-context: c
)");

  EXPECT_EQ(config.host, "https://h");
  EXPECT_EQ(config.tls.ca_data, "CA");
  EXPECT_EQ(config.tls.cert_data, "CERT");
  EXPECT_EQ(config.tls.key_data, "KEY");
  EXPECT_EQ(config.bearer_token, "good");
}

TEST_F(KubeconfigTest, IgnoresClientKeyWithoutCertificate) {
  const rest::Config config = Loaded(Kubeconfig(kServer, "{client-key-data: S0VZ, token: t}"));

  EXPECT_EQ(config.tls.key_data, "");
}

TEST_F(KubeconfigTest, RejectsFileOfAnotherKind) {
  EXPECT_THAT(WhyNot("apiVersion: apps/v1\nkind: Deployment\n"),
              HasSubstr("config:1: not a kubeconfig: apiVersion must be v1 and kind Config"));
  EXPECT_THAT(WhyNot("apiVersion: v1\nkind: Secret\n"),
              HasSubstr("config:2: not a kubeconfig: apiVersion must be v1 and kind Config"));
  EXPECT_THAT(WhyNot("apiVersion: v1/\n"), HasSubstr("not a kubeconfig: apiVersion must be v1"));
  EXPECT_THAT(WhyNot("apiVersion: [v1]\n"), HasSubstr("not a kubeconfig: apiVersion must be v1"));
}

// As client-go reads the versions of the core group.
TEST_F(KubeconfigTest, AcceptsVersionWithEmptyGroup) {
  for (const char* version : {"\"\"", "/", "v1", "/v1"}) {
    std::string text = Kubeconfig(kServer, "{}");
    text.replace(text.find("v1"), 2, version);
    EXPECT_EQ(WhyNot(text), "accepted") << version;
  }
}

TEST_F(KubeconfigTest, IgnoresVersionInOtherLetters) {
  EXPECT_EQ(WhyNot("APIVERSION: v2\nKind: Secret\n" + Kubeconfig(kServer, "{}")), "accepted");
}

TEST_F(KubeconfigTest, DisablesCompression) {
  const rest::Config config = Loaded(Kubeconfig(
      "{server: \"https://h\", disable-compression: true}", Exec(", provideClusterInfo: true")));

  EXPECT_EQ(config.list_compression, transport::Compression::kOff);
  EXPECT_TRUE(config.exec->cluster.disable_compression);
}

TEST_F(KubeconfigTest, ConvertsYamlOfPlugin) {
  const auto exec = *Loaded(Kubeconfig(kServer, Exec(""))).exec;

  EXPECT_EQ(auth::ExecOutputAsJson(exec, "kind: ExecCredential\nstatus: {token: t}\n"),
            R"({"kind":"ExecCredential","status":{"token":"t"}})");
  EXPECT_EQ(auth::ExecOutputAsJson(exec, " {\"a\": 1}"), " {\"a\": 1}");
  EXPECT_EQ(auth::ExecOutputAsJson(exec, "a: ["), "a: [");
}

TEST_F(KubeconfigTest, RejectsUnreadableCaForPlugin) {
  EXPECT_THAT(WhyNot(Kubeconfig("{server: \"https://h\", certificate-authority: none.crt}",
                                Exec(", provideClusterInfo: true"))),
              HasSubstr("certificate-authority: open " + dir_.Path("none.crt")));
}

TEST_F(KubeconfigTest, ReadsIpv6Server) {
  const rest::Config config = Loaded(Kubeconfig("{server: \"https://[fd00::1]:6443\"}", "{}"));

  EXPECT_EQ(config.host, "https://[fd00::1]:6443");
}

}  // namespace
}  // namespace capstan::clientcmd
