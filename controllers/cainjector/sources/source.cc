// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/source.h"

#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/text.h"

namespace controllers::cainjector {

using clientgo::runtime::ObjectKey;

tl::unexpected<Failure> Fail(Reason reason, std::string message) {
  return tl::unexpected(Failure{.reason = reason, .message = std::move(message)});
}

tl::unexpected<Failure> BadAnnotation(std::string_view annotation, std::string_view value,
                                      std::string_view expected) {
  constexpr std::size_t kQuotedMax = 128;  // of the value, in a message
  return Fail(Reason::kBadAnnotation, "annotation " + std::string(annotation) + " is " +
                                          clientgo::util::Quoted(value.substr(0, kQuotedMax)) +
                                          ", must be " + std::string(expected));
}

bool IsObjectName(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return name.size() <= kLongest && clientgo::util::IsDnsSubdomain(name);
}

tl::expected<ObjectKey, Failure> ParseReference(std::string_view annotation, std::string_view what,
                                                std::string_view value) {
  const std::size_t slash = value.find('/');
  // What follows goes into paths and selectors as it is: "..", or a comma, would change them.
  const bool good = slash != std::string_view::npos &&
                    value.substr(0, slash).find('.') == std::string_view::npos &&
                    IsObjectName(value.substr(0, slash)) && IsObjectName(value.substr(slash + 1));
  if (!good) {
    return BadAnnotation(annotation, value, "\"namespace/name\" of " + std::string(what));
  }
  return ObjectKey::Parse(value);
}

tl::expected<void, Failure> CheckAvailable(const SourceOptions& options) {
  if (!options.available) return {};
  const auto available = options.available();
  if (available) return {};
  return tl::unexpected(Failure{.reason = Reason::kSourceUnavailable,
                                .message = available.error().message,
                                .error = available.error()});
}

tl::expected<SourceBundle, Failure> MakeSourceBundle(std::string_view where, std::string_view pem,
                                                     bool keep_text) {
  auto certificates = ParseBundle(pem);
  if (!certificates) {
    return Fail(Reason::kInvalidBundle, std::string(where) + ": " + certificates.error().message);
  }
  return SourceBundle{.certificates = *std::move(certificates),
                      .text = std::string(keep_text ? pem : std::string_view())};
}

tl::expected<SourceBundlePtr, Failure> AsWatched(bool watched,
                                                 tl::expected<SourceBundlePtr, Failure> outcome) {
  if (!outcome) {
    outcome.error().watched = watched;
    return outcome;
  }
  if ((*outcome)->watched == watched) return outcome;
  SourceBundle bundle = **outcome;  // the one that others share says the opposite
  bundle.watched = watched;
  return std::make_shared<const SourceBundle>(std::move(bundle));
}

}  // namespace controllers::cainjector
