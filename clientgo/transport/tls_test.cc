// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <thread>

#include "capstan/testing/temp_dir.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;

class TlsTransportTest : public EachTransportTest {};

INSTANTIATE_TEST_SUITE_P(Transports, TlsTransportTest, EachTransport(), NameOf);

TEST_P(TlsTransportTest, TrustsConfiguredCa) {
  LoopbackServer server(ReplyOk, &tls_);

  EXPECT_EQ(Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}), "ok");
}

TEST_P(TlsTransportTest, RejectsUnknownCaAndSendsNothing) {
  LoopbackServer server(ReplyOk, &tls_);

  // Another key under the same name, and another name: OpenSSL reports them differently.
  for (const testing::KeyPair& other : {NewCa(), NewCa("other-ca")}) {
    EXPECT_THAT(Get({.host = server.url(), .tls = {.ca_data = other.cert_pem}}),
                HasSubstr("127.0.0.1:" + std::to_string(server.port()) +
                          ": tls: failed to verify certificate: "
                          "certificate signed by unknown authority"));
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_P(TlsTransportTest, ConfiguredCaReplacesSystemCas) {
  // Makes the server's CA the system's. OpenSSL reads this variable for each new context.
  const testing::TempDir dir;
  setenv("SSL_CERT_FILE", dir.Write("system.pem", ca_.cert_pem).c_str(), 1);
  LoopbackServer server(ReplyOk, &tls_);

  const std::string system = Get({.host = server.url()});
  const std::string custom =
      Get({.host = server.url(), .tls = {.ca_data = NewCa("other-ca").cert_pem}});
  unsetenv("SSL_CERT_FILE");

  EXPECT_EQ(system, "ok");
  EXPECT_THAT(custom, HasSubstr("certificate signed by unknown authority"));
}

TEST_P(TlsTransportTest, VerifiesServerNameAndReportsNamesInCertificate) {
  const LoopbackServer::Tls tls{
      .server =
          testing::MakeCertificate(ca_, {.common_name = "127.0.0.1",
                                         .dns_names = {"kubernetes.default.svc", "kubernetes"}})
              .value()};
  LoopbackServer server(ReplyOk, &tls);

  EXPECT_THAT(Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate is valid for kubernetes.default.svc, kubernetes, "
                        "not 127.0.0.1"));
  EXPECT_EQ(Get({.host = server.url(),
                 .tls = {.ca_data = ca_.cert_pem, .server_name = "kubernetes.default.svc"}}),
            "ok");
  EXPECT_THAT(Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .server_name = "other"}}),
              HasSubstr("not other"));
  EXPECT_EQ(server.requests(), 1);
}

TEST_P(TlsTransportTest, AcceptsAbsoluteNameAndSendsItWithoutDot) {
  std::promise<std::string> sent;
  LoopbackServer server(
      [&](LoopbackConnection& connection, const std::string& request) {
        sent.set_value(connection.ServerName());
        ReplyOk(connection, request);
      },
      &tls_);

  EXPECT_EQ(
      Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .server_name = "localhost."}}),
      "ok");

  EXPECT_EQ(sent.get_future().get(), "localhost");
}

TEST_P(TlsTransportTest, VerifiesAddressInAnyForm) {
  LoopbackServer ipv4(ReplyOk, &tls_);
  LoopbackServer ipv6(ReplyOk, &tls_, AF_INET6);
  const auto get = [&](const std::string& host, int port) {
    return Get(
        {.host = "https://" + host + ":" + std::to_string(port), .tls = {.ca_data = ca_.cert_pem}});
  };
  if (IsCpprest()) return;  // no IPv6 addresses

  EXPECT_EQ(get("[::ffff:127.0.0.1]", ipv4.port()), "ok");
  EXPECT_EQ(get("[0:0::1]", ipv6.port()), "ok");
  EXPECT_EQ(get("[::1%251]", ipv6.port()), "ok") << "interface 1";
}

