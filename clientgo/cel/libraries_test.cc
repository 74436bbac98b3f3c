// SPDX-License-Identifier: Apache-2.0
// Tests of the libraries that Kubernetes adds: URLs, networks, quantities, versions, formats.
#include <gtest/gtest.h>

#include <string>

#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

TEST(UrlLibraryTest, SplitsUrls) {
  for (const auto& [expression, value] :
       {Case{"url('https://user@example.com:80/a b?k=v#f').getHost()", "\"example.com:80\""},
        Case{"url('https://example.com:80/').getHostname()", "\"example.com\""},
        Case{"url('https://[::1]:80/').getHostname()", "\"::1\""},
        Case{"url('https://[::1]:80/').getPort()", "\"80\""},
        Case{"url('https://example.com/path with spaces/').getEscapedPath()",
             "\"/path%20with%20spaces/\""},
        Case{"url('HTTPS://a').getScheme()", "\"https\""}, Case{"url('/path').getScheme()", "\"\""},
        Case{"url('https://a/p?k1=a&k2=b&k2=c').getQuery()",
             "{\"k1\": [\"a\"], \"k2\": [\"b\", \"c\"]}"},
        Case{"isURL('https://a')", "true"}, Case{"isURL('../relative')", "false"},
        Case{"isURL('https://a:b')", "false"}, Case{"isURL('https://a/%zz')", "false"},
        Case{"isURL('mailto:a')", "true"}, Case{"url('https://a') == url('https://a')", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
  EXPECT_EQ(Show("url('x')").find("error: URL parse error during conversion from string: "), 0U);
}

TEST(NetLibraryTest, ReadsAddresses) {
  for (const auto& [expression, value] :
       {Case{"isIP('127.0.0.1')", "true"}, Case{"isIP('127.0.0.01')", "false"},
        Case{"isIP('127.0.0.1.')", "false"}, Case{"isIP('::ffff:1.2.3.4')", "false"},
        Case{"isIP('fe80::1%eth0')", "false"}, Case{"ip('::1').family()", "6"},
        Case{"ip.isCanonical('2001:DB8::1')", "false"},
        Case{"string(ip('2001:0db8:0:0:1:0:0:1'))", "\"2001:db8::1:0:0:1\""},
        Case{"ip('127.0.0.1').isLoopback()", "true"},
        Case{"ip('10.0.0.1').isGlobalUnicast()", "true"},
        Case{"ip('255.255.255.255').isGlobalUnicast()", "false"},
        Case{"ip('224.0.0.1').isLinkLocalMulticast()", "true"},
        Case{"ip('fe80::1').isLinkLocalUnicast()", "true"},
        Case{"ip('::').isUnspecified()", "true"},
        Case{"ip('10.0.0.1') == ip('10.0.0.1')", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(NetLibraryTest, ReadsNetworks) {
  for (const auto& [expression, value] :
       {Case{"isCIDR('10.0.0.0/8')", "true"}, Case{"isCIDR('10.0.0.0/33')", "false"},
        Case{"isCIDR('10.0.0.0./8')", "false"},
        Case{"cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"},
        Case{"cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))", "false"},
        Case{"cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "true"},
        Case{"cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "false"},
        Case{"string(cidr('10.1.2.3/8').masked())", "\"10.0.0.0/8\""},
        Case{"cidr('::1/128').prefixLength()", "128"},
        Case{"cidr('10.0.0.1/8').ip() == ip('10.0.0.1')", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(QuantityLibraryTest, ComparesAndAdds) {
  for (const auto& [expression, value] :
       {Case{"isQuantity('1.5Gi')", "true"}, Case{"isQuantity('1x')", "false"},
        Case{"quantity('200M').compareTo(quantity('0.2G'))", "0"},
        Case{"quantity('50Mi').isGreaterThan(quantity('50M'))", "true"},
        Case{"quantity('1Ki').isLessThan(quantity('1k'))", "false"},
        Case{"quantity('50k').add(quantity('20k')) == quantity('70k')", "true"},
        Case{"quantity('50k').sub(20000) == quantity('30k')", "true"},
        Case{"quantity('50k').asInteger()", "50000"}, Case{"quantity('500m').isInteger()", "false"},
        Case{"quantity('500m').asInteger()", "error: cannot convert value to integer"},
        Case{"quantity('1500m').asApproximateFloat()", "double(1.5)"},
        Case{"sign(quantity('-1'))", "-1"}, Case{"quantity('1e3').asInteger()", "1000"},
        Case{"quantity('2Gi').asInteger()", "2147483648"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(SemverLibraryTest, ComparesVersions) {
  for (const auto& [expression, value] :
       {Case{"isSemver('1.2.3-rc.1+b')", "true"}, Case{"isSemver('v1.2.3')", "false"},
        Case{"isSemver('v01.2', true)", "true"}, Case{"isSemver('1.02.3')", "false"},
        Case{"semver('1.2.3').minor()", "2"}, Case{"semver('1', true).patch()", "0"},
        Case{"semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", "true"},
        Case{"semver('1.0.0-rc.2').compareTo(semver('1.0.0-rc.10'))", "-1"},
        Case{"semver('2.0.0').isGreaterThan(semver('1.9.9'))", "true"},
        Case{"semver('1.0.0+a') == semver('1.0.0+b')", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(FormatLibraryTest, ValidatesNames) {
  for (const auto& [expression, value] :
       {Case{"format.dns1123Label().validate('my-name')", "optional()"},
        Case{"format.dns1123Label().validate('My').hasValue()", "true"},
        Case{"format.named('nope')", "optional()"},
        Case{"format.named('uuid').value().validate('x')",
             "optional([\"does not match the UUID format\"])"},
        Case{"format.date().validate('2026-02-30')", "optional([\"invalid date\"])"},
        Case{"format.qualifiedName().validate('a.example/b')", "optional()"},
        Case{"format.dns1035LabelPrefix().validate('a-')", "optional()"},
        Case{"format.dns1123Label().validate('a.b').value()", "[\"must not contain dots\"]"},
        Case{"format.byte().validate('aGk=')", "optional()"},
        Case{"format.uri().validate('https://a')", "optional()"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(UrlLibraryTest, HasHostsAsGo126) {
  for (const auto& [url, valid] :
       {Case{"https://ab[::1]:80/", "false"}, Case{"http://[fe80:*1%25en0]/", "false"},
        Case{"http://[fe80::1%25en%20]/", "true"}, Case{"http://[fe80::1%25]/", "false"},
        Case{"http://[1.2.3.4]/", "false"}, Case{"http://[::ffff:1.2.3.4]:80", "true"},
        Case{"http://a:b:80/", "false"}, Case{"http://a:1:80/", "false"},
        Case{"x://a:b:80/", "true"}, Case{"http://a%25/", "true"}, Case{"http://a%20/", "false"},
        Case{"http://[::1]a", "false"}}) {
    EXPECT_EQ(Show("isURL('" + std::string(url) + "')"), valid) << url;
  }
}

TEST(UrlLibraryTest, ReadsTheHostBehindTwoSlashesOnlyInUrl) {
  EXPECT_EQ(Show("isURL('//[::1]:x/')"), "true");
  EXPECT_EQ(Show("format.uri().validate('//[::1]:x/')"), "optional()");
  EXPECT_EQ(Show("url('//[::1]:x/')").find("error: URL parse error"), 0U);
}

TEST(QuantityLibraryTest, HasALargestAmount) {
  EXPECT_EQ(Show("quantity('1e40').asApproximateFloat()"), "double(8.507059173023462e+28)");
  EXPECT_EQ(Show("quantity('12e25').sub(-9223372036854775808).asApproximateFloat()"),
            "double(1.2000000922337204e+26)");
}

TEST(UrlLibraryTest, QuotesUrlsInErrors) {
  EXPECT_EQ(Show(R"(format.uri().validate('//\u001a"').value())"),
            R"(["parse "//\x1a\"": net/url: invalid control character in URL"])");
}

TEST(TimestampTest, HasHoursOfOneDigitAsInGo) {
  EXPECT_EQ(Show("timestamp('2001-01-01T5:00:00Z').getHours()"), "5");
  EXPECT_EQ(Show("timestamp('2001-01-01T05:0:00Z')").find("invalid: "), 0U);
}

TEST(FormatTest, RefusesKeysOfOtherTypes) {
  for (const auto& [key, type] : {Case{"1.5", "double"}, Case{"null", "null_type"}}) {
    EXPECT_EQ(Show("'%s'.format([{" + std::string(key) + ": 1}])"),
              "error: no formatting function for map key of type " + std::string(type));
  }
}

TEST(NetLibraryTest, RefusesEmptyNumbers) {
  for (const char* const address : {"1.2.3.4.", "169.254.1..1", ".1.2.3.4", "1.2.3."}) {
    EXPECT_EQ(Show("isIP('" + std::string(address) + "')"), "false") << address;
    EXPECT_EQ(Show("isCIDR('" + std::string(address) + "/8')"), "false") << address;
  }
}

TEST(QuantityLibraryTest, KnowsIntegersAsGoDoes) {
  for (const auto& [expression, value] :
       {Case{"quantity('0.001k').isInteger()", "true"},
        Case{"quantity('1000m').isInteger()", "false"},
        Case{"quantity('1234567890123456789').isInteger()", "false"},
        Case{"quantity('1Gi').isInteger()", "true"}, Case{"quantity('1Ei').isInteger()", "false"},
        Case{"quantity('0m').add(1).isInteger()", "true"},
        Case{"quantity('1').sub(-9223372036854775808).asInteger()", "-9223372036854775807"},
        Case{"quantity('1').add(9223372036854775807).sub(5).isInteger()", "false"},
        Case{"quantity('2').sub(1) == quantity('1')", "true"},
        Case{"quantity('1') == quantity('2').sub(1)", "error: no such overload"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

// Go multiplies by a power of ten, which rounds a second time.
TEST(QuantityLibraryTest, ConvertsToDoublesAsGoDoes) {
  for (const auto& [expression, value] :
       {Case{"quantity('100n').asApproximateFloat()", "double(1.0000000000000001e-07)"},
        Case{"quantity('0.0000001').asApproximateFloat()", "double(1e-07)"},
        Case{"quantity('1.5Ki').asApproximateFloat()", "double(1536)"},
        Case{"quantity('12e6').add(quantity('10u')).asApproximateFloat()",
             "double(1.2000000000009999e+07)"},
        Case{"quantity('10E').asApproximateFloat()", "double(1e+19)"},
        Case{"quantity('10Ei').asApproximateFloat()", "double(9.223372036854776e+18)"},
        Case{"quantity('12e25').asApproximateFloat()", "double(1.2000000000000002e+26)"},
        Case{"quantity('-0.0000000001').asApproximateFloat()", "double(-1e-09)"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(SemverLibraryTest, RejectsEmptySuffixes) {
  for (const char* const version :
       {"1.2.3.", "1.2.3-", "1.2.3+", "1.2.3-a.", "1.2.3-a..b", "1.2.3+.a", "1..2.3", ".1.2.3"}) {
    EXPECT_EQ(Show("isSemver('" + std::string(version) + "')"), "false") << version;
  }
}

TEST(NamedFormatLibraryTest, NamesQualifiedNamesAsKubernetes134) {
  const std::string errors = Show("format.qualifiedName().validate('a/b/c').value()");
  EXPECT_EQ(errors.find("[\"a qualified name must consist of"), 0U) << errors;
}

TEST(NamedFormatLibraryTest, NamesTheLimitOfCharacters) {
  const std::string text(64, 'a');
  EXPECT_EQ(Show("format.dns1123Label().validate('" + text + "')"),
            "optional([\"must be no more than 63 characters\"])");
  EXPECT_EQ(Show("format.labelValue().validate('" + text + "')"),
            "optional([\"must be no more than 63 bytes\"])");
}

TEST(NetLibraryTest, HasNoOverloadForTextThatIsNoAddress) {
  EXPECT_EQ(Show("cidr('10.0.0.0/8').containsIP('256.1.1.1')"), "error: no such overload");
}

TEST(FormatTest, ShowsNumbersAsGosPrinter) {
  for (const auto& [expression, value] :
       {Case{"'%.2f'.format([-0.0])", "\"0.00\""}, Case{"'%.2f'.format([-0.001])", "\"-0.00\""},
        Case{"'%e'.format([1.25])", "\"1.250000×10⁰⁰\""},
        Case{"'%.15e'.format([1.25])", "\"  1.250000×10⁰⁰\""}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(FormatTest, TakesListsOfMixedTypes) {
  EXPECT_EQ(Show("'%s'.format([[1, 'a', {true: 1, 'b': 2}]])"),
            "\"[1, \"a\", {\"b\":2, true:1}]\"");
  EXPECT_EQ(Show("[1, 'a'].size() == 2").find("invalid: ERROR"), 0U);
}

TEST(FormatTest, EscapesWhatCannotBePrinted) {
  EXPECT_EQ(Show("'%s'.format([['\u3000\U000F0000\u00e4\x01']])"),
            "\"[\"\\u3000\\U000f0000ä\\x01\"]\"");
}

}  // namespace
}  // namespace capstan::cel
