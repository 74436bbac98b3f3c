// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/secret_source.h"

#include <utility>

#include "capstan/api/object_metadata.h"
#include "controllers/cainjector/api/objects.h"

namespace capstan::cainjector {
namespace {

using Outcome = tl::expected<SourceBundlePtr, Failure>;

tl::unexpected<Failure> NotAllowed(const runtime::ObjectKey& key) {
  return Fail(Reason::kNotAllowed, "Secret " + key.String() + " does not carry the annotation " +
                                       std::string(kAllowDirectInjection) + ": \"true\"");
}

std::string Name(const runtime::ObjectKey& certificate) {
  return "Certificate " + certificate.String();
}

tl::unexpected<Failure> BrokenAt(Link link, Failure failure) {
  failure.at = link;
  return tl::unexpected(std::move(failure));
}

Failure NotFound(Link link, std::string message) {
  return {.reason = Reason::kSourceNotFound, .message = std::move(message), .at = link};
}

Failure NoSecretName(const runtime::ObjectKey& certificate, const runtime::ObjectKey& secret) {
  const std::string what = secret.name.empty()
                               ? " names no Secret in spec.secretName"
                               : " names in spec.secretName what cannot be the name of a Secret";
  return NotFound(Link::kSecretName, Name(certificate) + what);
}

// Returns the value of kAllowInjectionInto.
std::optional<std::string_view> IntoOf(const runtime::Object& secret) {
  return static_cast<const api::ObjectMetadata&>(secret).Annotation(kAllowInjectionInto);
}

tl::unexpected<Failure> NotThisCertificate(const runtime::ObjectKey& certificate,
                                           const runtime::ObjectKey& secret) {
  return Fail(Reason::kNotThisCertificate,
              "Secret " + secret.String() + " of " + Name(certificate) +
                  " does not carry the annotation " + std::string(kCertificateName) + ": \"" +
                  certificate.name + "\"");
}

}  // namespace

Outcome SecretSource::GetFor(std::stop_token stop, std::string_view value,
                             std::string_view target_namespace) {
  auto key = ParseReference(annotation(), "a Secret", value);
  if (!key) return tl::unexpected(std::move(key.error()));
  if (auto outside = options_.scope.Outside("Secret", *key)) return tl::unexpected(*outside);
  const std::uint64_t uses = loader_.Uses();
  const auto found = secrets_.Get(stop, *key);
  if (!found) return tl::unexpected(found.error());
  if (found->object == nullptr) loader_.Forget(key->String(), uses);
  const Consent consent(options_.shared_namespaces, "Secret", *key, target_namespace);
  return AsWatched(found->watched, Load(std::move(stop), *key, found->object.get(), consent));
}

Outcome SecretSource::Load(std::stop_token stop, const runtime::ObjectKey& key,
                           const runtime::Object* secret, const Consent& consent) {
  if (secret == nullptr) {
    return tl::unexpected(consent.Hide({.reason = Reason::kSourceNotFound,
                                        .message = "Secret " + key.String() + " does not exist"}));
  }
  if (!consent.IsGiven(IntoOf(*secret))) return tl::unexpected(consent.Missing());
  if (static_cast<const api::ObjectMetadata*>(secret)->Annotation(kAllowDirectInjection) !=
      "true") {
    return NotAllowed(key);
  }
  const auto loaded = loader_.Get(std::move(stop), key, secret->resource_version());
  if (!loaded) return tl::unexpected(loaded.error());
  // Checked again because the cache may lag behind the loaded version.
  if (!consent.IsGiven((*loaded)->allow_injection_into)) return tl::unexpected(consent.Missing());
  if ((*loaded)->allow_direct_injection != "true") return NotAllowed(key);
  return (*loaded)->bundle;
}

Outcome CertificateSource::GetFor(std::stop_token stop, std::string_view value,
                                  std::string_view target_namespace) {
  auto key = ParseReference(annotation(), "a Certificate", value);
  if (!key) return tl::unexpected(std::move(key.error()));
  if (auto outside = options_.scope.Outside("Certificate", *key)) return tl::unexpected(*outside);
  const Consent consent(options_.shared_namespaces, "Certificate", *key, target_namespace);
  const auto found = certificates_.Get(stop, *key);
  if (!found) return tl::unexpected(found.error());
  if (found->object == nullptr) {
    return tl::unexpected(consent.Hide(
        {.reason = Reason::kSourceNotFound, .message = Name(*key) + " does not exist"}));
  }
  const runtime::ObjectKey secret =
      static_cast<const CertManagerCertificate&>(*found->object).Secret();
  if (!IsObjectName(secret.name)) return tl::unexpected(consent.Hide(NoSecretName(*key, secret)));
  const std::uint64_t uses = loader_.Uses();
  const auto known = secrets_.Get(stop, secret);
  if (!known) return BrokenAt(Link::kSecret, known.error());
  if (known->object == nullptr) loader_.Forget(secret.String(), uses);
  return AsWatched(known->watched,
                   Load(std::move(stop), *key, secret, known->object.get(), consent));
}

Outcome CertificateSource::Load(std::stop_token stop, const runtime::ObjectKey& certificate,
                                const runtime::ObjectKey& key, const runtime::Object* secret,
                                const Consent& consent) {
  if (secret == nullptr) {
    return tl::unexpected(consent.Hide(NotFound(
        Link::kSecret, "Secret " + key.String() + " of " + Name(certificate) + " does not exist")));
  }
  if (!consent.IsGiven(IntoOf(*secret))) return tl::unexpected(consent.Missing());
  if (static_cast<const api::ObjectMetadata*>(secret)->Annotation(kCertificateName) !=
      certificate.name) {
    return NotThisCertificate(certificate, key);
  }
  const auto loaded = loader_.Get(std::move(stop), key, secret->resource_version());
  if (!loaded) return BrokenAt(Link::kSecret, loaded.error());
  // Checked again because the cache may lag behind the loaded version.
  if (!consent.IsGiven((*loaded)->allow_injection_into)) return tl::unexpected(consent.Missing());
  if ((*loaded)->certificate_name != certificate.name) return NotThisCertificate(certificate, key);
  Outcome bundle = (*loaded)->bundle;
  if (!bundle && bundle.error().reason == Reason::kNoCaData) {
    bundle.error().message += ": the issuer of " + Name(certificate) +
                              " has given no CA certificate (ACME issuers never do)";
  }
  return bundle;
}

}  // namespace capstan::cainjector
