// SPDX-License-Identifier: Apache-2.0
// Reason: the outcome of looking at one target, as a code: the reason of the Event on it and the
// `result` of capstan_injection_total. The names are part of the contract with users.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace controllers::cainjector {

enum class Reason {
  kInjected,             // written
  kUnchanged,            // already right, nothing was sent
  kSourceNotFound,       // the object that the annotation names does not exist
  kNotAllowed,           // the source does not carry the opt-in annotation
  kNoCaData,             // the source has no CA certificate, or an empty one
  kInvalidBundle,        // the source holds something that is not a CA bundle
  kExpired,              // every certificate of the source has expired
  kBadAnnotation,        // the annotation's value is not "namespace/name"
  kOutsideNamespace,     // the source is not in the namespace this process is limited to
  kNotThisCertificate,   // the Secret does not say that it belongs to the Certificate
  kSourceUnavailable,    // the source's kind cannot be listed: it is not served, or RBAC
  kSourceDisabled,       // this process was told not to use this kind of source
  kNothingToInjectInto,  // the target has no place for a bundle
  kTlsVerifyDisabled,    // the target says that no certificate is to be verified
  kForbidden,            // RBAC: we may not read the source or write the target
  kRejected,             // the API server refuses the target as we would write it
  kError,                // no answer, or one that another try may change
};
std::string_view ToString(Reason reason);  // "Injected"

// What has to happen before another look can end differently.
enum class Retry {
  kOnChange,  // a change of the target or the source, which is an event
  kSlow,      // something that sends no event (RBAC, an admission policy)
  kBackoff,   // nothing but time
};
Retry RetryAfter(Reason reason);

// Nothing is wrong: an Event about it is no warning.
bool IsNormal(Reason reason);
// This process was told to leave such a target alone: no alert is to come of it.
bool IsExcluded(Reason reason);
// Every Reason, in order.
std::vector<Reason> AllReasons();

// What has to be right one after the other for a target to hold the bundle, in this order.
enum class Link {
  kPlace,       // the target has a place for a bundle
  kAnnotation,  // its annotation names an object
  kProcess,     // which this process may use: its flags
  kSource,      // the object it names is there
  kSecretName,  // of a Certificate: it names a Secret
  kSecret,      // of a Certificate: that Secret is there
  kConsent,     // the Secret says that it may be used for this
  kContent,     // it holds a CA bundle
  kBundle,      // the target holds it, too: it could be written
};

// Why nothing was injected. `message` is for people, says what to do where that is known, and
// never holds secret data.
struct Failure {
  Reason reason = Reason::kError;
  std::string message = {};
  clientgo::util::Error error = {};  // kForbidden, kRejected, kError, kSourceUnavailable
  // A change of the source is an event. Else it has to be looked at again now and then.
  bool watched = true;
  // Where it broke, when `reason` alone does not tell.
  std::optional<Link> at = {};
};
// The first link that is broken.
Link BrokenLink(const Failure& failure);

// The failure for an API call that went wrong: `doing` is "failed to get Secret ns/name".
Failure ApiFailure(std::string_view doing, const clientgo::util::Error& error);

}  // namespace controllers::cainjector
