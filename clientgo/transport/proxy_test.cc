// SPDX-License-Identifier: Apache-2.0
// Which proxy leads to a server. The tables are golang.org/x/net/http/httpproxy's behaviour.
#include "clientgo/transport/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clientgo::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(ParseProxyUrlTest, MakesACredentialOfUserAndPassword) {
  const auto authorization = [](std::string_view url) {
    return ParseProxyUrl(url).value().authorization;
  };

  EXPECT_EQ(authorization("http://proxy:3128"), "");
  EXPECT_EQ(authorization("http://user:s3cret@proxy:3128"), "Basic dXNlcjpzM2NyZXQ=");
  EXPECT_EQ(authorization("user:s3cret@proxy:3128"), "Basic dXNlcjpzM2NyZXQ=");
  EXPECT_EQ(authorization("http://user@proxy:3128"), "Basic dXNlcjo=");
  // "us:er" and "p@s/%": each as an encoded URL has it.
  EXPECT_EQ(authorization("http://us%3Aer:p%40s%2f%25@proxy:3128"), "Basic dXM6ZXI6cEBzLyU=");
  // What is no escape stands for itself.
  EXPECT_EQ(authorization("http://user:100%@proxy:3128"), "Basic dXNlcjoxMDAl");
}

TEST(ParseProxyUrlTest, RefusesWhatItCannotUseWithoutEchoingThePassword) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://user:s3cret@proxy:3128", "a https:// proxy is not supported"},
      {"socks5://user:s3cret@proxy:1080", "a socks5:// proxy is not supported"},
      {"http://user:s3cret@proxy:many", "it must be http://[user:password@]host:port"},
      {"http://user:s3cret@", "it must be http://"},
      {"http://user:s3cret/s3cret@proxy:3128", "special characters of the password as %XX"},
      {"user:s3cret://@proxy:3128", "it must be http://"},
      {"http://", "it must be http://"},
      {"http://[fd00::1:3128", "it must be http://"},
  };
  for (const auto& [url, why] : cases) {
    const auto proxy = ParseProxyUrl(url);

    ASSERT_FALSE(proxy.has_value()) << url;
    EXPECT_EQ(proxy.error().reason, util::ErrorReason::kInvalidArgument);
    EXPECT_THAT(proxy.error().message, HasSubstr(why)) << url;
    EXPECT_THAT(proxy.error().message, Not(HasSubstr("s3cret")));
  }
}

// Whether NO_PROXY keeps this server from being reached through the proxy.
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

TEST(ParseProxyUrlTest, TakesNoPasswordWithASlashForAHost) {
  const auto proxy = ParseProxyUrl("http://user:8080/secret@proxy:3128");

  ASSERT_FALSE(proxy.has_value());
  EXPECT_THAT(proxy.error().message, HasSubstr("special characters of the password as %XX"));
  EXPECT_THAT(proxy.error().message, Not(HasSubstr("8080")));
}

TEST(ProxyForTest, TheSchemeOfTheServerPicksTheVariable) {
  const ProxyEnvironment both{.https_proxy = "http://s:1", .http_proxy = "http://p:2"};
  const auto https = ParseServerAddress("https://api.corp:6443").value();
  const auto http = ParseServerAddress("http://api.corp:8080").value();

  EXPECT_EQ(ProxyFor(https, both), "http://s:1");
  EXPECT_EQ(ProxyFor(http, both), "http://p:2");
  EXPECT_EQ(ProxyFor(http, {.https_proxy = "http://s:1"}), "");
  EXPECT_EQ(ProxyFor(https, {}), "");
}

TEST(ProxyForTest, NamesInNoProxyCoverTheirSubdomains) {
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

TEST(ProxyForTest, AddressesInNoProxyMatchAsAddresses) {
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

TEST(ProxyForTest, ThisMachineIsNeverReachedThroughAProxy) {
  Check({{"", {"localhost:6443", "127.0.0.1", "127.8.8.8", "[::1]:6443"}, {"128.0.0.1"}}});
}

TEST(ProxyForTest, GarbageInNoProxyIsIgnored) {
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

}  // namespace
}  // namespace clientgo::transport
