// SPDX-License-Identifier: Apache-2.0
// The tables are what client-go's rest.DefaultServerUrlFor and rest.Request make of a host.
#include "clientgo/transport/server_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::transport {
namespace {

using ::testing::HasSubstr;

// Returns where the requests go, or the error.
std::string Parsed(const std::string& url, bool default_tls = false) {
  const auto address = ParseServerAddress(url, default_tls);
  return address ? address->Url() : address.error().message;
}

TEST(ParseServerAddressTest, ReadsUrlAsGo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://10.0.0.1:6443", "https://10.0.0.1:6443"},
      {"https://10.0.0.1", "https://10.0.0.1:443"},
      {"https://10.0.0.1:", "https://10.0.0.1:443"},
      {"http://api.example.com", "http://api.example.com:80"},
      {"HTTPS://10.0.0.1:6443", "https://10.0.0.1:6443"},
      {"Http://x", "http://x:80"},
      {"https://[::1]", "https://[::1]:443"},
      {"https://[::ffff:127.0.0.1]:6443", "https://[::ffff:127.0.0.1]:6443"},
      {"https://[fe80::1%25eth0]:6443", "https://[fe80::1%25eth0]:6443"},
      {"https://[fe80::1%25eth%300]:6443", "https://[fe80::1%25eth00]:6443"},
      {"https://api.example.com.:6443/", "https://api.example.com.:6443"},
      {"https://a_b.c", "https://a_b.c:443"},
      {"https://h:6443?x", "https://h:6443"},
      {"https://h#f", "https://h:443"},
  };
  for (const auto& [url, want] : cases) EXPECT_EQ(Parsed(url), want) << url;
}

TEST(ParseServerAddressTest, MakesPathCanonicalAsClientGo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/", ""},
      {"//", ""},
      {"//x//", "/x"},
      {"/a/b/", "/a/b"},
      {"/a/../b", "/b"},
      {"/a/./b", "/a/b"},
      {"/../..", ""},
      {"/a%20b", "/a%20b"},
      {"/a b", "/a%20b"},
      {"/a%2Fb", "/a/b"},
      {"/\xC3\xBC", "/%C3%BC"},
      {"/a!*'()[]", "/a%21%2A%27%28%29%5B%5D"},
      {"/a\"<>^`{|}\\", "/a%22%3C%3E%5E%60%7B%7C%7D%5C"},
      {"/a$&+,:;=@~-_.", "/a$&+,:;=@~-_."},
      {"/a%3Fb%23c%25d", "/a%3Fb%23c%25d"},
      {"/x?y=z", "/x"},
      {"/x#f?", "/x"},
  };
  for (const auto& [path, want] : cases) {
    EXPECT_EQ(Parsed("https://h" + path), "https://h:443" + want) << path;
  }
}

TEST(ParseServerAddressTest, ReadsHostWithoutSchemeAsClientGo) {
  EXPECT_EQ(Parsed("localhost:8080"), "http://localhost:8080");
  EXPECT_EQ(Parsed("10.0.0.1:6443", true), "https://10.0.0.1:6443");
  EXPECT_EQ(Parsed("[::1]:6443/", true), "https://[::1]:6443");
  EXPECT_EQ(Parsed("h", true), "https://h:443");
  EXPECT_THAT(Parsed("h:6443/x"), HasSubstr("must start with https:// or http://"));
  EXPECT_THAT(Parsed("//h:1"), HasSubstr("the host is missing"));
  EXPECT_THAT(Parsed("https:/h"), HasSubstr("must start with https:// or http://"));
}

TEST(ParseServerAddressTest, RejectsWhatGoRejects) {
  for (const char* url : {"https://10.0.0.1:0",
                          "https://10.0.0.1:65536",
                          "https://10.0.0.1:+1",
                          "https://h:443:443",
                          "https://[fe80::1%eth0]:6443",
                          "https://[fe80::1%25]:6443",
                          "https://[::1]x",
                          "https://[::1]:x",
                          "https://[::1",
                          "https://::1",
                          "https://[api.example.com]",
                          "https://[10.0.0.1]",
                          "https://h/a%zz",
                          "https://h/%2",
                          "https://h/\t",
                          "https://h\n",
                          "https://h/\x7f",
                          "https://a b",
                          "https://a%20b",
                          "https://:6443",
                          "https://",
                          "https:h",
                          "/h",
                          "",
                          "::1",
                          "ftp://h",
                          "unix:///var/run/x",
                          " https://h",
                          "https://h ",
                          "://h",
                          "https://h#%zz"}) {
    EXPECT_THAT(Parsed(url), HasSubstr("invalid server")) << url;
  }
}

// Go looks up none of them. getaddrinfo reads some as addresses.
TEST(ParseServerAddressTest, RejectsHostsThatGoDoesNotLookUp) {
  const std::string label(63, 'a');
  const std::string name = label + "." + label + "." + label + "." + label;  // 255 bytes
  for (const std::string& host :
       {std::string("1"), std::string("10.1"), std::string("10.0.01"), std::string("256.1.1.1"),
        std::string("010.0.0.1"), std::string("."), std::string(".a"), std::string("a..b"),
        std::string("a.."), std::string("-a"), std::string("a-"), std::string("a-.b"), label + "a",
        name}) {
    EXPECT_THAT(Parsed("https://" + host), HasSubstr("not a host name or address")) << host;
  }
  for (const std::string& host : {std::string("0x7f.1"), std::string("1-1"), std::string("_a"),
                                  std::string("a."), label, name.substr(2)}) {
    EXPECT_EQ(Parsed("https://" + host), "https://" + host + ":443");
  }
}

TEST(ParseServerAddressTest, RejectsHostThatIsNotAscii) {
  EXPECT_THAT(Parsed("https://\xC3\xA4"), HasSubstr("not a host name or address"));
}

TEST(ParseServerAddressTest, ReadsPortWithLeadingZeros) {
  EXPECT_EQ(Parsed("https://h:0443"), "https://h:443");
}

TEST(ParseServerAddressTest, IgnoresControlCharacterInFragment) {
  EXPECT_EQ(Parsed("https://h/a#\n"), "https://h:443/a");
}

// Only a scheme at the beginning is one.
TEST(ParseServerAddressTest, FindsNoSchemeInQuery) {
  EXPECT_EQ(Parsed("h:1?https://a"), "http://h:1");
  EXPECT_EQ(Parsed("h/#https://a"), "http://h:80");
}

TEST(ParseServerAddressTest, DoesNotQuoteUser) {
  EXPECT_THAT(Parsed("https://u:s3cret@h"), Not(HasSubstr("s3cret")));
}

TEST(ServerAddressTest, NamesServerWithoutZoneInRequests) {
  const auto address = ParseServerAddress("https://[fe80::1%25eth0]:6443").value();

  EXPECT_EQ(address.host, "fe80::1%eth0");
  EXPECT_EQ(address.HostPort(), "[fe80::1%eth0]:6443");
  EXPECT_EQ(address.Authority(), "[fe80::1]:6443");
}

}  // namespace
}  // namespace capstan::transport
