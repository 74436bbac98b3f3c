// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/server_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/cert/pem.h"
#include "capstan/testing/certificates.h"
#include "clientgo/cert/testing/unreadable_certificates.h"

namespace capstan::cainjector {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

constexpr const char* kName = "orders.shop.svc";

template <auto FreeFunction>
struct Free {
  template <class T>
  void operator()(T* object) const {
    FreeFunction(object);
  }
};

using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using CertificatePtr = std::unique_ptr<X509, Free<X509_free>>;

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
CertificatePtr Parsed(const testing::KeyPair& pair) {
  return CertificatePtr(PEM_read_bio_X509(Reader(pair.cert_pem).get(), nullptr, nullptr, nullptr));
}
void DeleteExtension(X509* certificate, int nid) {
  X509_EXTENSION_free(X509_delete_ext(certificate, X509_get_ext_by_NID(certificate, nid, -1)));
}

void AddExtension(X509* certificate, int nid, const char* value) {
  DeleteExtension(certificate, nid);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
  EXPECT_EQ(X509_add_ext(certificate, extension, -1), 1);
  X509_EXTENSION_free(extension);
}

struct Reissue {
  const EVP_MD* digest = EVP_sha256();
  std::vector<std::pair<int, const char*>> extensions = {};  // to replace; nullptr: to remove
  const testing::KeyPair* key_of = nullptr;  // the certificate gets the key of this one
};

// Returns the certificate as `issuer` issues it, without the identifier of the issuer's key.
testing::KeyPair Reissued(const testing::KeyPair& pair, const testing::KeyPair& issuer,
                          const Reissue& options = {}) {
  const CertificatePtr made = Parsed(pair);
  X509_set_issuer_name(made.get(), X509_get_subject_name(Parsed(issuer).get()));
  DeleteExtension(made.get(), NID_authority_key_identifier);
  const testing::KeyPair& key_pair = options.key_of == nullptr ? pair : *options.key_of;
  const CertificatePtr key_of = Parsed(key_pair);
  X509_set_pubkey(made.get(), X509_get0_pubkey(key_of.get()));
  DeleteExtension(made.get(), NID_subject_key_identifier);
  const int at = X509_get_ext_by_NID(key_of.get(), NID_subject_key_identifier, -1);
  X509_add_ext(made.get(), X509_get_ext(key_of.get(), at), -1);
  for (const auto& [nid, value] : options.extensions) {
    if (value == nullptr) {
      DeleteExtension(made.get(), nid);
    } else {
      AddExtension(made.get(), nid, value);
    }
  }
  const std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>> key(
      PEM_read_bio_PrivateKey(Reader(issuer.key_pem).get(), nullptr, nullptr, nullptr));
  EXPECT_GT(X509_sign(made.get(), key.get(), options.digest), 0);
  const Bio out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), made.get());
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &data);
  return {.cert_pem = std::string(data, static_cast<std::size_t>(size)),
          .key_pem = key_pair.key_pem};
}

class VerifyServerTest : public ::testing::Test {
 protected:
  static testing::KeyPair NewCa(std::chrono::seconds not_after = hours(24),
                                const char* name = "ca") {
    return *testing::MakeCa({.common_name = name, .not_after = not_after});
  }
  testing::KeyPair NewIntermediate(std::chrono::seconds not_after = hours(24)) const {
    return Reissued(NewCa(not_after, "intermediate"), ca_);
  }
  static std::string Der(const std::string& pem) { return ParseBundle(pem)->front().der; }
  std::vector<std::string> Served(const testing::CertificateOptions& options) const {
    return {Der(testing::MakeCertificate(ca_, options)->cert_pem)};
  }
  static ServerVerdict Verify(const std::vector<std::string>& chain, const std::string& bundle,
                              const std::string& name = kName, hours later = hours(0)) {
    const auto now = std::chrono::system_clock::now() + later;
    return VerifyServer(chain, bundle, name, std::chrono::floor<std::chrono::seconds>(now));
  }

