// SPDX-License-Identifier: Apache-2.0
// Consent decides whether a target may use a source of another namespace. Its user may have no
// rights there. So the source has to name the target's namespace in kAllowInjectionInto, or the
// operator shares all sources of the source's namespace. A target without a namespace needs no
// consent: only administrators can write it.
//
// Without consent there is one failure, whether the source exists or not, and whatever it holds.
// Immutable, for one read. Has no upstream, whose targets have no namespaces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/runtime/object.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cainjector {

// Returns true when a target may use a source in the namespace `source` only with consent.
// `shared` is SourceOptions::shared_namespaces.
bool NeedsConsent(const std::vector<std::string>& shared, std::string_view source,
                  std::string_view target_namespace);

class Consent {
 public:
  // `source` is the object that the target names, of this kind.
  Consent(const std::vector<std::string>& shared, std::string_view kind,
          const runtime::ObjectKey& source, std::string_view target_namespace);

  // Returns true when the target may use the source. `annotation` is the value of
  // kAllowInjectionInto on the object with the CA; nullopt: absent.
  bool IsGiven(std::optional<std::string_view> annotation) const;
  // Returns the failure of a target without consent.
  Failure Missing() const;
  // Returns `failure`, or Missing() when the target must not learn it. For a failure that occurs
  // before the annotation is read.
  Failure Hide(Failure failure) const { return needed_ ? Missing() : std::move(failure); }

 private:
  const bool needed_;
  const std::string source_;
  const std::string source_namespace_;
  const std::string target_namespace_;
};

}  // namespace capstan::cainjector
