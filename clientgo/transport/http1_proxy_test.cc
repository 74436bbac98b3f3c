// SPDX-License-Identifier: Apache-2.0
// Requests through a proxy, and what a proxy that does not do its part looks like.
#include <cstdlib>
#include <future>
#include <utility>
#include <vector>

#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

using ::testing::AllOf;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kPassword[] = "s3cret";

// "http://user:s3cret@127.0.0.1:port"
std::string UrlOf(const LoopbackServer& proxy) {
  return std::string("http://user:") + kPassword + "@127.0.0.1:" + std::to_string(proxy.port());
}

// Sets a variable of the environment for one test.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~ScopedVariable() { unsetenv(name_.c_str()); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const std::string name_;
};

// A server that only a proxy can look up, and a proxy.
class Http1ProxyTest : public Http1TransportTlsTest {
 protected:
  static constexpr char kServer[] = "kubernetes.invalid:6443";

  Http1ProxyTest() {
    const auto cert =
        testing::MakeCertificate(ca_, {.common_name = "k", .dns_names = {"kubernetes.invalid"}});
    const LoopbackServer::Tls tls{.server = cert.value()};
    server_ = std::make_unique<LoopbackServer>(Answer, &tls);
  }
  Config ConfigFor(const LoopbackServer& proxy) const {
    return {.host = std::string("https://") + kServer,
            .proxy_url = UrlOf(proxy),
            .tls = {.ca_data = ca_.cert_pem}};
  }
  // The proxy's CONNECT is answered with these bytes and the end.
  util::Error ErrorAfter(std::string_view answer) {
    LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
      connection.Write(answer);
      connection.End();
    });
    const auto response = Connect(ConfigFor(proxy))->RoundTrip({}, {.target = "/"});
    EXPECT_FALSE(response.has_value());
    const std::string both =
        std::string(kServer) + ": proxy 127.0.0.1:" + std::to_string(proxy.port()) + ": ";
    EXPECT_THAT(response.error().message, AllOf(StartsWith(both), Not(HasSubstr(kPassword))));
    return response.error();
  }

  std::unique_ptr<LoopbackServer> server_;
};

TEST_F(Http1ProxyTest, TunnelsTlsAndLooksNoNameUp) {
  std::promise<std::string> asked;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string& request) {
    asked.set_value(request);
    connection.Write("HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  auto transport = Connect(ConfigFor(proxy));

  EXPECT_EQ(Ask(*transport), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/again"}), "ok") << "through the tunnel that is open";

  EXPECT_EQ(asked.get_future().get(),
            "CONNECT kubernetes.invalid:6443 HTTP/1.1\r\nHost: kubernetes.invalid:6443\r\n"
            "Proxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n\r\n");
}

TEST_F(Http1ProxyTest, TheCertificateIsCheckedThroughTheTunnel) {
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 200 OK\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  Config config = ConfigFor(proxy);
  config.tls.ca_data = NewCa("other").cert_pem;

  const auto response = Connect(config)->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kCertificate);
  EXPECT_THAT(response.error().message, StartsWith("kubernetes.invalid:6443: tls: failed to "));
}

TEST_F(Http1ProxyTest, SaysHowTheProxyRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
       "CONNECT refused: 407 Proxy Authentication Required; set user and password"},
      {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "CONNECT refused: 502 Bad Gateway"},
      {"HTTP/1.0 403 Forbidden\r\n\r\n", "CONNECT refused: 403 Forbidden"},
      {"", "it closed the connection"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "it is not an HTTP proxy"},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "it is not an HTTP proxy"},
      {std::string(40000, 'x'), "it is not an HTTP proxy"},
  };
  for (const auto& [answer, why] : cases) {
    const util::Error error = ErrorAfter(answer);

    EXPECT_EQ(error.reason, ErrorReason::kProxy) << answer;
    EXPECT_THAT(error.message, HasSubstr(why));
  }
  EXPECT_EQ(server_->connections(), 0);
}

TEST_F(Http1ProxyTest, NobodyAtTheProxyIsTheProxysFault) {
  Config config;
  {
    const LoopbackServer gone(Answer);
    config = ConfigFor(gone);
  }

  const auto response = Connect(config)->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kProxy);
  EXPECT_THAT(response.error().message,
              AllOf(StartsWith("kubernetes.invalid:6443: proxy 127.0.0.1:"),
                    HasSubstr("connection refused"), Not(HasSubstr(kPassword))));
}

TEST_F(Http1ProxyTest, StopEndsTheWaitForAProxyThatNeverAnswers) {
  std::promise<void> asked;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    asked.set_value();
    connection.AwaitClose();
  });
  auto transport = Connect(ConfigFor(proxy));
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    const auto response = transport->RoundTrip(stop.get_token(), {.target = "/"});
    return response ? ErrorReason::kUnknown : response.error().reason;
  });
  asked.get_future().wait();

  stop.request_stop();

  EXPECT_EQ(result.get(), ErrorReason::kCanceled);
  EXPECT_TRUE(proxy.AwaitOpen(0));
}

TEST_F(Http1ProxyTest, PlainRequestsNameTheServerToTheProxy) {
  std::promise<std::string> asked;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string& request) {
    asked.set_value(request);
    Answer(connection, request);
  });
  auto transport =
      Connect(Config{.host = "http://kubernetes.invalid:8080/k8s", .proxy_url = UrlOf(proxy)});

  EXPECT_EQ(Ask(*transport, {.target = "/api?x=1"}), "ok");

  const std::string request = asked.get_future().get();
  EXPECT_THAT(request, StartsWith("GET http://kubernetes.invalid:8080/k8s/api?x=1 HTTP/1.1\r\n"
                                  "Host: kubernetes.invalid:8080\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nProxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n"));
}

TEST_F(Http1ProxyTest, TheEnvironmentDecidesWhereTheConfigurationDoesNot) {
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 200 OK\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  Config config = ConfigFor(proxy);
  const ScopedVariable https("HTTPS_PROXY", std::exchange(config.proxy_url, ""));

  EXPECT_EQ(Ask(config), "ok");
  const ScopedVariable none("NO_PROXY", "kubernetes.invalid");
  EXPECT_THAT(Ask(config), HasSubstr("lookup kubernetes.invalid"));
}

TEST_F(Http1ProxyTest, AVariableThatCannotBeUsedIsNamed) {
  const ScopedVariable https("HTTPS_PROXY", "socks5://user:s3cret@proxy:1080");

  EXPECT_EQ(Ask(Config{.host = "https://kubernetes.invalid:6443"}),
            "HTTPS_PROXY: invalid proxy: a socks5:// proxy is not supported, use an http:// one");
  EXPECT_EQ(Ask(Config{.host = server_->url(), .tls = {.insecure_skip_verify = true}}), "ok")
      << "this machine is reached directly";
}

}  // namespace
}  // namespace clientgo::transport
