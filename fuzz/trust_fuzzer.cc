// SPDX-License-Identifier: Apache-2.0
// Tests what CA injection reads from users and from servers on any bytes: lists of sources, field
// paths, selectors and fingerprints, bundles, and the certificates that a server presents. A field
// path formats to text that parses to the same path. No bytes are a trusted server, because the
// private key of the CA is in no input.
#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cert/certificate.h"
#include "capstan/label_selector.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/distrust.h"
#include "controllers/cainjector/rules/field_path.h"
#include "controllers/cainjector/rules/server_certificate.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/rules/trust_bundle_reference.h"

namespace capstan::cainjector {
namespace {

// A CA whose key was thrown away.
constexpr const char* kCa = R"(-----BEGIN CERTIFICATE-----
MIIBdDCCARmgAwIBAgIUMmC55CWqDk3em1SDwWIXCQ22HR8wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEZnV6ejAeFw0yNjExMjYwNTA5NDVaFw0zNjExMjMwNTA5NDVa
MA8xDTALBgNVBAMMBGZ1enowWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATwncNt
QU3XOh/C8/JNOQRyfER0clgzpM4tVr+C/2wrKWDQ1ZJ2pSFFbKcDgoPvXW4fvEqJ
ObzMKQUQO2z/vf7Oo1MwUTAdBgNVHQ4EFgQUpBLEvO0RFZQ300pxLlxZULkfP0kw
HwYDVR0jBBgwFoAUpBLEvO0RFZQ300pxLlxZULkfP0kwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNJADBGAiEAztNf2SzdPK06+ik3xz32qvB3g4gmEP8pKnCL
NaVm1ikCIQCfzhLXnOicCo255sWvnBLvruKegy7ALf7uCI5xnE53ww==
-----END CERTIFICATE-----
)";

void Texts(std::string_view text) {
  const auto items = ParseSourceList(text);
  if (items) {
    CHECK(!items->empty());
    CHECK_LE(items->size(), kSourceItemsMax);
  } else {
    CHECK(!items.error().message.empty());
  }
  if (const auto path = ParseFieldPath(text)) {
    CHECK(ParseFieldPath(path->String()).has_value()) << path->String();
    CHECK_EQ(ParseFieldPath(path->String())->String(), path->String());
  }
  (void)ParseTrustBundleReference(text);
  if (const auto selector = LabelSelector::Parse(text)) (void)selector->Matches({});
  (void)Distrust::Parse({std::string(text)});
}

void Bundles(std::string_view text) {
  (void)cert::ParseCertificate(text);
  const Certificates trusted = TrustedCertificates(text);
  CHECK_EQ(EncodeBundle(TrustedCertificates(EncodeBundle(trusted))), EncodeBundle(trusted));
  const auto bundle = ParseBundle(text);
  if (!bundle) {
    CHECK(!bundle.error().message.empty());
    return;
  }
  CHECK(!bundle->empty());
  const auto again = ParseBundle(EncodeBundle(*bundle));
  CHECK(again.has_value());
  CHECK(Difference(*again, *bundle).empty());
}

// The input is a chain of certificates as DER, the first two bytes of each its length.
void Servers(std::string_view bytes) {
  std::vector<std::string> chain;
  while (bytes.size() > 2) {
    const std::size_t size =
        static_cast<unsigned char>(bytes[0]) * 256U + static_cast<unsigned char>(bytes[1]);
    chain.emplace_back(bytes.substr(2, size));
    bytes.remove_prefix(std::min(bytes.size(), 2 + size));
  }
  const CertificateTime now{std::chrono::seconds(1'800'000'000)};
  const ServerVerdict verdict = VerifyServer(chain, kCa, "orders.shop.svc", now);
  CHECK(verdict.outcome != EndpointOutcome::kVerified);
  CHECK(!verdict.message.empty());
}

}  // namespace

void TestInput(std::string_view bytes) {
  Texts(bytes);
  Bundles(bytes);
  Servers(bytes);
}

}  // namespace capstan::cainjector

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  capstan::cainjector::TestInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