TEST_P(TlsTransportTest, ReportsCertificateReasonForRefusedServerOnly) {
  LoopbackServer server(ReplyOk, &tls_);
  const LoopbackServer::Tls mutual = Mutual();
  LoopbackServer strict(ReplyOk, &mutual);
  const auto reason = [&](const Config& config) {
    auto response = Connect(config)->RoundTrip({}, {.target = "/"});
    return response ? ErrorReason::kUnknown : response.error().reason;
  };

  EXPECT_EQ(reason({.host = server.url(), .tls = {.ca_data = NewCa("other").cert_pem}}),
            ErrorReason::kCertificate);
  EXPECT_EQ(
      reason({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .server_name = "other"}}),
      ErrorReason::kCertificate);
  EXPECT_EQ(reason({.host = strict.url(), .tls = {.ca_data = ca_.cert_pem}}),
            ErrorReason::kTransport);
}

TEST_P(TlsTransportTest, NamesStepThatTookTooLong) {
  LoopbackServer mute(
      [](LoopbackConnection& connection, const std::string&) { connection.AwaitClose(); });
  struct Case {
    Config config;
    std::string step;
  };
  const std::vector<Case> cases = {
      {{.host = "https://" + HostPort(mute.url()), .tls = {.insecure_skip_verify = true}},
       "TLS handshake"},
      {{.host = "https://api.test:443", .proxy_url = mute.url()}, "the proxy's CONNECT"},
  };
  for (const auto& [config, step] : cases) {
    const auto response =
        Connect(config)->RoundTrip({}, {.target = "/", .answer_timeout = milliseconds(30)});

    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().reason, ErrorReason::kDeadlineExceeded);
    EXPECT_THAT(response.error().message,
                ::testing::EndsWith(IsCpprest() ? "(connecting)" : "(" + step + ")"));
  }
}

TEST_P(TlsTransportTest, RejectsExpiredCertificate) {
  const LoopbackServer::Tls tls{
      .server = testing::MakeCertificate(ca_, {.common_name = "old",
                                               .not_before = std::chrono::hours(-2),
                                               .not_after = std::chrono::hours(-1),
                                               .ip_addresses = {"127.0.0.1"}})
                    .value()};
  LoopbackServer server(ReplyOk, &tls);

  EXPECT_THAT(Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate has expired or is not yet valid"));
}

TEST_P(TlsTransportTest, InsecureSkipsVerificationAndRejectsCa) {
  LoopbackServer server(ReplyOk, &tls_);

  EXPECT_EQ(Get({.host = server.url(), .tls = {.insecure_skip_verify = true}}), "ok");
  EXPECT_THAT(
      Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .insecure_skip_verify = true}}),
      HasSubstr("insecure"));
}

