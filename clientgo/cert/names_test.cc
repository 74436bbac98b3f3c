// SPDX-License-Identifier: Apache-2.0
// The expectations are the answers of Go 1.26.
#include "clientgo/cert/names.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/cert/der.h"

namespace capstan::cert {
namespace {

TEST(NamesTest, AcceptsDomainNamesAsGoDoes) {
  for (const std::string name : {"", "a", "a.b", "*.a", "A_b-", "a:80"}) {
    EXPECT_TRUE(IsDomainName(name, false)) << name;
  }
  for (const std::string name : {".", "a.", ".a", "a..b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(IsDomainName(name, false)) << name;
  }
  EXPECT_TRUE(IsDomainName(".a", true));
  EXPECT_FALSE(IsDomainName("..a", true));
}

TEST(NamesTest, ReadsMailboxesAsGoDoes) {
  EXPECT_EQ(ParseMailbox("a.b+c@d.e")->local, "a.b+c");
  EXPECT_EQ(ParseMailbox("a.b+c@d.e")->domain, "d.e");
  EXPECT_EQ(ParseMailbox(R"("a b\"c"@d)")->local, R"(a b"c)");
  EXPECT_EQ(ParseMailbox(R"(a\@b@c)")->local, "a@b");
  for (const std::string text :
       {"", "@", "a", "@b", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b.", "a@.b", "\"a@b", "a\\"}) {
    EXPECT_FALSE(ParseMailbox(text).has_value()) << text;
  }
}

TEST(NamesTest, ReadsHostsOfUrlsAsGoDoes) {
  EXPECT_EQ(HostOfUrl("spiffe://cluster.local/ns/x"), "cluster.local");
  EXPECT_EQ(HostOfUrl("https://u:p@h:80/p?q#f"), "h:80");
  EXPECT_EQ(HostOfUrl("https://[fe80::1%25en0]:80/"), "[fe80::1%en0]:80");
  EXPECT_EQ(HostOfUrl("urn:a:b"), "");
  EXPECT_EQ(HostOfUrl("a/b:c"), "");
  EXPECT_EQ(HostOfUrl(""), "");
  EXPECT_EQ(HostOfUrl("*"), "");
  EXPECT_EQ(HostOfUrl("x://a:b:1"), "a:b:1");
  for (const std::string url :
       {":", "a:b\n", "1:2", "https://a:b", "https://a:1:2", "https://[::1", "https://[1.2.3.4]",
        "https://a b", "https://a%41", "x://%", "x:///%", "x:y#%", "https://a[::1]"}) {
    EXPECT_FALSE(HostOfUrl(url).has_value()) << url;
  }
}

TEST(NamesTest, ChecksTheStringsOfASubject) {
  EXPECT_TRUE(IsNameString(der_tag::kPrintableString, "Example *&, Inc."));
  EXPECT_FALSE(IsNameString(der_tag::kPrintableString, "a@b"));
  EXPECT_TRUE(IsNameString(der_tag::kUtf8String, "\xc3\x96\xf0\x9f\x98\x80"));
  EXPECT_FALSE(IsNameString(der_tag::kUtf8String, "\xed\xa0\x80"));
  EXPECT_FALSE(IsNameString(der_tag::kUtf8String, "\xc3"));
  EXPECT_TRUE(IsNameString(der_tag::kT61String, "\xff"));
  EXPECT_FALSE(IsNameString(der_tag::kIa5String, "\xff"));
  EXPECT_FALSE(IsNameString(der_tag::kNumericString, "a"));
  EXPECT_FALSE(IsNameString(der_tag::kBmpString, "a"));
  EXPECT_FALSE(IsNameString(der_tag::kOctetString, "a"));
}

}  // namespace
}  // namespace capstan::cert
