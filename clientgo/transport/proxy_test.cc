// SPDX-License-Identifier: Apache-2.0
// Tests of which proxy leads to a server, and of requests through it. The tables are the behaviour
// of golang.org/x/net/http/httpproxy.
#include "clientgo/transport/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/eventually.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string AddressOf(std::string_view url) {
  const auto proxy = ParseProxyUrl(url);
  return proxy ? proxy->address.HostPort() : proxy.error().message;
}

TEST(ParseProxyUrlTest, ReadsHostAndPort) {
  EXPECT_EQ(AddressOf("http://10.0.0.1:3128"), "10.0.0.1:3128");
  EXPECT_EQ(AddressOf("HTTP://proxy.corp:3128/"), "proxy.corp:3128");
  EXPECT_EQ(AddressOf("http://[fd00::1]:3128"), "[fd00::1]:3128");
  EXPECT_EQ(AddressOf("http://proxy.corp"), "proxy.corp:80") << "as Go, not 3128";
  EXPECT_EQ(AddressOf("proxy.corp:8080"), "proxy.corp:8080") << "the environment's short form";
}

TEST(ParseProxyUrlTest, IgnoresPathAndQuery) {
  EXPECT_EQ(ParseProxyUrl("http://proxy:3128/a?b").value().address.Url(), "http://proxy:3128");
  EXPECT_EQ(AddressOf("proxy:3128?http://a"), "proxy:3128");
}

TEST(ParseProxyUrlTest, EncodesUserAndPassword) {
  const auto authorization = [](std::string_view url) {
    return ParseProxyUrl(url).value().authorization;
  };

  EXPECT_EQ(authorization("http://proxy:3128"), "");
  EXPECT_EQ(authorization("http://user:s3cret@proxy:3128"), "Basic dXNlcjpzM2NyZXQ=");
  EXPECT_EQ(authorization("user:s3cret@proxy:3128"), "Basic dXNlcjpzM2NyZXQ=");
  EXPECT_EQ(authorization("http://user@proxy:3128"), "Basic dXNlcjo=");
  // "us:er" and "p@s/%" in their encoded form.
  EXPECT_EQ(authorization("http://us%3Aer:p%40s%2f%25@proxy:3128"), "Basic dXM6ZXI6cEBzLyU=");
  // A '%' that starts no escape is literal.
  EXPECT_EQ(authorization("http://user:100%@proxy:3128"), "Basic dXNlcjoxMDAl");
}

TEST(ParseProxyUrlTest, RejectsUnusableUrlWithoutEchoingPassword) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://user:s3cret@proxy:3128", "a https:// proxy is not supported"},
      {"socks5://user:s3cret@proxy:1080", "a socks5:// proxy is not supported"},
      {"http://user:s3cret@proxy:many", "it must be http://[user:password@]host:port"},
      {"http://user:s3cret@", "it must be http://"},
      {"http://user:s3cret/s3cret@proxy:3128", "special characters of the password as %XX"},
      {"user:s3cret://@proxy:3128", "it must be http://"},
      {"http://", "it must be http://"},
      {"http:/proxy:3128", "it must be http://"},
      {"http:proxy:3128", "it must be http://"},
      {"http://proxy:3128/%zz", "it must be http://"},
      {"http://proxy:3128/\n", "it must be http://"},
      {"http://[fd00::1:3128", "it must be http://"},
  };
  for (const auto& [url, why] : cases) {
    const auto proxy = ParseProxyUrl(url);

    ASSERT_FALSE(proxy.has_value()) << url;
    EXPECT_EQ(proxy.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(proxy.error().message, HasSubstr(why)) << url;
    EXPECT_THAT(proxy.error().message, Not(HasSubstr("s3cret")));
  }
}

// Reports whether NO_PROXY excludes this server from the proxy.
bool IsDirect(const std::string& no_proxy, const std::string& server) {
  const ProxyEnvironment environment{.https_proxy = "http://proxy:3128", .no_proxy = no_proxy};
  return ProxyFor(ParseServerAddress("https://" + server).value(), environment).empty();
}

struct NoProxyCase {
  std::string no_proxy;
  std::vector<std::string> direct = {};
  std::vector<std::string> proxied = {};
};

void Check(const std::vector<NoProxyCase>& cases) {
  for (const auto& [no_proxy, direct, proxied] : cases) {
    for (const auto& server : direct) {
      EXPECT_TRUE(IsDirect(no_proxy, server)) << '"' << no_proxy << "\" " << server;
    }
    for (const auto& server : proxied) {
      EXPECT_FALSE(IsDirect(no_proxy, server)) << '"' << no_proxy << "\" " << server;
    }
  }
}

