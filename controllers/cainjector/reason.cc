// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/reason.h"

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
    case Reason::kForbidden:
    case Reason::kRejected:
      return Retry::kSlow;
    case Reason::kError:
      return Retry::kBackoff;
    default:
      return Retry::kOnChange;
  }
}

Failure ApiFailure(std::string_view doing, const clientgo::util::Error& error) {
  Failure failure{.reason = Reason::kError, .error = error.Wrap(doing)};
  failure.message = failure.error.message;
  if (IsForbidden(error)) failure.reason = Reason::kForbidden;
  if (IsPermanent(error)) failure.reason = Reason::kRejected;
  return failure;
}

}  // namespace controllers::cainjector
