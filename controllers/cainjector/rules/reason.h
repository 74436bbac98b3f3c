// SPDX-License-Identifier: Apache-2.0
// Reason is the outcome of one reconciliation of a target. It is the reason of the Event on the
// target and the `result` of capstan_injection_total. Users rely on the names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"

namespace capstan::cainjector {

enum class Reason {
  kInjected,             // written
  kUnchanged,            // already correct, nothing was sent
  kSourceNotFound,       // the object that the annotation names does not exist
  kNotAllowed,           // the source does not carry the opt-in annotation
  kNotShared,            // the source is in another namespace and does not allow this use
  kNoCaData,             // the source has no CA certificate, or an empty one
  kInvalidBundle,        // the content of the source is not a CA bundle
  kExpired,              // every certificate of the source has expired
  kDistrusted,           // every certificate of the source is distrusted
  kBadAnnotation,        // the annotation's value is not "namespace/name"
  kOutsideNamespace,     // this process does not use sources in that namespace
  kNotThisCertificate,   // the annotation of the Secret does not name the Certificate
  kSourceUnavailable,    // the source's kind cannot be listed: not served, or RBAC
  kSourceDisabled,       // this kind of source is disabled by a flag or feature gate
  kSourcesIncomplete,    // some sources of a list have failed; the bundle of the others is injected
  kNothingToInjectInto,  // the target has no place for a bundle
  kTlsVerifyDisabled,    // the target disables the verification of certificates
  kFieldOwned,           // another manager owns the field with another value
  kOverwritten,          // the bundle was replaced after each of many writes
  kTooLarge,             // the API server stores no object of the size that the write would make
  kForbidden,            // RBAC: no right to read the source or write the target
  kRejected,             // the API server or an admission policy rejected the write
  kError,                // no answer, or an error that a retry may fix
};
std::string_view ToString(Reason reason);  // "Injected"

// Retry is what must happen before the outcome can change.
enum class Retry {
  kOnChange,  // a change of the target or the source, which is an event
  kSlow,      // a change without an event (RBAC, an admission policy)
  kBackoff,   // only time
};
Retry RetryAfter(Reason reason);

// Returns true when nothing is wrong: the Event is not a warning.
bool IsNormal(Reason reason);
// Returns true when the target holds its bundle.
inline bool IsInSync(Reason reason) {
  return reason == Reason::kInjected || reason == Reason::kUnchanged;
}
// Returns true when the configuration excludes the target, which must not cause an alert.
bool IsExcluded(Reason reason);
// Returns every Reason, in order.
std::vector<Reason> AllReasons();

// Link is a condition for a target to hold the bundle. They are checked in this order.
enum class Link {
  kPlace,       // the target has a place for a bundle
  kAnnotation,  // its annotation names an object
  kProcess,     // the flags of this process allow that object
  kSource,      // the object exists
  kSecretName,  // the Certificate names a Secret
  kSecret,      // that Secret exists
  kConsent,     // the Secret allows this use
  kContent,     // it holds a CA bundle
  kBundle,      // the bundle could be written to the target
};

// Failure is why nothing was injected. `message` is for users, contains the fix when it is known,
// and never holds secret data.
struct Failure {
  Reason reason = Reason::kError;
  std::string message = {};
  Error error = {};  // kForbidden, kRejected, kError, kSourceUnavailable
  // True when a change of the source is an event. Otherwise it is checked again after a while.
  bool watched = true;
  // The broken link, when `reason` does not determine it.
  std::optional<Link> at = {};
  // Of one source of a list: its item, "secret/ns/ca".
  std::string item = {};
  // The failures of the items of a list, in the order of the list.
  std::vector<Failure> causes = {};
};
// Returns what must happen before the failure can end: that of its most urgent cause.
Retry RetryAfter(const Failure& failure);
// Returns the first broken link.
Link BrokenLink(const Failure& failure);

// Returns one failure for the failed items of a list. `causes` has at least one, and each has its
// `item`. kSourcesIncomplete; or that of the first when all `items` have failed. The message names
// all of them.
Failure CombineFailures(std::vector<Failure> causes, std::size_t items);

// Reports whether the error is a 403 for which no right is missing: an admission webhook, a policy,
// a quota or another plugin denied the write.
bool IsDeniedByAdmission(const Error& error);

// The fix for kTooLarge, for messages.
inline constexpr const char* kTooLargeFix =
    "name a smaller source, or divide the places for bundles among several objects";

// Returns the failure of an API call. `doing` is "failed to get Secret ns/name". Its message and
// its error do not contain a rejected bundle.
Failure ApiFailure(std::string_view doing, const Error& error);

}  // namespace capstan::cainjector
