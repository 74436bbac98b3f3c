// SPDX-License-Identifier: Apache-2.0
#include "clientgo/clientcmd/kubeconfig_entries.h"

#include "clientgo/clientcmd/kubeconfig_fixture_for_test.h"

namespace clientgo::clientcmd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class KubeconfigEntriesTest : public KubeconfigTest {
 protected:
  // Without an error, which is told.
  rest::Config Loaded(const std::string& text) {
    auto config = Load(text);
    EXPECT_TRUE(config.has_value()) << config.error().message;
    return config ? *config : rest::Config();
  }
};

// A valid exec entry with something more in it.
std::string Exec(const std::string& more) {
  return "{exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, "
         "interactiveMode: Never" +
         more + "}}";
}

TEST_F(KubeconfigEntriesTest, ReadsAProxy) {
  const rest::Config config =
      Loaded(Kubeconfig(R"({server: "https://h", proxy-url: "http://user:pw@proxy:3128"})", "{}"));

  EXPECT_EQ(config.proxy_url, "http://user:pw@proxy:3128");
}

TEST_F(KubeconfigEntriesTest, AProxyThatCannotBeUsedIsAnError) {
  for (const char* url : {"https://u:s3cret@p", "socks5://u:s3cret@p:1080", "proxy:3128", "http://",
                          "http://u:s3cret@p:port", "ftp://p"}) {
    EXPECT_THAT(WhyNot(Kubeconfig(
                    "{server: \"https://h\", proxy-url: \"" + std::string(url) + "\"}", "{}")),
                AllOf(HasSubstr("config:7: cluster \"k\": proxy-url"), Not(HasSubstr("s3cret"))))
        << url;
  }
}

TEST_F(KubeconfigEntriesTest, ReadsWhomToActAs) {
  const rest::Config config =
      Loaded(Kubeconfig(kServer,
                        "{token: t, as: jane, as-uid: \"42\", as-groups: [a, b], "
                        "as-user-extra: {scopes: [x, y], acme.com/why: [z]}}"));

  EXPECT_EQ(config.impersonate.user_name, "jane");
  EXPECT_EQ(config.impersonate.uid, "42");
  EXPECT_THAT(config.impersonate.groups, ElementsAre("a", "b"));
  EXPECT_THAT(config.impersonate.extra, ElementsAre(Pair("scopes", ElementsAre("x", "y")),
                                                    Pair("acme.com/why", ElementsAre("z"))));
}

TEST_F(KubeconfigEntriesTest, ReadsAnExecPlugin) {
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
  EXPECT_EQ(config.exec->cluster.server, "") << "nobody asked for it";
  EXPECT_EQ(config.exec->origin, "user \"u\" of " + dir_.Path("config"));
}

TEST_F(KubeconfigEntriesTest, ACommandWithASlashIsRelativeToItsFile) {
  const auto command = [&](const std::string& text) {
    return Loaded(Kubeconfig(kServer,
                             "{exec: {apiVersion: client.authentication.k8s.io/v1, "
                             "interactiveMode: IfAvailable, command: " +
                                 text + "}}"))
        .exec->command;
  };

  EXPECT_EQ(command("./bin/plugin"), dir_.Path("bin/plugin"));
  EXPECT_EQ(command("/bin/plugin"), "/bin/plugin");
  EXPECT_EQ(command("plugin"), "plugin");
}

TEST_F(KubeconfigEntriesTest, APluginMayBeToldAboutTheCluster) {
  dir_.Write("ca.crt", "CA");

  const rest::Config config = Loaded(Kubeconfig(
      "{server: \"https://h\", certificate-authority: ca.crt, tls-server-name: n, "
      "proxy-url: \"http://p:1\", extensions: [{name: other, extension: {a: b}}, "
      "{name: client.authentication.k8s.io/exec, extension: {audience: x, n: 1, f: -1.5, "
      "yes: true, text: \"1\", none: , list: [a, {b: c}], 1.2.3.4: 1.2.3.4}}]}",
      Exec(", provideClusterInfo: true")));

  ASSERT_TRUE(config.exec.has_value());
  EXPECT_EQ(config.exec->cluster.server, "https://h");
  EXPECT_EQ(config.exec->cluster.ca_data, "CA");
  EXPECT_EQ(config.exec->cluster.tls_server_name, "n");
  EXPECT_EQ(config.exec->cluster.proxy_url, "http://p:1");
  EXPECT_EQ(config.exec->cluster.config,
            R"({"audience":"x","n":1,"f":-1.5,"yes":true,"text":"1","none":null,)"
            R"("list":["a",{"b":"c"}],"1.2.3.4":"1.2.3.4"})");
}

TEST_F(KubeconfigEntriesTest, RefusesExtensionThatAliasesMakeEndlessOrHuge) {
  std::string huge = "{a: &a [x, x]";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    huge += std::string(", ") + name + ": &" + name + " [*" + before + ", *" + before + "]";
  }
  for (const std::string& extension :
       {std::string("&a [*a]"), std::string("&a {k: *a}"), huge + "}"}) {
    EXPECT_THAT(WhyNot(Kubeconfig("{server: \"https://h\", extensions: [{name: "
                                  "client.authentication.k8s.io/exec, extension: " +
                                      extension + "}]}",
                                  Exec(", provideClusterInfo: true"))),
                HasSubstr("extension: more than 64 levels or 8 MiB are not supported"));
  }
}

TEST_F(KubeconfigEntriesTest, BadUsersAreOneClearLine) {
  const struct {
    std::string user;
    std::string message;
  } cases[] = {
      {"{auth-provider: {name: gcp}}",
       "auth-provider was removed from Kubernetes' clients in 1.26"},
      {"{as-groups: [a]}", "without impersonating a user"},
      {"{as: jane, as-groups: a}", "as-groups must be a list of strings"},
      {"{as: jane, as-groups: [[a]]}", "as-groups must be a list of strings"},
      {"{as: jane, as-user-extra: {k: v}}", "as-user-extra: k must be a list of strings"},
      {R"({as: "jane\r\nX: y"})", "Impersonate-User holds a line break"},
      {"{exec: aws}", "user \"u\": exec: must be a map"},
      {"{exec: {apiVersion: client.authentication.k8s.io/v1}}", "exec: command is missing"},
      {"{exec: {command: aws}}", "exec: apiVersion is missing"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1alpha1}}",
       "invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"; "
       "client.authentication.k8s.io/v1 and v1beta1 are supported"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1}}",
       "interactiveMode must be specified in v1"},
      {"{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1beta1, "
       "interactiveMode: Always}}",
       "interactiveMode Always needs somebody at a terminal"},
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

TEST_F(KubeconfigEntriesTest, ACaThatThePluginCannotBeToldIsAnError) {
  EXPECT_THAT(WhyNot(Kubeconfig("{server: \"https://h\", certificate-authority: none.crt}",
                                Exec(", provideClusterInfo: true"))),
              HasSubstr("certificate-authority: open " + dir_.Path("none.crt")));
}

TEST_F(KubeconfigEntriesTest, Ipv6AddressesNeedNoName) {
  const rest::Config config = Loaded(Kubeconfig("{server: \"https://[fd00::1]:6443\"}", "{}"));

  EXPECT_EQ(config.host, "https://[fd00::1]:6443");
}

}  // namespace
}  // namespace clientgo::clientcmd
