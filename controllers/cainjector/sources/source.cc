// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/source.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

tl::expected<SourceBundlePtr, Failure> DisabledSource::GetFor(
    std::stop_token /*stop*/, std::string_view /*value*/, std::string_view /*target_namespace*/) {
  return Fail(Reason::kSourceDisabled, kind_ + "s are disabled as a source (" + cause_ + ")");
}

std::vector<cache::Scope> NamespaceScope::Watches(const std::string& label_selector) const {
  const std::string field_selector =
      Join(ignored, ",", [](const std::string& name) { return "metadata.namespace!=" + name; });
  if (namespaces.empty()) {
    return {{.label_selector = label_selector, .field_selector = field_selector}};
  }
  std::vector<cache::Scope> scopes;
  for (const std::string& name : namespaces) {
    scopes.push_back(
        {.namespace_ = name, .label_selector = label_selector, .field_selector = field_selector});
  }
  return scopes;
}

std::optional<Failure> NamespaceScope::Outside(std::string_view kind,
                                               const runtime::ObjectKey& key) const {
  const std::string subject = std::string(kind) + " " + key.String();
  if (Contains(ignored, key.namespace_)) {
    return Failure{.reason = Reason::kOutsideNamespace,
                   .message = subject + " is in a namespace that is ignored (--ignore-namespaces)"};
  }
  if (namespaces.empty() || Contains(namespaces, key.namespace_)) return std::nullopt;
  const bool one = namespaces.size() == 1;
  return Failure{.reason = Reason::kOutsideNamespace,
                 .message = subject + " is not in " + (one ? "namespace " : "one of namespaces ") +
                            Join(namespaces, ", ") + ", the only " + (one ? "one" : "ones") +
                            " watched (--namespace)"};
}

tl::unexpected<Failure> Fail(Reason reason, std::string message) {
  return tl::unexpected(Failure{.reason = reason, .message = std::move(message)});
}

Failure LookupFailure(const std::string& name, const resolver::Resolution& lookup) {
  const Error& error = lookup.object.error();
  Failure failure{.reason = Reason::kSourceUnavailable, .message = error.message, .error = error};
  if (IsNotFound(error)) {
    failure = {.reason = Reason::kSourceNotFound, .message = name + " does not exist"};
  } else if (!lookup.watched) {  // a request failed
    failure = ApiFailure("cannot use " + name, error);
  }
  failure.watched = lookup.watched;
  return failure;
}

tl::unexpected<Failure> BadAnnotation(std::string_view annotation, std::string_view value,
                                      std::string_view expected) {
  constexpr std::size_t kQuotedMax = 128;  // of the value, in a message
  return Fail(Reason::kBadAnnotation, "annotation " + std::string(annotation) + " is " +
                                          Quoted(value.substr(0, kQuotedMax)) + ", must be " +
                                          std::string(expected));
}

tl::expected<runtime::ObjectKey, Failure> ParseReference(std::string_view annotation,
                                                         std::string_view what,
                                                         std::string_view value) {
  if (!IsObjectReference(value)) {
    return BadAnnotation(annotation, value, "\"namespace/name\" of " + std::string(what));
  }
  return runtime::ObjectKey::Parse(value);
}

tl::expected<SourceBundlePtr, Failure> MakeSourceBundle(std::string_view where,
                                                        std::string_view pem) {
  auto certificates = ParseBundle(pem);
  if (!certificates) {
    return Fail(Reason::kInvalidBundle, std::string(where) + ": " + certificates.error().message);
  }
  return std::make_shared<const SourceBundle>(
      SourceBundle{.certificates = *std::move(certificates)});
}

tl::expected<Certificates, Failure> TrustedOf(const SourceBundle& bundle, const Distrust& distrust,
                                              std::optional<CertificateTime> now) {
  Certificates trusted = distrust.Without(bundle.certificates);
  Failure failure{.watched = bundle.watched};
  if (trusted.empty()) {
    failure.reason = Reason::kDistrusted;
    failure.message =
        "every CA certificate of the source is distrusted; issue a new CA, or correct --distrust";
    return tl::unexpected(std::move(failure));
  }
  if (now && AllExpired(trusted, *now)) {
    failure.reason = Reason::kExpired;
    failure.message = "every CA certificate of the source has expired";
    return tl::unexpected(std::move(failure));
  }
  return trusted;
}

tl::expected<SourceBundlePtr, Failure> AsWatched(bool watched,
                                                 tl::expected<SourceBundlePtr, Failure> outcome) {
  if (!outcome) {
    outcome.error().watched = watched;
    return outcome;
  }
  if ((*outcome)->watched == watched) return outcome;
  SourceBundle bundle = **outcome;  // a copy: other targets share the original
  bundle.watched = watched;
  return std::make_shared<const SourceBundle>(std::move(bundle));
}

}  // namespace capstan::cainjector
