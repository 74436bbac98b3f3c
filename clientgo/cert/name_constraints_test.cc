// SPDX-License-Identifier: Apache-2.0
// The expectations are the answers of Go 1.26.
#include "clientgo/cert/name_constraints.h"

#include <gtest/gtest.h>

namespace capstan::cert {
namespace {

using namespace std::string_view_literals;

ParsedCertificate Leaf(const ParsedCertificate& names) {
  ParsedCertificate leaf = names;
  leaf.has_subject_names = true;
  return leaf;
}
bool PermitsDnsName(std::string_view constraint, std::string_view name) {
  return AllowsNames({.has_name_constraints = true, .permitted = {.dns_names = {constraint}}},
                     Leaf({.dns_names = {name}}));
}
bool ExcludesDnsName(std::string_view constraint, std::string_view name) {
  return !AllowsNames({.has_name_constraints = true, .excluded = {.dns_names = {constraint}}},
                      Leaf({.dns_names = {name}}));
}

TEST(NameConstraintsTest, PermitsADomainAndThoseBelowIt) {
  EXPECT_TRUE(PermitsDnsName("shop.svc", "shop.svc"));
  EXPECT_TRUE(PermitsDnsName("shop.svc", "Orders.SHOP.svc"));
  EXPECT_TRUE(PermitsDnsName("", "anything"));
  EXPECT_TRUE(PermitsDnsName(".shop.svc", "orders.shop.svc"));
  EXPECT_FALSE(PermitsDnsName(".shop.svc", "shop.svc"));
  EXPECT_FALSE(PermitsDnsName("shop.svc", "workshop.svc"));
  EXPECT_FALSE(PermitsDnsName("shop.svc", "svc"));
  EXPECT_FALSE(PermitsDnsName("svc", "a..svc")) << "it is no name";
}

TEST(NameConstraintsTest, ExcludesAWildcardThatStandsForTheName) {
  EXPECT_TRUE(ExcludesDnsName("a.shop.svc", "*.shop.svc"));
  EXPECT_FALSE(ExcludesDnsName("a.b.shop.svc", "*.shop.svc"));
  EXPECT_FALSE(ExcludesDnsName("a", "*.shop.svc"));
  EXPECT_TRUE(ExcludesDnsName("shop.svc", "*.shop.svc"));
}

TEST(NameConstraintsTest, ComparesAddressesOfOneFamily) {
  const ParsedCertificate issuer{
      .has_name_constraints = true,
      .permitted = {.ip_ranges = {"\x0a\x00\x00\x00\xff\x00\x00\x00"sv}}};

  EXPECT_TRUE(AllowsNames(issuer, Leaf({.ip_addresses = {"\x0a\x01\x02\x03"sv}})));
  EXPECT_FALSE(AllowsNames(issuer, Leaf({.ip_addresses = {"\x0b\x01\x02\x03"sv}})));
  EXPECT_FALSE(AllowsNames(
      issuer,
      Leaf({.ip_addresses = {std::string_view("\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16)}})));
}

TEST(NameConstraintsTest, ComparesMailboxesAndHostsOfUrls) {
  const ParsedCertificate issuer{
      .has_name_constraints = true,
      .permitted = {.emails = {"a@shop.svc", ".b"}, .uris = {"shop.svc"}}};
  const auto email = [&](std::string_view text) {
    return AllowsNames(issuer, Leaf({.emails = {text}}));
  };
  const auto uri = [&](std::string_view text) {
    return AllowsNames(issuer, Leaf({.uris = {text}}));
  };

  EXPECT_TRUE(email("a@SHOP.svc"));
  EXPECT_TRUE(email("x@y.b"));
  EXPECT_FALSE(email("b@shop.svc"));
  EXPECT_FALSE(email("no mailbox"));
  EXPECT_TRUE(uri("spiffe://Shop.svc/ns"));
  EXPECT_TRUE(uri("https://a.shop.svc:443"));
  EXPECT_FALSE(uri("https://10.0.0.1/"));
  EXPECT_FALSE(uri("https://[::1]:443/"));
  EXPECT_FALSE(uri("urn:shop.svc")) << "it has no host";
}

TEST(NameConstraintsTest, AllowsEveryNameOfAnotherKind) {
  const ParsedCertificate issuer{.has_name_constraints = true,
                                 .permitted = {.dns_names = {"shop.svc"}}};

  EXPECT_TRUE(AllowsNames(issuer, Leaf({.ip_addresses = {"\x0a\x01\x02\x03"sv}})));
  EXPECT_TRUE(AllowsNames(issuer, {}));
  EXPECT_TRUE(AllowsNames({}, Leaf({.dns_names = {"a"}})));
}

TEST(IsForTest, MatchesNamesAsGoDoes) {
  const auto is_for = [](std::string_view pattern, std::string_view name) {
    return IsFor({.dns_names = {pattern}}, name);
  };
  EXPECT_TRUE(is_for("a.svc", "A.svc."));
  EXPECT_TRUE(is_for("*.svc", "a.svc"));
  EXPECT_FALSE(is_for("*.svc", "b.a.svc"));
  EXPECT_FALSE(is_for("a*.svc", "ab.svc"));
  EXPECT_FALSE(is_for("*", "svc"));
  EXPECT_FALSE(is_for("", ""));
  EXPECT_FALSE(is_for("10.0.0.1", "10.0.0.1")) << "an address matches addresses only";
  EXPECT_TRUE(IsFor({.ip_addresses = {"\x0a\x00\x00\x01"sv}}, "::ffff:10.0.0.1"));
}

}  // namespace
}  // namespace capstan::cert
