// SPDX-License-Identifier: Apache-2.0
// The program from the outside, under each of its names, as envtest and similar libraries use it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "capstan/clientcmd/kubeconfig.h"
#include "capstan/file.h"
#include "capstan/rest/client.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/transport/http1_transport.h"
#include "clientgo/httpserver/testing/raw_client.h"
#include "controllers/runtime/program/testing/process.h"

namespace capstan::cmd::test_server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kDefaultNamespace[] = "/api/v1/namespaces/default";

class ProgramTest : public ::testing::Test {
 protected:
  // Starts the program under a name of the program that it replaces.
  std::unique_ptr<Process> Start(const std::string& name, std::vector<std::string> arguments) {
    const std::string path = dir_.Path(name);
    if (!std::filesystem::exists(path)) std::filesystem::create_symlink(PROGRAM_PATH, path);
    return std::make_unique<Process>(path.c_str(), std::move(arguments));
  }
  // Starts kube-apiserver as envtest does, with more arguments.
  std::unique_ptr<Process> StartKubeApiServer(const std::vector<std::string>& more = {}) {
    ca_ = testing::MakeCa({.common_name = "clients"}).value();
    std::vector<std::string> arguments = {
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        "--bind-address=127.0.0.1",
        "--cert-dir=" + dir_.Path("certs"),
        "--client-ca-file=" + dir_.Write("clients.crt", ca_.cert_pem),
        "--disable-admission-plugins=ServiceAccount",
        "--etcd-servers=http://127.0.0.1:1",
        "--secure-port=0",
        "--service-account-issuer=https://127.0.0.1:1/",
        "--service-account-key-file=" + dir_.Write("sa-signer.crt", signer_.cert_pem),
        "--service-account-signing-key-file=" + dir_.Write("sa-signer.key", signer_.key_pem),
        "--service-cluster-ip-range=10.0.0.0/24"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Start("kube-apiserver", std::move(arguments));
  }
  // Returns the text after `before` in the log, up to the next quote or the end of the line.
  static std::string Logged(const Process& process, const std::string& before) {
    EXPECT_TRUE(process.EventuallyLogs(before)) << process.Stderr();
    const std::string log = process.Stderr();
    const std::size_t at = log.find(before);
    if (at == std::string::npos) return {};
    const std::size_t from = at + before.size();
    return log.substr(from, log.find_first_of("\"\n", from) - from);
  }
  rest::Config ConfigOf(const Process& server) const {
    rest::Config config{.host = Logged(server, "server=\"kube-apiserver\" url=\"")};
    config.tls.ca_data = ReadFile(dir_.Path("certs/apiserver.crt")).value();
    return config;
  }
  static Expected<rest::RawResponse> Get(const rest::Config& config, const std::string& path) {
    auto client = rest::Client::New(config);
    if (!client) return Err(client.error());
    return (*client)->GetRaw({}, path);
  }
  rest::Config WithCertificate(rest::Config config, const testing::KeyPair& ca,
                               const std::string& group = "system:masters") const {
    const auto pair = testing::MakeCertificate(
        ca, {.common_name = "jane", .client_auth = true, .organizations = {group}});
    config.tls.cert_data = pair->cert_pem;
    config.tls.key_data = pair->key_pem;
    return config;
  }

  // Returns the user that the server takes a client for, as JSON.
  static std::string WhoAmI(const rest::Config& config) {
    const auto transport =
        transport::NewHttp1Transport({.host = config.host, .tls = config.tls}).value();
    const auto response = transport->RoundTrip(
        {}, {.method = "POST",
             .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
             .headers = {{"Content-Type", "application/json"}},
             .body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"});
    std::string text;
    if (!response) return response.error().message;
    for (auto piece = (*response)->Read(); piece && !piece->empty(); piece = (*response)->Read()) {
      text += *piece;
    }
    return text;
  }

  testing::TempDir dir_;
  const testing::KeyPair signer_ = testing::MakeCa({.common_name = "signer"}).value();
  testing::KeyPair ca_;  // of the clients
};

TEST_F(ProgramTest, KubeApiServerServesClientsWithCertificates) {
  const auto server = StartKubeApiServer();
  const rest::Config config = ConfigOf(*server);

  const auto with = Get(WithCertificate(config, ca_), kDefaultNamespace);
  const auto without = Get(config, kDefaultNamespace);
  const auto of_others = Get(WithCertificate(config, testing::MakeCa({.common_name = "x"}).value()),
                             kDefaultNamespace);

  ASSERT_TRUE(with) << with.error().message;
  EXPECT_THAT(with->body, HasSubstr(R"("name":"default")"));
  EXPECT_THAT(WhoAmI(WithCertificate(config, ca_)),
              HasSubstr(R"("username":"jane","groups":["system:masters","system:authenticated"])"));
  ASSERT_FALSE(without);
  EXPECT_TRUE(IsForbidden(without.error())) << without.error().message;
  ASSERT_FALSE(of_others);
  EXPECT_TRUE(IsUnauthorized(of_others.error())) << of_others.error().message;
}

TEST_F(ProgramTest, KubeApiServerAuthorizesWithRbac) {
  const auto server = StartKubeApiServer();
  const rest::Config developer = WithCertificate(ConfigOf(*server), ca_, "developers");

  const auto denied = Get(developer, kDefaultNamespace);

  ASSERT_FALSE(denied);
  EXPECT_TRUE(IsForbidden(denied.error())) << denied.error().message;
  EXPECT_THAT(denied.error().message, HasSubstr("User \"jane\" cannot get resource"));
}

TEST_F(ProgramTest, KubeApiServerAllowsAllWithAlwaysAllow) {
  const auto server = StartKubeApiServer({"--authorization-mode=AlwaysAllow"});

  const auto got = Get(WithCertificate(ConfigOf(*server), ca_, "developers"), kDefaultNamespace);

  EXPECT_TRUE(got) << got.error().message;
}

TEST_F(ProgramTest, KubeApiServerIsHealthyForEverybody) {
  const auto server = StartKubeApiServer();
  const rest::Config config = ConfigOf(*server);

  for (const std::string path : {"/healthz", "/livez", "/readyz"}) {
    const auto got = Get(config, path);
    ASSERT_TRUE(got) << path << ": " << got.error().message;
    EXPECT_EQ(got->body, "ok");
  }
  const auto version = Get(config, "/version");
  ASSERT_TRUE(version) << version.error().message;
  const auto printed = Start("kube-apiserver", {"--version"});
  EXPECT_EQ(printed->ExitCode(), 0);
  EXPECT_THAT(printed->Stdout(), StartsWith("Kubernetes v1."));
  const std::string number = printed->Stdout().substr(std::string("Kubernetes ").size());
  EXPECT_THAT(version->body,
              HasSubstr("\"gitVersion\":\"" + number.substr(0, number.find('\n')) + "\""));
}

TEST_F(ProgramTest, KubeApiServerNamesUnknownFlagsInOneLine) {
  const auto server = StartKubeApiServer({"--audit-log-path=-", "--profiling", "false"});

  EXPECT_EQ(Logged(*server, "\"Ignored unknown flags\" flags=\""), "--audit-log-path --profiling");
}

TEST_F(ProgramTest, KubeApiServerReadsAuthorizationConfiguration) {
  const std::string file =
      dir_.Write("authorization.yaml",
                 "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthorizationConfiguration\n"
                 "authorizers: [{type: AlwaysDeny, name: alwaysdeny}]\n");
  const auto both = StartKubeApiServer({"--authorization-config=" + file});
  EXPECT_EQ(both->ExitCode(), 1);
  EXPECT_THAT(both->Stderr(),
              HasSubstr("--authorization-config can not be specified when --authorization-mode or "
                        "--authorization-webhook-* flags are defined"));

  const std::string tokens = dir_.Write("tokens", "jane-token,jane,7,devs\n");
  const auto server =
      Start("kube-apiserver", {"--bind-address=127.0.0.1", "--cert-dir=" + dir_.Path("certs"),
                               "--secure-port=0", "--authorization-config=" + file,
                               "--token-auth-file=" + tokens, "--anonymous-auth=false"});
  rest::Config config = ConfigOf(*server);
  const auto anonymous = Get(config, kDefaultNamespace);
  config.bearer_token = "jane-token";
  const auto denied = Get(config, kDefaultNamespace);

  ASSERT_FALSE(anonymous);
  EXPECT_TRUE(IsUnauthorized(anonymous.error())) << anonymous.error().message;
  ASSERT_FALSE(denied);
  EXPECT_THAT(denied.error().message,
              HasSubstr("User \"jane\" cannot get resource \"namespaces\" in API group \"\" in the "
                        "namespace \"default\": Everything is forbidden."));
}

TEST_F(ProgramTest, KubeApiServerAsksAuthorizationWebhook) {
  const std::string kubeconfig =
      dir_.Write("webhook.yaml",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                 "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1/a'}}]\n"
                 "users: [{name: u, user: {}}]\n");
  const auto server =
      Start("kube-apiserver",
            {"--bind-address=127.0.0.1", "--cert-dir=" + dir_.Path("certs"), "--secure-port=0",
             "--authorization-mode=Webhook", "--authorization-webhook-config-file=" + kubeconfig,
             "--token-auth-file=" + dir_.Write("tokens", "jane-token,jane,7\n")});
  rest::Config config = ConfigOf(*server);
  config.bearer_token = "jane-token";

  const auto failed = Get(config, kDefaultNamespace);

  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("Post \"http://127.0.0.1:1/a?timeout=30s\": dial "
                                                "tcp 127.0.0.1:1: connect: connection refused"));
}

// They would change what a real server answers, so a test must not believe that they do.
TEST_F(ProgramTest, KubeApiServerRefusesFilesThatItDoesNotRead) {
  for (const std::string flag :
       {"authentication-config", "authentication-token-webhook-config-file", "oidc-issuer-url",
        "authorization-policy-file", "admission-control-config-file"}) {
    const auto server = Start("kube-apiserver", {"--secure-port=0", "--" + flag + "=/x"});
    EXPECT_EQ(server->ExitCode(), 1) << flag;
    EXPECT_THAT(server->Stderr(),
                HasSubstr("invalid argument \"/x\" for --" + flag + ": it is not supported; "));
  }
}

TEST_F(ProgramTest, KubeApiServerRejectsBadValues) {
  const auto mode = Start("kube-apiserver", {"--cert-dir=" + dir_.Path("certs"), "--secure-port=0",
                                             "--authorization-mode=ABAC"});
  EXPECT_EQ(mode->ExitCode(), 1);
  EXPECT_THAT(mode->Stderr(), HasSubstr("invalid argument \"ABAC\" for --authorization-mode"));

  const auto port = Start("kube-apiserver", {"--secure-port=http"});
  EXPECT_EQ(port->ExitCode(), 1);
  EXPECT_THAT(port->Stderr(), HasSubstr("kube-apiserver: invalid argument \"http\""));
}

TEST_F(ProgramTest, EndsWithoutErrorAfterSigtermAndSigint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto server = StartKubeApiServer();
    EXPECT_TRUE(server->EventuallyLogs("\"Serving\"")) << server->Stderr();

    server->Signal(signal);

    EXPECT_EQ(server->ExitCode(), 0) << server->Stderr();
  }
}

// After a 503, the Java client of fabric8 watches with HTTP.
TEST_F(ProgramTest, KubeApiServerRejectsWatchOverWebSocket) {
  const auto server = StartKubeApiServer();
  const rest::Config config = WithCertificate(ConfigOf(*server), ca_);
  const auto transport =
      transport::NewHttp1Transport({.host = config.host, .tls = config.tls}).value();

  const auto response =
      transport->RoundTrip({}, {.target = "/api/v1/configmaps?watch=true",
                                .headers = {{"Connection", "Upgrade"}, {"Upgrade", "websocket"}}});

  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ((*response)->status(), 503);
}

// envtest looks for flags of old versions in the help, and fails when it does not exit with 0.
TEST_F(ProgramTest, HelpUnderEachName) {
  for (const std::string name : {"kube-apiserver", "etcd", "capstan-test-server"}) {
    const auto help = Start(name, {"--help"});
    EXPECT_EQ(help->ExitCode(), 0) << name;
    EXPECT_THAT(help->Stdout(), HasSubstr("Usage:\n  " + name));
    EXPECT_THAT(help->Stdout(), Not(HasSubstr("--insecure-port")));
    EXPECT_THAT(help->Stderr(), IsEmpty());
  }
}

TEST_F(ProgramTest, EtcdIsHealthyAndCreatesItsFolder) {
  const auto etcd =
      Start("etcd", {"-data-dir", dir_.Path("a/data"), "-wal-dir", dir_.Path("a/wal"),
                     "--listen-client-urls=http://127.0.0.1:0",
                     "--advertise-client-urls=http://127.0.0.1:0",
                     "--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true"});
  const auto port = static_cast<std::uint16_t>(
      std::atoi(Logged(*etcd, "url=\"http://127.0.0.1:0\" port=").c_str()));

  EXPECT_THAT(httpserver::Get(port, "/health"), HasSubstr(R"({"health":"true")"));
  EXPECT_THAT(httpserver::Get(port, "/version"), HasSubstr(R"({"etcdserver":"3.)"));
  EXPECT_THAT(httpserver::Get(port, "/v3/kv/range"), HasSubstr("404"));
  EXPECT_TRUE(std::filesystem::is_directory(dir_.Path("a/data")));
  etcd->Signal(SIGTERM);
  EXPECT_EQ(etcd->ExitCode(), 0) << etcd->Stderr();
}

TEST_F(ProgramTest, EtcdRejectsUrlWithoutPort) {
  const auto etcd =
      Start("etcd", {"--data-dir=" + dir_.Path("data"), "--listen-client-urls=http://127.0.0.1"});

  EXPECT_EQ(etcd->ExitCode(), 1);
  EXPECT_THAT(etcd->Stderr(), HasSubstr("\"http://127.0.0.1\" for --listen-client-urls"));
  EXPECT_THAT(etcd->Stderr(), EndsWith("\n"));
}

TEST_F(ProgramTest, StandaloneWritesKubeconfigAndLoadsObjects) {
  const std::string objects =
      dir_.Write("objects.yaml",
                 "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: other, name: loaded}\n");
  const auto server = Start("capstan-test-server",
                            {"--kubeconfig=" + dir_.Path("kubeconfig"), "--load=" + objects});
  ASSERT_TRUE(testing::Eventually([&] { return server->Stdout().ends_with("\n"); }))
      << server->Stderr();

  const auto config = clientcmd::LoadKubeconfig({dir_.Path("kubeconfig")}, "");

  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(server->Stdout(), "serving on " + config->host + "\n");
  const auto loaded = Get(*config, "/api/v1/namespaces/other/configmaps/loaded");
  EXPECT_TRUE(loaded) << loaded.error().message;
  server->Signal(SIGTERM);
  EXPECT_EQ(server->ExitCode(), 0) << server->Stderr();
}

// Its stdin is that of this test, which ends at once.
TEST_F(ProgramTest, StandaloneStopsAtTheEndOfStdin) {
  const FileDescriptor none(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const FileDescriptor before(dup(STDIN_FILENO));
  ASSERT_EQ(dup2(none.get(), STDIN_FILENO), STDIN_FILENO);
  const auto server = Start("capstan-test-server",
                            {"--kubeconfig=" + dir_.Path("kubeconfig"), "--until-stdin-ends"});
  if (before.get() >= 0) dup2(before.get(), STDIN_FILENO);

  EXPECT_EQ(server->ExitCode(), 0) << server->Stderr();
  EXPECT_THAT(server->Stdout(), StartsWith("serving on https://127.0.0.1:"));
}

TEST_F(ProgramTest, StandaloneRequiresKubeconfig) {
  const auto server = Start("capstan-test-server", {});

  EXPECT_EQ(server->ExitCode(), 1);
  EXPECT_THAT(server->Stderr(), HasSubstr("--kubeconfig is required"));
}

}  // namespace
}  // namespace capstan::cmd::test_server