TEST_P(TlsTransportTest, SendsClientCertificate) {
  LoopbackServer::Tls tls = tls_;
  tls.client_ca = ca_.cert_pem;
  LoopbackServer server(ReplyOk, &tls);
  const testing::KeyPair client = NewClientCertificate(ca_);

  EXPECT_EQ(Get({.host = server.url(),
                 .tls = {.ca_data = ca_.cert_pem,
                         .cert_data = client.cert_pem,
                         .key_data = client.key_pem}}),
            "ok");
  EXPECT_THAT(Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate required"));
}

TEST_P(TlsTransportTest, ReadsChangedFilesForNewConnections) {
  const testing::TempDir dir;
  LoopbackServer::Tls tls = tls_;
  const testing::KeyPair new_ca = NewCa("new-ca");
  tls.client_ca = new_ca.cert_pem;
  LoopbackServer server(ReplyOk, &tls);
  const testing::KeyPair old_client = NewClientCertificate(ca_);
  const Config config{.host = server.url(),
                      .tls = {.ca_file = dir.Write("ca.crt", ca_.cert_pem),
                              .cert_file = dir.Write("tls.crt", old_client.cert_pem),
                              .key_file = dir.Write("tls.key", old_client.key_pem)}};
  auto transport = Connect(config);
  EXPECT_NE(Get(*transport), "ok");

  const testing::KeyPair new_client = NewClientCertificate(new_ca);
  dir.Write("tls.crt", new_client.cert_pem);
  EXPECT_NE(Get(*transport), "ok") << "used a certificate without its key";
  dir.Write("tls.key", new_client.key_pem);

  EXPECT_EQ(Get(*transport), "ok");
}

TEST_P(TlsTransportTest, NamesUnusableFileOrField) {
  const testing::TempDir dir;
  const testing::KeyPair client = NewClientCertificate(ca_);
  const auto why = [&](const TlsConfig& tls) {
    auto transport = New({.host = "https://127.0.0.1:1", .tls = tls, .source = "/kube/config"});
    return transport ? "accepted" : transport.error().message;
  };

  EXPECT_THAT(why({.ca_data = "no pem"}),
              HasSubstr("/kube/config: certificate-authority-data: it contains no PEM-encoded"));
  EXPECT_THAT(why({.ca_file = "/nonexistent/ca.crt"}),
              HasSubstr("certificate-authority: open /nonexistent/ca.crt: No such file"));
  EXPECT_THAT(why({.ca_file = dir.Write("ca.crt", "")}), HasSubstr("ca.crt is empty"));
  std::string damaged = ca_.cert_pem;
  damaged.replace(100, 8, "AAAAAAAA");
  EXPECT_THAT(why({.ca_data = damaged}), HasSubstr("certificate-authority-data"));
  EXPECT_THAT(why({.cert_data = client.cert_pem}), HasSubstr("needs both"));
  EXPECT_THAT(why({.cert_data = client.cert_pem, .key_data = "x"}),
              HasSubstr("client-key-data: it contains no unencrypted PEM-encoded private key"));
  EXPECT_THAT(why({.cert_data = client.cert_pem, .key_data = ca_.key_pem}),
              HasSubstr("does not match the client certificate"));
}

TEST_P(TlsTransportTest, ReadsCertificatesAndKeysWhereGoDoes) {
  const auto with_blank_line = [](std::string pem) {
    return pem.insert(pem.find("-----END"), "\n");
  };
  LoopbackServer::Tls tls = tls_;
  tls.client_ca = ca_.cert_pem;
  LoopbackServer server(ReplyOk, &tls);
  const testing::KeyPair client = NewClientCertificate(ca_);
  const std::string cut_off = client.cert_pem.substr(0, client.cert_pem.size() / 2);

  EXPECT_EQ(Get({.host = server.url(),
                 .tls = {.ca_data = "# root\n" + with_blank_line(ca_.cert_pem) + cut_off,
                         .cert_data = with_blank_line(client.cert_pem),
                         .key_data = client.cert_pem + with_blank_line(client.key_pem)}}),
            "ok");
}

TEST_P(TlsTransportTest, StreamsAndCancelsOverTls) {
  LoopbackServer server(
      [](LoopbackConnection& connection, const std::string&) {
        connection.WriteHead(200);
        connection.WriteChunk("event");
        connection.AwaitClose();
      },
      &tls_);
  auto transport = Connect({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}});
  std::stop_source stop;
  auto response = transport->RoundTrip(stop.get_token(), {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->Read().value(), "event");

  stop.request_stop();

  auto bytes = (*response)->Read();
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().reason, ErrorReason::kCanceled);
}

bool MachineHasIpv6() {
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) close(fd);
  return has;
}

TEST_P(TlsTransportTest, ConnectsToIpv6Address) {
  if (!MachineHasIpv6()) GTEST_SKIP() << "this machine has no ::1";
  std::promise<std::string> seen;
  LoopbackServer server(
      [&](LoopbackConnection& connection, const std::string& request) {
        seen.set_value(request);
        ReplyOk(connection, request);
      },
      &tls_, AF_INET6);

  const std::string got = Get({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}});

  if (IsCpprest()) {
    EXPECT_EQ(got, "cpprestsdk cannot connect to the IPv6 address " + HostPort(server.url()) +
                       "; use a host name");
    return;
  }
  EXPECT_EQ(got, "ok");
  EXPECT_THAT(seen.get_future().get(), HasHeader("Host", HostPort(server.url())));
}

constexpr TransportOptions kCheckOften{.certificate_check_period = milliseconds(5)};

// Replies with the name of the client. A watch receives it as its only event.
void ReplyName(LoopbackConnection& connection, const std::string& request) {
  const std::string name = connection.ClientName();
  if (request.find("/watch") != std::string::npos) {
    connection.WriteHead(200);
    connection.WriteChunk(name);
    connection.AwaitClose();
    return;
  }
  connection.WriteHead(200, "Content-Length: " + std::to_string(name.size()) + "\r\n");
  connection.Write(name);
}