TEST(ParseProxyUrlTest, RejectsPasswordWithSlash) {
  const auto proxy = ParseProxyUrl("http://user:8080/secret@proxy:3128");

  ASSERT_FALSE(proxy.has_value());
  EXPECT_THAT(proxy.error().message, HasSubstr("special characters of the password as %XX"));
  EXPECT_THAT(proxy.error().message, Not(HasSubstr("8080")));
}

TEST(ProxyForTest, SelectsVariableByServerScheme) {
  const ProxyEnvironment both{.https_proxy = "http://s:1", .http_proxy = "http://p:2"};
  const auto https = ParseServerAddress("https://api.corp:6443").value();
  const auto http = ParseServerAddress("http://api.corp:8080").value();

  EXPECT_EQ(ProxyFor(https, both), "http://s:1");
  EXPECT_EQ(ProxyFor(http, both), "http://p:2");
  EXPECT_EQ(ProxyFor(http, {.https_proxy = "http://s:1"}), "");
  EXPECT_EQ(ProxyFor(https, {}), "");
}

TEST(ProxyForTest, NoProxyNamesIncludeSubdomains) {
  Check({
      {"", {}, {"api.corp", "10.0.0.1"}},
      {"*", {"api.corp", "10.0.0.1", "[fd00::1]"}, {}},
      {"api.corp", {"api.corp", "a.api.corp", "API.Corp"}, {"xapi.corp", "corp", "api.corp.com"}},
      {"API.Corp", {"api.corp", "a.api.corp"}, {"other.corp"}},
      {".corp", {"api.corp", "a.b.corp"}, {"corp", "xcorp"}},
      {"*.corp", {"api.corp", "a.b.corp"}, {"corp", "xcorp"}},
      {"a.io, b.io ,\tc.io", {"a.io", "b.io", "c.io"}, {"d.io"}},
      {"api.corp:6443", {"api.corp:6443", "x.api.corp:6443"}, {"api.corp", "api.corp:443"}},
      {"api.corp:443", {"api.corp", "api.corp:443"}, {"api.corp:6443"}},
      {".corp:6443", {"api.corp:6443"}, {"api.corp:443", "corp:6443"}},
  });
}

TEST(ProxyForTest, NoProxyAddressesMatchAsAddresses) {
  Check({
      {"10.0.0.1", {"10.0.0.1:6443"}, {"10.0.0.10", "110.0.0.1"}},
      {"10.0.0.1:6443", {"10.0.0.1:6443"}, {"10.0.0.1:443"}},
      {"fd00::1", {"[fd00::1]:6443", "[fd00:0:0::1]"}, {"[fd00::11]"}},
      {"[fd00::1]:6443", {"[fd00::1]:6443"}, {"[fd00::1]:443"}},
      {"10.0.0.0/8", {"10.255.0.1", "10.0.0.0"}, {"11.0.0.1", "api.corp", "[fd00::1]"}},
      {"10.96.0.0/12", {"10.96.0.1", "10.111.255.255"}, {"10.112.0.0", "10.95.255.255"}},
      {"10.0.0.1/32", {"10.0.0.1"}, {"10.0.0.2"}},
      {"0.0.0.0/0", {"10.0.0.1"}, {"[fd00::1]", "api.corp"}},
      {"fd00::/8", {"[fd00::1]", "[fdff::1]"}, {"[fe00::1]", "10.0.0.1"}},
      {"fd00:1:2::/47", {"[fd00:1:3::1]"}, {"[fd00:1:4::1]"}},
      {"::/0", {"[fd00::1]"}, {"10.0.0.1"}},
      {"0.0.1", {}, {"10.0.0.1"}},
  });
}

TEST(ProxyForTest, ReadsUnusualEntriesAsGo) {
  Check({
      {"[fd00::1]", {}, {"[fd00::1]"}},
      {"[b.c]", {}, {"b.c"}},
      {"[b.c]:6443", {"b.c:6443"}, {"b.c"}},
      {"a.b.c:", {"a.b.c"}, {}},
      {":443", {}, {"a.b.c", "10.0.0.1"}},
      {"b.c:6443:1", {}, {"b.c:6443"}},
      {"b.c.", {"b.c.", "a.b.c."}, {"b.c"}},
      {".", {"b.c."}, {"b.c"}},
      {"\v\fb.c", {"b.c"}, {}},
      {"::ffff:10.0.0.0/104", {"10.1.2.3"}, {"11.0.0.1"}},
      {"10.0.0.0/8", {"[::ffff:10.0.0.1]"}, {}},
      {"fe80::/10", {"[fe80::1%25eth0]"}, {}},
      {"fe80::1", {"[fe80::1%25eth0]"}, {}},
  });
}

