// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/certificate.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"

namespace clientgo::api {
namespace {

TEST(CertificateTest, ReadsWhatARealServerSends) {
  const auto certificate =
      MustDecode<Certificate>(Certificate::Type(), runtime::ReadGolden("certificate.json"));

  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(certificate->key(), "demo/serving");
  EXPECT_EQ(certificate->secret_name(), "serving-tls");
  EXPECT_EQ(certificate->Secret().String(), "demo/serving-tls");
}

TEST(CertificateTest, CostsLittleMoreThanItsNames) {
  const auto certificate =
      MustDecode<Certificate>(Certificate::Type(), runtime::ReadGolden("certificate.json"));

  EXPECT_LT(certificate->ByteSize(), 200U);
}

TEST(CertificateTest, MayHaveNoSecretName) {
  for (const std::string spec : {"{}", "null", R"({"secretName":7})"}) {
    const auto certificate = MustDecode<Certificate>(
        Certificate::Type(),
        R"({"kind":"Certificate","metadata":{"namespace":"ns","name":"n"},"spec":)" + spec + "}");
    ASSERT_NE(certificate, nullptr);
    EXPECT_EQ(certificate->secret_name(), "");
  }
}

TEST(CertificateTest, LivesAtItsPath) {
  EXPECT_EQ(Certificate::Type().Path("ns", "n"),
            "/apis/cert-manager.io/v1/namespaces/ns/certificates/n");
}

}  // namespace
}  // namespace clientgo::api