class TlsRotationTest : public EachTransportTest {
 protected:
  void WriteClient(const std::string& name) {
    const testing::KeyPair client = NewClientCertificate(ca_, name);
    dir_.Write("tls.key", client.key_pem);
    dir_.Write("tls.crt", client.cert_pem);
  }
  Config FilesConfig() {
    return {.host = server_.url(),
            .tls = {.ca_file = dir_.Write("ca.crt", ca_.cert_pem),
                    .cert_file = dir_.Path("tls.crt"),
                    .key_file = dir_.Path("tls.key")}};
  }
  // Starts a watch and waits for its first event. The future returns everything that it receives.
  static std::future<std::string> Watch(HttpTransport& transport, std::stop_token stop = {}) {
    auto response =
        transport.RoundTrip(std::move(stop), {.target = "/watch", .long_running = true});
    if (!response) {
      ADD_FAILURE() << response.error().message;
      return {};
    }
    auto first = (*response)->Read();
    return std::async(std::launch::async,
                      [body = first ? std::string(*first) : "", response = std::move(*response)] {
                        return body + ReadAll(*response);
                      });
  }

  const testing::TempDir dir_;
  const LoopbackServer::Tls mutual_ = Mutual();
  LoopbackServer server_{ReplyName, &mutual_};
};

INSTANTIATE_TEST_SUITE_P(Transports, TlsRotationTest, EachTransport(), NameOf);

TEST_P(TlsRotationTest, EndsSilentWatchWhenClientCertificateChanges) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig(), kCheckOften);
  auto watch = Watch(*transport);

  WriteClient("client-2");

  EXPECT_EQ(watch.get(), "client-1<UnexpectedEOF>");
  EXPECT_TRUE(server_.AwaitOpen(0));
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-2");
}

TEST_P(TlsRotationTest, EndsWatchWhenPluginCertificateChanges) {
  Mutex mu;
  auto current = std::make_shared<const ClientCertificate>();
  const auto use = [&](const std::string& name) {
    testing::KeyPair pair = NewClientCertificate(ca_, name);
    MutexLock lock(mu);
    current = std::make_shared<const ClientCertificate>(
        ClientCertificate{std::move(pair.cert_pem), std::move(pair.key_pem), "exec plugin x"});
  };
  use("plugin-1");
  auto transport = Connect(Config{.host = server_.url(),
                                  .tls = {.ca_data = ca_.cert_pem},
                                  .get_client_certificate =
                                      [&] {
                                        MutexLock lock(mu);
                                        return current;
                                      }},
                           kCheckOften);
  auto watch = Watch(*transport);

  use("plugin-2");

  EXPECT_EQ(watch.get(), "plugin-1<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "plugin-2");
}

TEST_P(TlsRotationTest, ClosesIdleConnectionsWithOldCertificate) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig());
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-1");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-1");
  EXPECT_EQ(server_.connections(), 1);

  WriteClient("client-2");

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-2");
  EXPECT_TRUE(server_.AwaitOpen(1)) << "the old one was not closed";
}

TEST_P(TlsRotationTest, KeepsWatchWhenCaChanges) {
  WriteClient("client-1");
  const testing::KeyPair client = NewClientCertificate(ca_, "client-1");
  auto certificate = std::make_shared<const ClientCertificate>(
      ClientCertificate{client.cert_pem, client.key_pem, "exec plugin x"});
  std::atomic<int> calls{0};
  Config config = FilesConfig();
  config.get_client_certificate = [&] {
    ++calls;
    return certificate;
  };
  auto transport = Connect(config, kCheckOften);
  std::stop_source stop;
  auto watch = Watch(*transport, stop.get_token());

  dir_.Write("ca.crt", ca_.cert_pem + NewCa("another").cert_pem);
  for (const int enough = calls + 3; calls < enough;) std::this_thread::yield();
  stop.request_stop();

  EXPECT_EQ(watch.get(), "client-1<Canceled>");
}

TEST_P(TlsRotationTest, KeepsIdleTimeoutWhileCheckingCertificate) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig(), kCheckOften);

  EXPECT_EQ(Fetch(*transport,
                  {.target = "/watch", .idle_timeout = milliseconds(200), .long_running = true}),
            "client-1<UnexpectedEOF>");
}

}  // namespace
}  // namespace capstan::transport
