// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/consent.h"

#include <algorithm>

#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {

bool NeedsConsent(const std::vector<std::string>& shared, std::string_view source,
                  std::string_view target_namespace) {
  if (target_namespace.empty() || source == target_namespace) return false;
  return std::none_of(shared.begin(), shared.end(),
                      [&](const std::string& name) { return name == "*" || name == source; });
}

Consent::Consent(const std::vector<std::string>& shared, std::string_view kind,
                 const runtime::ObjectKey& source, std::string_view target_namespace)
    : needed_(NeedsConsent(shared, source.namespace_, target_namespace)),
      source_(std::string(kind) + " " + source.String()),
      source_namespace_(source.namespace_),
      target_namespace_(target_namespace) {}

bool Consent::IsGiven(std::optional<std::string_view> annotation) const {
  return !needed_ || (annotation && AllowsNamespace(*annotation, target_namespace_));
}

Failure Consent::Missing() const {
  const bool certificate = source_.starts_with("Certificate ");
  return {.reason = Reason::kNotShared,
          .message = source_ + " is in another namespace than the target. It does not exist, or " +
                     (certificate ? "its Secret" : "it") + " does not have " + target_namespace_ +
                     " in the annotation " + std::string(kAllowInjectionInto) +
                     ", which the owner has to set; or name a source in namespace " +
                     target_namespace_ + ", or let an operator add " + source_namespace_ +
                     " to --shared-source-namespaces"};
}

}  // namespace capstan::cainjector
