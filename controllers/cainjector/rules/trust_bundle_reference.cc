// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/trust_bundle_reference.h"

#include <cstddef>
#include <string>
#include <utility>

#include "capstan/text.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

constexpr const char* kExpected =
    R"("NAME" of a ClusterTrustBundle, or "SIGNER" or "SIGNER; LABEL-SELECTOR")";

}  // namespace

bool IsSignerName(std::string_view text) {
  constexpr std::size_t kPathMax = 253 + 63 + 1;  // "<namespace>.<resource>"
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = text.substr(0, slash);
  const std::string_view path = text.substr(slash + 1);
  return IsObjectName(domain) && domain.find('.') != std::string_view::npos &&
         path.size() <= kPathMax && IsDnsSubdomain(path);
}

// The name of a bundle with a signer is "<domain>:<path>:<name>".
bool IsTrustBundleName(std::string_view text) {
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos) return IsObjectName(text);
  std::string signer(text.substr(0, last));
  const std::size_t colon = signer.find(':');
  if (colon == std::string::npos) return false;
  signer[colon] = '/';
  return IsSignerName(signer) && IsObjectName(text.substr(last + 1));
}

Expected<TrustBundleReference> ParseTrustBundleReference(std::string_view value) {
  const std::size_t semicolon = value.find(';');
  TrustBundleReference reference{.object = TrustBundleObject(value)};
  reference.is_signer = IsSignerName(reference.object);
  const bool has_selector = semicolon != std::string_view::npos;
  if (!reference.is_signer && (has_selector || !IsTrustBundleName(reference.object))) {
    return Err(ErrorReason::kInvalidArgument, kExpected);
  }
  if (!has_selector) return reference;
  auto selector = LabelSelector::Parse(value.substr(semicolon + 1));
  if (!selector) {
    return Err(ErrorReason::kInvalidArgument,
               std::string(kExpected) + ": " + selector.error().message);
  }
  reference.selector = *std::move(selector);
  return reference;
}

}  // namespace capstan::cainjector
