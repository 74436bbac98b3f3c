// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/certificate_source.h"

#include <utility>

#include "clientgo/api/certificate.h"

namespace controllers::cainjector {
namespace {

using clientgo::runtime::ObjectKey;

std::string Name(const ObjectKey& certificate) { return "Certificate " + certificate.String(); }

tl::unexpected<Failure> BrokenAt(Link link, Failure failure) {
  failure.at = link;
  return tl::unexpected(std::move(failure));
}

tl::unexpected<Failure> NotFound(Link link, std::string message) {
  return BrokenAt(link, {.reason = Reason::kSourceNotFound, .message = std::move(message)});
}

tl::unexpected<Failure> NotThisCertificate(const ObjectKey& certificate, const ObjectKey& secret) {
  return Fail(Reason::kNotThisCertificate,
              "Secret " + secret.String() + " of " + Name(certificate) +
                  " does not carry the annotation " + std::string(kCertificateName) + ": \"" +
                  certificate.name + "\"");
}

}  // namespace

CertificateSource::CertificateSource(SecretContents& contents,
                                     const clientgo::cache::StoreReader& certificates,
                                     SecretCache& secrets, SourceOptions options)
    : contents_(contents),
      certificates_(certificates),
      secrets_(secrets),
      options_(std::move(options)) {}

tl::expected<SourceBundlePtr, Failure> CertificateSource::Get(std::stop_token stop,
                                                              std::string_view value) {
  auto key = ParseReference(annotation(), "a Certificate", value);
  if (!key) return tl::unexpected(std::move(key.error()));
  if (auto outside = options_.scope.Outside("Certificate", *key)) return tl::unexpected(*outside);
  if (auto available = CheckAvailable(options_); !available) {
    return tl::unexpected(std::move(available.error()));
  }
  const auto certificate = std::static_pointer_cast<const clientgo::api::Certificate>(
      certificates_.GetByKey(key->String()));
  if (certificate == nullptr) {
    return Fail(Reason::kSourceNotFound, Name(*key) + " does not exist");
  }
  if (certificate->secret_name().empty()) {
    return NotFound(Link::kSecretName, Name(*key) + " names no Secret in spec.secretName");
  }
  const ObjectKey secret = certificate->Secret();
  if (!IsObjectName(secret.name)) {
    return NotFound(Link::kSecretName,
                    Name(*key) + " names in spec.secretName what cannot be the name of a Secret");
  }
  const auto known = secrets_.Get(stop, secret);
  if (!known) return BrokenAt(Link::kSecret, known.error());
  return AsWatched(known->watched, GetFrom(std::move(stop), *key, secret, known->secret.get()));
}

tl::expected<SourceBundlePtr, Failure> CertificateSource::GetFrom(
    std::stop_token stop, const ObjectKey& certificate, const ObjectKey& key,
    const clientgo::api::ObjectMetadata* secret) {
  if (secret == nullptr) {
    contents_.Forget(key.String());
    return NotFound(Link::kSecret,
                    "Secret " + key.String() + " of " + Name(certificate) + " does not exist");
  }
  if (secret->Annotation(kCertificateName) != certificate.name) {
    return NotThisCertificate(certificate, key);
  }
  const auto content = contents_.Get(std::move(stop), key, secret->resource_version());
  if (!content) return BrokenAt(Link::kSecret, content.error());
  // Once more, of what was read: the cache may lag behind it.
  if ((*content)->certificate_name != certificate.name) return NotThisCertificate(certificate, key);
  tl::expected<SourceBundlePtr, Failure> bundle = (*content)->bundle;
  if (!bundle && bundle.error().reason == Reason::kNoCaData) {
    bundle.error().message += ": the issuer of " + Name(certificate) +
                              " has given no CA certificate (ACME issuers never do)";
  }
  return bundle;
}

}  // namespace controllers::cainjector
