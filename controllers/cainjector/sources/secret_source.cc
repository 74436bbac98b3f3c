// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/secret_source.h"

#include <utility>

#include "controllers/cainjector/api/objects.h"

namespace capstan::cainjector {
namespace {

using Outcome = tl::expected<SourceBundlePtr, Failure>;

// Returns the annotation that a Secret must carry. `whose` comes after the Secret's name.
CaCertRequest::OptIn OptInBy(std::string_view annotation, const std::string& value, Reason missing,
                             const std::string& secret, const std::string& whose = "") {
  return {.annotation = annotation,
          .value = value,
          .missing = {.reason = missing,
                      .message = "Secret " + secret + whose + " does not carry the annotation " +
                                 std::string(annotation) + ": \"" + value + "\""}};
}

}  // namespace

Outcome SecretSource::GetFor(std::stop_token stop, std::string_view value,
                             std::string_view target_namespace) {
  const auto key = ParseReference(annotation(), "a Secret", value);
  if (!key) return tl::unexpected(key.error());
  if (auto outside = options_.scope.Outside("Secret", *key)) return tl::unexpected(*outside);
  const Consent consent(options_.shared_namespaces, "Secret", *key, target_namespace);
  return secrets_.Get(std::move(stop), {.key = *key,
                                        .consent = consent,
                                        .opt_in = OptInBy(kAllowDirectInjection, "true",
                                                          Reason::kNotAllowed, key->String())});
}

Outcome CertificateSource::GetFor(std::stop_token stop, std::string_view value,
                                  std::string_view target_namespace) {
  const auto key = ParseReference(annotation(), "a Certificate", value);
  if (!key) return tl::unexpected(key.error());
  if (auto outside = options_.scope.Outside("Certificate", *key)) return tl::unexpected(*outside);
  const std::string name = "Certificate " + key->String();
  const Consent consent(options_.shared_namespaces, "Certificate", *key, target_namespace);
  const resolver::Resolution found = certificates_.Get(stop, *key);
  if (!found.object) {
    Failure failure = LookupFailure(name, found);
    if (failure.reason == Reason::kSourceNotFound) failure = consent.Hide(std::move(failure));
    return tl::unexpected(std::move(failure));
  }
  const runtime::ObjectKey secret =
      static_cast<const CertManagerCertificate&>(**found.object).Secret();
  if (!IsObjectName(secret.name)) {
    const std::string what = secret.name.empty()
                                 ? " names no Secret in spec.secretName"
                                 : " names in spec.secretName what cannot be the name of a Secret";
    return tl::unexpected(consent.Hide(
        {.reason = Reason::kSourceNotFound, .message = name + what, .at = Link::kSecretName}));
  }
  const std::string whose = " of " + name;
  Outcome bundle = secrets_.Get(
      std::move(stop), {.key = secret,
                        .consent = consent,
                        .opt_in = OptInBy(kCertificateName, key->name, Reason::kNotThisCertificate,
                                          secret.String(), whose),
                        .whose = whose,
                        .at = Link::kSecret});
  if (!bundle && bundle.error().reason == Reason::kNoCaData) {
    bundle.error().message +=
        ": the issuer" + whose + " has given no CA certificate (ACME issuers never do)";
  }
  return bundle;
}

}  // namespace capstan::cainjector
