// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/breakage.h"

#include "capstan/testing/certificates.h"
#include "capstan/testing/require.h"
#include "cmd/capstan/inspect/inspector.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cmd::capstan_demo {
namespace {

using cainjector::kAllowDirectInjection;
using cainjector::kCertificateName;

std::string AnnotationMember(std::string_view key, const std::string& value) {
  return R"("metadata":{"annotations":{")" + std::string(key) + R"(":")" + value + R"("}})";
}

}  // namespace

Breakage::Breakage(const Namespace& ns)
    : ns_(ns),
      ca_(testing::Value(testing::MakeCa({.common_name = "capstan demo CA of broken targets"}),
                         "failed to make a CA")
              .cert_pem),
      targets_({{.name = "capstan-demo-not-allowed",
                 .reason = "NotAllowed",
                 .broken = "the Secret lacks " + std::string(kAllowDirectInjection),
                 .fixed = "the Secret is annotated",
                 .secret = "not-allowed",
                 .annotation = {},
                 .ca_crt = ca_,
                 .fix = AnnotationMember(kAllowDirectInjection, "true")},
                {.name = "capstan-demo-wrong-name",
                 .reason = "NotThisCertificate",
                 .broken = "the Certificate's Secret has another " + std::string(kCertificateName),
                 .fixed = "the Secret names the Certificate",
                 .secret = "wrong-name-tls",
                 .annotation = {kCertificateName, "another"},
                 .ca_crt = ca_,
                 .fix = AnnotationMember(kCertificateName, "wrong-name"),
                 .certificate = "wrong-name"},
                {.name = "capstan-demo-garbage",
                 .reason = "InvalidBundle",
                 .broken = "the Secret's ca.crt is garbage",
                 .fixed = "ca.crt is a CA certificate",
                 .secret = "garbage",
                 .annotation = {kAllowDirectInjection, "true"},
                 .ca_crt = "this is no certificate",
                 .fix = DataMember("ca.crt", ca_)}}) {}

void Breakage::Create() {
  const auto& certificates = cainjector::CertManagerCertificate::Type();
  const auto served =
      ns_.client.List(ns_.stop, certificates, {.namespace_ = ns_.name}, [](const auto&) {});
  if (!served && IsNotFound(served.error())) {
    std::erase_if(targets_, [](const auto& target) { return !target.certificate.empty(); });
  }
  for (const BrokenTarget& target : targets_) {
    const bool direct = target.certificate.empty();
    if (!direct) {
      // Its issuer does not exist.
      ns_.Create(certificates, target.certificate,
                 R"("spec":{"secretName":")" + target.secret +
                     R"(","dnsNames":["capstan-demo.example.com"],)"
                     R"("issuerRef":{"name":"capstan-demo-has-none"}})");
    }
    ns_.Create(cainjector::SecretMetadataType(), target.secret, DataMember("ca.crt", target.ca_crt),
               target.annotation);
    ns_.CreateWebhooks(cainjector::ValidatingWebhookTarget().content_type(), target.name, 1,
                       {direct ? cainjector::kInjectCaFromSecret : cainjector::kInjectCaFrom,
                        ns_.name + "/" + (direct ? target.secret : target.certificate)});
  }
}

cli::inspect::Explanation Breakage::Explain(const BrokenTarget& target) const {
  cli::inspect::Inspector inspector(ns_.client, {});
  return cli::inspect::Explain(
      ns_.stop, ns_.client,
      testing::Value(inspector.Look(ns_.stop, cainjector::ValidatingWebhookTarget(), target.name),
                     "failed to explain " + target.name));
}

bool Breakage::Holds(const BrokenTarget& target, bool fixed) const {
  const auto object =
      testing::Value(ns_.client.Get(ns_.stop, cainjector::ValidatingWebhookTarget().content_type(),
                                    {"", target.name}),
                     "failed to get " + target.name);
  return cainjector::Target::Bundles(*object) ==
         std::vector<std::string>{fixed ? ca_ : std::string()};
}

}  // namespace capstan::cmd::capstan_demo