  // Returns a server's certificate of this CA.
  static testing::KeyPair IssuedBy(const testing::KeyPair& ca) {
    return *testing::MakeCertificate(ca, {.common_name = "x", .dns_names = {kName}});
  }

  const testing::KeyPair ca_ = NewCa();
  const std::vector<std::string> good_ = Served({.common_name = "x", .dns_names = {kName}});
};

TEST_F(VerifyServerTest, TrustsACertificateOfTheBundlesCa) {
  const auto verdict = Verify(good_, ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kVerified) << verdict.message;
  EXPECT_EQ(verdict.message, "");
  ASSERT_TRUE(verdict.expires.has_value());
  EXPECT_GT(*verdict.expires, std::chrono::system_clock::now() + hours(23));
}

TEST_F(VerifyServerTest, TrustsEachCaOfTheBundle) {
  EXPECT_EQ(Verify(good_, NewCa().cert_pem + ca_.cert_pem).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, TrustsTheServersOwnCertificateInTheBundleAsGoDoes) {
  const testing::KeyPair self =
      *testing::MakeCertificate(NewCa(), {.common_name = "x", .dns_names = {kName}});

  EXPECT_EQ(Verify({Der(self.cert_pem)}, self.cert_pem).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, FindsTheRightOneOfTwoCasWithOneName) {
  const std::string other = NewCa().cert_pem;  // a CA that is rotated often keeps its name

  EXPECT_EQ(Verify(good_, other + ca_.cert_pem).outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(good_, ca_.cert_pem + other).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, AcceptsOnlyAWholeLabelAsWildcardAsGoDoes) {
  const auto verify = [&](const std::string& pattern) {
    return Verify(Served({.common_name = "x", .dns_names = {pattern}}), ca_.cert_pem).outcome;
  };
  EXPECT_EQ(verify("*.shop.svc"), EndpointOutcome::kVerified);
  EXPECT_EQ(verify("ord*.shop.svc"), EndpointOutcome::kNameMismatch);
}

TEST_F(VerifyServerTest, RejectsAnotherCaOfTheSameName) {
  const auto verdict = Verify(good_, NewCa().cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_THAT(verdict.message, HasSubstr("is not issued by a CA of the bundle"));
}

TEST_F(VerifyServerTest, RejectsAnotherNameAndPrintsTheNames) {
  const auto verdict = Verify(
      Served({.common_name = kName, .dns_names = {"other.svc"}, .ip_addresses = {"10.0.0.1"}}),
      ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kNameMismatch);
  EXPECT_EQ(verdict.message, "the certificate is for other.svc, 10.0.0.1, not for orders.shop.svc");
}

TEST_F(VerifyServerTest, DoesNotReadTheCommonName) {
  const auto verdict = Verify(Served({.common_name = kName}), ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kNameMismatch);
  EXPECT_THAT(verdict.message, HasSubstr("no name at all"));
}

TEST_F(VerifyServerTest, HidesBytesThatATerminalWouldInterpret) {
  EXPECT_THAT(
      Verify(Served({.common_name = "x", .dns_names = {"a\x1b[31m.svc"}}), ca_.cert_pem).message,
      HasSubstr("a?[31m.svc"));
}

TEST_F(VerifyServerTest, ComparesAnAddressWithTheAddressesOfTheCertificate) {
  const auto chain = Served({.common_name = "x", .ip_addresses = {"10.0.0.1", "fd00::1"}});

  EXPECT_EQ(Verify(chain, ca_.cert_pem, "10.0.0.1").outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(chain, ca_.cert_pem, "fd00::1").outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(chain, ca_.cert_pem, "10.0.0.2").outcome, EndpointOutcome::kNameMismatch);
}

TEST_F(VerifyServerTest, RejectsAnExpiredCertificate) {
  const auto chain = Served({.common_name = "x", .not_after = hours(1), .dns_names = {kName}});
  const auto verdict = Verify(chain, ca_.cert_pem, kName, hours(2));

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kExpired);
  EXPECT_EQ(verdict.message, "the server's certificate has expired");
  EXPECT_TRUE(verdict.expires.has_value());
}

TEST_F(VerifyServerTest, RejectsAnExpiredCa) {
  const auto chain = Served({.common_name = "x", .not_after = hours(1000), .dns_names = {kName}});

  const auto verdict = Verify(chain, ca_.cert_pem, kName, hours(48));

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kExpired);
  EXPECT_EQ(verdict.message, "a CA of the server's certificate has expired");
}

TEST_F(VerifyServerTest, FindsAValidCaBesideAnExpiredOneOfTheSameNameAndKey) {
  const testing::KeyPair old = NewCa(-std::chrono::minutes(1));
  const testing::KeyPair renewed = Reissued(NewCa(), old, {.key_of = &old});
  const std::vector<std::string> served = {Der(IssuedBy(old).cert_pem)};

  EXPECT_EQ(Verify(served, old.cert_pem).outcome, EndpointOutcome::kExpired);
  for (const auto& bundle : {old.cert_pem + renewed.cert_pem, renewed.cert_pem + old.cert_pem}) {
    const auto verdict = Verify(served, bundle);
    EXPECT_EQ(verdict.outcome, EndpointOutcome::kVerified) << verdict.message;
  }
  // The server may still send the former one.
  EXPECT_EQ(Verify({served.front(), Der(old.cert_pem)}, renewed.cert_pem).outcome,
            EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, FindsAValidIntermediateBesideAnExpiredOneOfTheSameNameAndKey) {
  const testing::KeyPair expired = NewIntermediate(-std::chrono::minutes(1));
  const testing::KeyPair valid = Reissued(NewIntermediate(), ca_, {.key_of = &expired});
  const std::string leaf = Der(IssuedBy(expired).cert_pem);

  EXPECT_EQ(Verify({leaf, Der(expired.cert_pem)}, ca_.cert_pem).outcome, EndpointOutcome::kExpired);
  EXPECT_EQ(Verify({leaf, Der(expired.cert_pem), Der(valid.cert_pem)}, ca_.cert_pem).outcome,
            EndpointOutcome::kVerified);
  EXPECT_EQ(Verify({leaf, Der(valid.cert_pem), Der(expired.cert_pem)}, ca_.cert_pem).outcome,
            EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, FindsTheIntermediateAmongAHundredUselessCertificates) {
  const testing::KeyPair middle = NewIntermediate();
  std::vector<std::string> chain = {Der(IssuedBy(middle).cert_pem)};
  for (int i = 0; i < 50; ++i) {
    chain.push_back(Der(NewCa().cert_pem));            // the name of the bundle's CA
    chain.push_back(Der(NewIntermediate().cert_pem));  // the name of the intermediate
  }
  EXPECT_EQ(Verify(chain, ca_.cert_pem).outcome, EndpointOutcome::kUnknownAuthority);

  chain.push_back(Der(middle.cert_pem));

  const auto verdict = Verify(chain, NewCa().cert_pem + ca_.cert_pem);
  EXPECT_EQ(verdict.outcome, EndpointOutcome::kVerified) << verdict.message;
}

TEST_F(VerifyServerTest, RejectsASha1SignatureAsGoDoes) {
  const testing::KeyPair middle = NewIntermediate();
  const std::string leaf = Der(IssuedBy(middle).cert_pem);
  const testing::KeyPair sha1 = Reissued(middle, ca_, {.digest = EVP_sha1()});
  const std::string sha1_leaf = Der(Reissued(IssuedBy(ca_), ca_, {.digest = EVP_sha1()}).cert_pem);

  EXPECT_EQ(Verify({sha1_leaf}, ca_.cert_pem).outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_EQ(Verify({leaf, Der(sha1.cert_pem)}, ca_.cert_pem).outcome,
            EndpointOutcome::kUnknownAuthority);
  EXPECT_EQ(Verify({leaf, Der(middle.cert_pem)}, ca_.cert_pem).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, TrustsAnAnchorWithASha1SignatureAsGoDoes) {
  const testing::KeyPair root = Reissued(ca_, ca_, {.digest = EVP_sha1()});
  const testing::KeyPair middle = NewIntermediate();

  EXPECT_EQ(Verify(good_, root.cert_pem).outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify({Der(IssuedBy(middle).cert_pem)},
                   Reissued(middle, ca_, {.digest = EVP_sha1()}).cert_pem)
                .outcome,
            EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, RejectsACertificateForClients) {
  EXPECT_EQ(
      Verify(Served({.common_name = "x", .dns_names = {kName}, .client_auth = true}), ca_.cert_pem)
          .outcome,
      EndpointOutcome::kUnknownAuthority);
}

// The expectations of these are the verdicts of Go, too.
TEST_F(VerifyServerTest, RejectsARootWithoutBasicConstraints) {
  const testing::KeyPair root =
      Reissued(ca_, ca_, {.extensions = {{NID_basic_constraints, nullptr}}});

  const auto verdict = Verify(good_, root.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_EQ(verdict.message,
            "the issuer of the server's certificate is no CA, by its basicConstraints or keyUsage");
}

TEST_F(VerifyServerTest, IgnoresTheKeyUsageOfTheServersCertificate) {
  const testing::KeyPair leaf =
      Reissued(IssuedBy(ca_), ca_, {.extensions = {{NID_key_usage, "dataEncipherment"}}});

  const auto verdict = Verify({Der(leaf.cert_pem)}, ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kVerified) << verdict.message;
}

TEST_F(VerifyServerTest, NamesTheRuleThatACertificateBreaks) {
  const auto message_of = [&](const Reissue& leaf, const Reissue& root) {
    const testing::KeyPair issuer = Reissued(ca_, ca_, root);
    const auto verdict =
        Verify({Der(Reissued(IssuedBy(issuer), issuer, leaf).cert_pem)}, issuer.cert_pem);
    EXPECT_EQ(verdict.outcome, EndpointOutcome::kUnknownAuthority) << verdict.message;
    return verdict.message;
  };

  EXPECT_EQ(message_of({.extensions = {{NID_ext_key_usage, "clientAuth"}}}, {}),
            "the server's certificate, or a CA of it, is not for servers, by its extendedKeyUsage");
  EXPECT_EQ(message_of({}, {.extensions = {{NID_ext_key_usage, "clientAuth"}}}),
            "the server's certificate, or a CA of it, is not for servers, by its extendedKeyUsage");
  EXPECT_EQ(message_of({}, {.extensions = {{NID_name_constraints, "permitted;DNS:example.com"}}}),
            "a CA of the server's certificate may not issue it, by its nameConstraints");
  EXPECT_EQ(message_of({.extensions = {{NID_tlsfeature, "critical,status_request"}}}, {}),
            "the server's certificate has a critical extension that the API server does not know");
  EXPECT_EQ(message_of({}, {.extensions = {{NID_key_usage, "cRLSign"}}}),
            "the issuer of the server's certificate is no CA, by its basicConstraints or keyUsage");
}

TEST_F(VerifyServerTest, RejectsMoreIntermediatesThanACaAllows) {
  const testing::KeyPair root =
      Reissued(ca_, ca_, {.extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"}}});
  const testing::KeyPair middle = NewIntermediate();
  const std::string leaf = Der(IssuedBy(middle).cert_pem);

  EXPECT_EQ(Verify(good_, root.cert_pem).outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify({leaf, Der(middle.cert_pem)}, root.cert_pem).message,
            "a CA of the server's certificate allows fewer intermediates, by its basicConstraints");
}

TEST_F(VerifyServerTest, ReportsACertificateThatTheApiServerCannotRead) {
  cert::PemReader reader(cert::kNegativeSerialCa);
  const auto verdict = Verify({reader.Next()->bytes}, ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kNotTls);
  EXPECT_EQ(verdict.message,
            "the API server cannot read a certificate that the server has sent: negative serial "
            "number");
}

// Its subject has bytes behind the value, which Go skips. OpenSSL cannot read the certificate.
constexpr char kLeafThatOpensslCannotRead[] =
    "MIIBODCB36ADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMTA2ludDAeFw0yNjAxMDEwMDAw"
    "MDBaFw0yNzAxMDEwMDAwMDBaMA8xDTALBgNVBAMTAGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMB"
    "BwNCAAQFsjbK8aPm2Jbj1uvXSPdrp7SDmv9xF6ZPP66XYk3YZA16sNLCi0xYqLV7SfoQFkpoUlXH"
    "tObx8PhQKCTlb1Upoy0wKzATBgNVHSUEDDAKBggrBgEFBQcDATAUBgNVHREEDTALgglhLmV4YW1w"
    "bGUwCgYIKoZIzj0EAwIDSAAwRQIgOXn9ygCE6tRheG07Jk6aAKJ5Jwh47s4jU9ehkhRLbvcCIQDq"
    "m9kMLri6AvsaMnJNo6WetNXKJPIw397tmQdpEpDf/Q==";
constexpr char kItsIntermediate[] =
    "MIIBHzCBxaADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMTBHJvb3QwHhcNMjYwMTAxMDAw"
    "MDAwWhcNMjcwMTAxMDAwMDAwWjAOMQwwCgYDVQQDEwNpbnQwWTATBgcqhkjOPQIBBggqhkjOPQMB"
    "BwNCAARmzO1RmLjfvVAQMnQMoar7vqCJanRNCY89iGdr1gGuCBy7w8IymEuXZJ+4KGCtTx+KRxYs"
    "NAJpyLpmCcYrsdWXoxMwETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCI+nvT"
    "Xcn68iiDJbIBGO+k0fWDHxTK4QWsEAmjVRBLuQIhAKQ7wca8yH4LTCuetN/8ZTe5P67GcU+plF+j"
    "fhEYRT7h";
constexpr char kItsRoot[] =
    "MIIBHzCBxqADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMTBHJvb3QwHhcNMjYwMTAxMDAw"
    "MDAwWhcNMjcwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDEwRyb290MFkwEwYHKoZIzj0CAQYIKoZIzj0D"
    "AQcDQgAEcv6Y3bePcUk69dmRe3jl+wAzF5FrVE3hOB36bT/1eny7E0c8FNaDdmJkz5dZPwgWLBhO"
    "KfpWFVE941UGYuFUO6MTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB5G9OX"
    "0sw4ULcRIl0YZdueRAelokVZ6p8idHfNGA2M/QIhAJ80FK5AcGXnaT4D6FX4DjbgVJO/kv6A0BOp"
    "WlbmT079";

TEST_F(VerifyServerTest, VerifiesSignatureOfCertificateThatOpensslCannotRead) {
  const auto der = [](const char* base64) { return *Base64Decode(base64); };
  const std::string bundle = cert::EncodePem("CERTIFICATE", der(kItsRoot));
  std::vector<std::string> chain = {der(kLeafThatOpensslCannotRead), der(kItsIntermediate)};
  const std::chrono::sys_days now = std::chrono::year(2026) / 6 / 1;

  EXPECT_EQ(VerifyServer(chain, bundle, "a.example", now).outcome, EndpointOutcome::kVerified);

  chain.front()[chain.front().find("leaf")] = 'L';
  EXPECT_EQ(VerifyServer(chain, bundle, "a.example", now).outcome,
            EndpointOutcome::kUnknownAuthority)
      << "the signature is of other bytes";
}

TEST_F(VerifyServerTest, ReportsAMissingBundle) {
  EXPECT_EQ(Verify(good_, "").outcome, EndpointOutcome::kNoBundle);
  EXPECT_EQ(Verify(good_, "").message, "the target holds no CA bundle");
}

TEST_F(VerifyServerTest, ReportsWhatIsNoCertificate) {
  EXPECT_EQ(Verify({}, ca_.cert_pem).outcome, EndpointOutcome::kNotTls);
  EXPECT_EQ(Verify({"garbage"}, ca_.cert_pem).outcome, EndpointOutcome::kNotTls);
}

}  // namespace
}  // namespace capstan::cainjector