TEST(ProxyForTest, ConnectsDirectlyToLocalMachine) {
  Check({{"", {}, {"LOCALHOST"}}});
  Check({{"",
          {"localhost:6443", "[::ffff:127.0.0.1]", "127.0.0.1", "127.8.8.8", "[::1]:6443"},
          {"128.0.0.1"}}});
}

TEST(ProxyForTest, IgnoresGarbageInNoProxy) {
  const std::vector<std::string> garbage = {",",           " , ,",
                                            ":6443",       "10.0.0.0/33",
                                            "10.0.0.0/-1", "10.0.0.0/",
                                            "10.0.0.0/x",  "10.0.0/8",
                                            "/8",          "fd00::/129",
                                            "[",           "[]",
                                            "[fd00::1",    "http://api.corp",
                                            ".",           "*.",
                                            "a b"};
  for (const auto& entry : garbage) {
    Check({{entry, {}, {"api.corp:6443", "10.0.0.1:6443", "[fd00::1]:6443"}},
           {entry + ",api.corp", {"api.corp:6443"}, {"10.0.0.1:6443"}}});
  }
}

constexpr char kPassword[] = "s3cret";

// "http://user:s3cret@127.0.0.1:port"
std::string UrlOf(const LoopbackServer& proxy) {
  return std::string("http://user:") + kPassword + "@127.0.0.1:" + std::to_string(proxy.port());
}

// ScopedVariable sets an environment variable for one test.
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

// A server whose name only the proxy can resolve.
class ProxyTransportTest : public EachTransportTest {
 protected:
  static constexpr char kServer[] = "kubernetes.invalid:6443";

  ProxyTransportTest() { StartServer(); }
  void StartServer() {
    const auto cert =
        testing::MakeCertificate(ca_, {.common_name = "k", .dns_names = {"kubernetes.invalid"}});
    const LoopbackServer::Tls tls{.server = cert.value(), .http2 = tls_.http2};
    server_ = std::make_unique<LoopbackServer>(ReplyOk, &tls);
  }
  Config ConfigFor(const LoopbackServer& proxy) const {
    return {.host = std::string("https://") + kServer,
            .proxy_url = UrlOf(proxy),
            .tls = {.ca_data = ca_.cert_pem}};
  }
  // Returns the error when the proxy replies to CONNECT with these bytes and closes.
  Error ErrorAfter(std::string_view answer) {
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

INSTANTIATE_TEST_SUITE_P(Transports, ProxyTransportTest, EachTransport(), NameOf);

TEST_P(ProxyTransportTest, TunnelsTlsWithoutResolvingServerName) {
  std::promise<std::string> requested;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string& request) {
    requested.set_value(request);
    connection.Write("HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  auto transport = Connect(ConfigFor(proxy));

  EXPECT_EQ(Get(*transport), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/again"}), "ok") << "through the open tunnel";

  const std::string own_header = IsCpprest() ? "Proxy-Connection: Keep-Alive\r\n" : "";
  EXPECT_EQ(requested.get_future().get(),
            "CONNECT kubernetes.invalid:6443 HTTP/1.1\r\nHost: kubernetes.invalid:6443\r\n" +
                own_header + "Proxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n\r\n");
}

TEST_P(ProxyTransportTest, VerifiesServerCertificateThroughTunnel) {
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

TEST_P(ProxyTransportTest, ReportsWhyProxyRefused) {
  struct Case {
    std::string answer;
    std::string why;
    std::string cpprest;  // what cpprestsdk knows
  };
  const std::vector<Case> cases = {
      {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
       "CONNECT refused: 407 Proxy Authentication Required; set user and password",
       "CONNECT refused: 407; set user and password"},
      {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "CONNECT refused: 502 Bad Gateway",
       "CONNECT refused: 502"},
      {"HTTP/1.0 403 Forbidden\r\n\r\n", "CONNECT refused: 403 Forbidden", "CONNECT refused: 403"},
      {"", "it closed the connection", "Failed to read HTTP status line from proxy"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "it is not an HTTP proxy",
       "Failed to read HTTP status line from proxy"},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "it is not an HTTP proxy", "Invalid HTTP status line"},
      {std::string(40000, 'x'), "it is not an HTTP proxy",
       "Failed to read HTTP status line from proxy"},
  };
  for (const auto& [answer, why, cpprest] : cases) {
    const Error error = ErrorAfter(answer);

    EXPECT_EQ(error.reason, ErrorReason::kProxy) << answer;
    EXPECT_THAT(error.message, HasSubstr(IsCpprest() ? cpprest : why));
  }
  EXPECT_EQ(server_->connections(), 0);
}

TEST_P(ProxyTransportTest, ReportsProxyErrorWhenProxyIsUnreachable) {
  Config config;
  {
    const LoopbackServer gone(ReplyOk);
    config = ConfigFor(gone);
  }

  const auto response = Connect(config)->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kProxy);
  EXPECT_THAT(response.error().message,
              AllOf(StartsWith("kubernetes.invalid:6443: proxy 127.0.0.1:"),
                    HasSubstr("connection refused"), Not(HasSubstr(kPassword))));
}

TEST_P(ProxyTransportTest, StopEndsWaitForSilentProxy) {
  std::promise<void> requested;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    requested.set_value();
    connection.AwaitClose();
  });
  auto transport = Connect(ConfigFor(proxy));
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    const auto response = transport->RoundTrip(stop.get_token(), {.target = "/"});
    return response ? ErrorReason::kUnknown : response.error().reason;
  });
  requested.get_future().wait();

  stop.request_stop();

  EXPECT_EQ(result.get(), ErrorReason::kCanceled);
  // cpprestsdk cannot be canceled before CONNECT is answered. It leaves the connection open.
  EXPECT_TRUE(proxy.AwaitOpen(IsCpprest() ? 1 : 0));
}

