// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/breakage.h"

#include <algorithm>
#include <utility>

#include "capstan/testing/certificates.h"
#include "cmd/capstan-demo/cluster.h"
#include "cmd/capstan/inspect/inspector.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr std::string_view kGarbage = "this is no certificate";

Expected<void> Done(const Expected<runtime::ObjectPtr>& written, const std::string& what) {
  if (!written) return Err(written.error().Wrap(what));
  return {};
}

}  // namespace

Breakage::Breakage(rest::Client& client, std::string ns)
    : client_(client),
      ns_(std::move(ns)),
      targets_({{.name = "capstan-demo-not-allowed",
                 .broken = "the Secret lacks " + std::string(cainjector::kAllowDirectInjection),
                 .fixed = "the Secret is annotated",
                 .reason = cainjector::Reason::kNotAllowed,
                 .secret = "not-allowed"},
                {.name = "capstan-demo-wrong-name",
                 .broken = "the Certificate's Secret has another " +
                           std::string(cainjector::kCertificateName),
                 .fixed = "the Secret names the Certificate",
                 .reason = cainjector::Reason::kNotThisCertificate,
                 .secret = "wrong-name-tls",
                 .certificate = "wrong-name"},
                {.name = "capstan-demo-garbage",
                 .broken = "the Secret's ca.crt is garbage",
                 .fixed = "ca.crt is a CA certificate",
                 .reason = cainjector::Reason::kInvalidBundle,
                 .secret = "garbage"}}) {}

Expected<void> Breakage::Create(const std::stop_token& stop) {
  auto ca = testing::MakeCa({.common_name = "capstan demo CA of broken targets"});
  if (!ca) return Err(std::move(ca.error()));
  ca_ = ca->cert_pem;
  const auto served = client_.List(stop, cainjector::CertManagerCertificate::Type(),
                                   {.namespace_ = ns_}, [](auto) {});
  if (!served && IsNotFound(served.error())) {
    std::erase_if(targets_, [](const auto& target) { return !target.certificate.empty(); });
  }
  for (const BrokenTarget& target : targets_) {
    if (auto made = CreateSource(stop, target); !made) return made;
    const bool direct = target.certificate.empty();
    auto made = client_.Create(
        stop, ConfigurationType(true), {},
        ConfigurationJson(
            {.name = target.name,
             .annotation = {direct ? cainjector::kInjectCaFromSecret : cainjector::kInjectCaFrom,
                            ns_ + "/" + (direct ? target.secret : target.certificate)},
             .service_namespace = ns_}));
    if (!made) return Done(made, "failed to create " + target.name);
  }
  return {};
}

Expected<void> Breakage::CreateSource(const std::stop_token& stop, const BrokenTarget& target) {
  Annotation annotation{cainjector::kAllowDirectInjection, "true"};
  if (target.reason == cainjector::Reason::kNotAllowed) annotation = {};
  if (target.reason == cainjector::Reason::kNotThisCertificate)
    annotation = {cainjector::kCertificateName, "another"};
  if (!target.certificate.empty()) {
    auto made = client_.Create(stop, cainjector::CertManagerCertificate::Type(), ns_,
                               CertificateJson({ns_, target.certificate}, target.secret));
    if (!made) return Done(made, "failed to create Certificate " + target.certificate);
  }
  const bool garbage = target.reason == cainjector::Reason::kInvalidBundle;
  return Done(client_.Create(stop, cainjector::SecretMetadataType(), ns_,
                             SecretJson({ns_, target.secret}, annotation, "ca.crt",
                                        garbage ? kGarbage : std::string_view(ca_))),
              "failed to create Secret " + target.secret);
}

Expected<cli::inspect::Explanation> Breakage::Explain(const std::stop_token& stop,
                                                      const BrokenTarget& target) {
  cli::inspect::Inspector inspector(client_, {});
  const auto finding = inspector.Look(stop, cainjector::ValidatingWebhookTarget(), target.name);
  if (!finding) return Err(finding.error());
  return cli::inspect::Explain(stop, client_, *finding);
}

Expected<void> Breakage::Fix(const std::stop_token& stop, const BrokenTarget& target) {
  std::string patch = CaPatch(ca_);
  if (target.reason == cainjector::Reason::kNotAllowed) {
    patch = AnnotationPatch({cainjector::kAllowDirectInjection, "true"});
  }
  if (target.reason == cainjector::Reason::kNotThisCertificate) {
    patch = AnnotationPatch({cainjector::kCertificateName, target.certificate});
  }
  return Done(client_.Patch(stop, cainjector::SecretMetadataType(), {ns_, target.secret},
                            rest::PatchType::kMerge, patch),
              "failed to fix Secret " + target.secret);
}

Expected<bool> Breakage::Holds(const std::stop_token& stop, const BrokenTarget& target,
                               bool fixed) {
  const auto object = client_.Get(stop, ConfigurationType(true), {"", target.name});
  if (!object) return Err(object.error().Wrap("failed to get " + target.name));
  const auto& webhooks = static_cast<const cainjector::Injectable&>(**object).fields().points;
  const std::string expected = fixed ? ca_ : std::string();
  return !webhooks.empty() && std::all_of(webhooks.begin(), webhooks.end(), [&](const auto& one) {
    return *one.ca_bundle == expected;
  });
}

Expected<void> Breakage::CleanUp(const std::stop_token& stop) {
  Expected<void> first_error;
  const auto note = [&](Expected<void> deleted) {
    if (!deleted && !IsNotFound(deleted.error()) && first_error) first_error = std::move(deleted);
  };
  for (const BrokenTarget& target : targets_) {
    note(client_.Delete(stop, ConfigurationType(true), {"", target.name}));
    if (!target.certificate.empty()) {
      note(client_.Delete(stop, cainjector::CertManagerCertificate::Type(),
                          {ns_, target.certificate}));
    }
    note(client_.Delete(stop, cainjector::SecretMetadataType(), {ns_, target.secret}));
  }
  return first_error;
}

}  // namespace capstan::cmd::capstan_demo
