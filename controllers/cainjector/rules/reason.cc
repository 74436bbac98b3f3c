// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/reason.h"

namespace controllers::cainjector {

std::string_view ToString(Reason reason) {
  switch (reason) {
    case Reason::kInjected:
      return "Injected";
    case Reason::kUnchanged:
      return "Unchanged";
    case Reason::kSourceNotFound:
      return "SourceNotFound";
    case Reason::kNotAllowed:
      return "NotAllowed";
    case Reason::kNoCaData:
      return "NoCaData";
    case Reason::kInvalidBundle:
      return "InvalidBundle";
    case Reason::kExpired:
      return "Expired";
    case Reason::kBadAnnotation:
      return "BadAnnotation";
    case Reason::kOutsideNamespace:
      return "OutsideNamespace";
    case Reason::kNotThisCertificate:
      return "NotThisCertificate";
    case Reason::kSourceUnavailable:
      return "SourceUnavailable";
    case Reason::kSourceDisabled:
      return "SourceDisabled";
    case Reason::kNothingToInjectInto:
      return "NothingToInjectInto";
    case Reason::kTlsVerifyDisabled:
      return "TLSVerifyDisabled";
    case Reason::kForbidden:
      return "Forbidden";
    case Reason::kRejected:
      return "Rejected";
    case Reason::kError:
      return "Error";
  }
  return "Error";
}

Retry RetryAfter(Reason reason) {
  switch (reason) {
    case Reason::kSourceUnavailable:
    case Reason::kForbidden:
    case Reason::kRejected:
      return Retry::kSlow;
    case Reason::kError:
      return Retry::kBackoff;
    default:
      return Retry::kOnChange;
  }
}

bool IsNormal(Reason reason) {
  return reason == Reason::kInjected || reason == Reason::kUnchanged ||
         reason == Reason::kNothingToInjectInto;
}

bool IsExcluded(Reason reason) {
  return reason == Reason::kOutsideNamespace || reason == Reason::kSourceDisabled;
}

Link BrokenLink(const Failure& failure) {
  if (failure.at) return *failure.at;
  switch (failure.reason) {
    case Reason::kNothingToInjectInto:
    case Reason::kTlsVerifyDisabled:
      return Link::kPlace;
    case Reason::kBadAnnotation:
      return Link::kAnnotation;
    case Reason::kOutsideNamespace:
    case Reason::kSourceDisabled:
      return Link::kProcess;
    case Reason::kSourceNotFound:
    case Reason::kSourceUnavailable:
    case Reason::kForbidden:
    case Reason::kError:
      return Link::kSource;
    case Reason::kNotAllowed:
    case Reason::kNotThisCertificate:
      return Link::kConsent;
    case Reason::kNoCaData:
    case Reason::kInvalidBundle:
    case Reason::kExpired:
      return Link::kContent;
    case Reason::kRejected:
    case Reason::kInjected:
    case Reason::kUnchanged:
      break;
  }
  return Link::kBundle;
}

std::vector<Reason> AllReasons() {
  std::vector<Reason> all;
  for (int i = 0; i <= static_cast<int>(Reason::kError); ++i) all.push_back(static_cast<Reason>(i));
  return all;
}

Failure ApiFailure(std::string_view doing, const clientgo::util::Error& error) {
  Failure failure{.reason = Reason::kError, .error = error.Wrap(doing)};
  failure.message = failure.error.message;
  if (IsForbidden(error)) failure.reason = Reason::kForbidden;
  if (IsPermanent(error)) failure.reason = Reason::kRejected;
  return failure;
}

}  // namespace controllers::cainjector