// Returns whether the client of this process has an HTTP/2 connection: each has a thread.
bool HasHttp2Connection() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm") >> std::ws, name);
    if (name == "http2") return true;
  }
  return false;
}

TEST_P(ProxyTransportTest, SendsPostThroughNewTunnelWhenKeptOneIsClosed) {
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 200 OK\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  auto transport = Connect(ConfigFor(proxy));
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(HasHttp2Connection(), GetParam() == Tested::kHttp2);
  server_.reset();
  ASSERT_TRUE(proxy.AwaitOpen(0));
  // A POST on a connection whose end was not yet read would fail: the server may have handled it.
  ASSERT_TRUE(testing::Eventually([] { return !HasHttp2Connection(); }));
  StartServer();

  const std::string got = Fetch(*transport, {.method = "POST", .target = "/"});

  EXPECT_EQ(got, IsCpprest() ? "<UnexpectedEOF>" : "ok");
  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/"}), "ok");
}

TEST_P(ProxyTransportTest, PlainRequestNamesServerToProxy) {
  std::promise<std::string> requested;
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string& request) {
    requested.set_value(request);
    ReplyOk(connection, request);
  });
  auto transport =
      Connect(Config{.host = "http://kubernetes.invalid:8080/k8s", .proxy_url = UrlOf(proxy)});

  EXPECT_EQ(Get(*transport, {.target = "/api?x=1"}), "ok");

  const std::string request = requested.get_future().get();
  EXPECT_THAT(request, StartsWith("GET http://kubernetes.invalid:8080/k8s/api?x=1 HTTP/1.1\r\n"
                                  "Host: kubernetes.invalid:8080\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nProxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n"));
}

TEST_P(ProxyTransportTest, UsesEnvironmentWhenConfigurationNamesNoProxy) {
  LoopbackServer proxy([&](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 200 OK\r\n\r\n");
    connection.RelayTo(server_->port());
  });
  Config config = ConfigFor(proxy);
  const ScopedVariable https("HTTPS_PROXY", std::exchange(config.proxy_url, ""));

  EXPECT_EQ(Get(config), "ok");
  const ScopedVariable none("NO_PROXY", "kubernetes.invalid");
  EXPECT_THAT(Get(config), HasSubstr("lookup kubernetes.invalid"));
}

TEST_P(ProxyTransportTest, NamesUnusableVariable) {
  const ScopedVariable https("HTTPS_PROXY", "socks5://user:s3cret@proxy:1080");

  EXPECT_EQ(Get(Config{.host = "https://kubernetes.invalid:6443"}),
            "HTTPS_PROXY: invalid proxy: a socks5:// proxy is not supported; use an http:// one");
  EXPECT_EQ(Get(Config{.host = server_->url(), .tls = {.insecure_skip_verify = true}}), "ok")
      << "the local machine needs no proxy";
}

}  // namespace
}  // namespace capstan::transport
