// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authentication/token_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/certificates.h"
#include "clientgo/cert/openssl_ptr.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kClaims = R"({"iss":"me","sub":"a"})";

std::string ToPem(const cert::OpensslPtr<EVP_PKEY>& key) {
  const cert::OpensslPtr<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string CurveKey(const char* curve) {
  return ToPem(cert::OpensslPtr<EVP_PKEY>(EVP_EC_gen(curve)));
}

TokenKeys KeysFrom(const std::string& signing, const std::string& verifying = {}) {
  auto keys = TokenKeys::New(signing, verifying);
  EXPECT_TRUE(keys.has_value()) << keys.error().message;
  return *std::move(keys);
}

TEST(TokenKeysTest, VerifiesWhatEachKindOfKeySigns) {
  const std::vector<std::string> pems = {"", CurveKey("P-256"), CurveKey("P-384"),
                                         CurveKey("P-521"),
                                         ToPem(cert::OpensslPtr<EVP_PKEY>(EVP_RSA_gen(2048)))};
  for (const std::string& pem : pems) {
    const TokenKeys keys = KeysFrom(pem);
    const auto token = keys.Sign(kClaims);
    ASSERT_TRUE(token.has_value()) << token.error().message;
    EXPECT_EQ(keys.Verify(*token), std::string(kClaims));
    EXPECT_EQ(TokenKeys::UnverifiedClaims(*token), kClaims);
  }
}

TEST(TokenKeysTest, RejectsChangedToken) {
  const TokenKeys keys = KeysFrom("");
  const std::string token = keys.Sign(kClaims).value();

  std::string changed = token;
  char& digit = changed[changed.find('.') + 5];
  digit = digit == 'A' ? 'B' : 'A';
  EXPECT_EQ(keys.Verify(changed).error(), "go-jose/go-jose: error in cryptographic primitive");
  EXPECT_FALSE(keys.Verify(token.substr(0, token.size() - 4)).has_value());
  EXPECT_FALSE(keys.Verify(token + ".x").has_value());
  for (const char* const text : {"", ".", "..", "a.b.c", "eyJh.eyJh.", "\xff.\xff.\xff"}) {
    EXPECT_FALSE(keys.Verify(text).has_value()) << text;
  }
}

TEST(TokenKeysTest, RejectsTokenOfAnotherKey) {
  const std::string token = KeysFrom("").Sign(kClaims).value();

  EXPECT_EQ(KeysFrom("").Verify(token).error(), "invalid signature, no keys found");
}

TEST(TokenKeysTest, AcceptsTokenOfVerifyingKeyAndCertificate) {
  const std::string old_key = CurveKey("P-256");
  const std::string token = KeysFrom(old_key).Sign(kClaims).value();
  const auto ca = MakeCa({.common_name = "ca"});
  ASSERT_TRUE(ca.has_value());
  const std::string signed_by_ca = KeysFrom(ca->key_pem).Sign(kClaims).value();

  const TokenKeys keys = KeysFrom("", old_key + ca->cert_pem);
  EXPECT_EQ(keys.Verify(token), std::string(kClaims));
  EXPECT_EQ(keys.Verify(signed_by_ca), std::string(kClaims));
}

TEST(TokenKeysTest, ReportsBadKeysWithoutTheirText) {
  const auto bad = TokenKeys::New("s3cret", "");
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().message, HasSubstr("the key that signs tokens"));
  EXPECT_THAT(bad.error().message, ::testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(TokenKeys::New(CurveKey("secp256k1"), "").error().message,
              HasSubstr("not on a curve P-256"));
  EXPECT_THAT(TokenKeys::New("", "none").error().message,
              HasSubstr("neither a key nor a certificate"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
