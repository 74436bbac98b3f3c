// SPDX-License-Identifier: Apache-2.0
#include "capstan/error.h"

#include <array>
#include <utility>

namespace capstan {
namespace {

struct Row {
  ErrorReason reason;
  std::string_view name;
  int http_code;  // 0: no code maps to this reason
};

// The codes are those of apimachinery's NewGenericServerResponse.
constexpr std::array kRows = {
    Row{ErrorReason::kUnauthorized, "Unauthorized", 401},
    Row{ErrorReason::kForbidden, "Forbidden", 403},
    Row{ErrorReason::kNotFound, "NotFound", 404},
    Row{ErrorReason::kAlreadyExists, "AlreadyExists", 0},
    Row{ErrorReason::kConflict, "Conflict", 409},
    Row{ErrorReason::kGone, "Gone", 410},
    Row{ErrorReason::kExpired, "Expired", 0},
    Row{ErrorReason::kInvalid, "Invalid", 422},
    Row{ErrorReason::kServerTimeout, "ServerTimeout", 0},
    Row{ErrorReason::kStoreReadError, "StoreReadError", 0},
    Row{ErrorReason::kTimeout, "Timeout", 504},
    Row{ErrorReason::kTooManyRequests, "TooManyRequests", 429},
    Row{ErrorReason::kBadRequest, "BadRequest", 400},
    Row{ErrorReason::kMethodNotAllowed, "MethodNotAllowed", 405},
    Row{ErrorReason::kNotAcceptable, "NotAcceptable", 406},
    Row{ErrorReason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
    Row{ErrorReason::kUnsupportedMediaType, "UnsupportedMediaType", 415},
    Row{ErrorReason::kInternalError, "InternalError", 500},
    Row{ErrorReason::kServiceUnavailable, "ServiceUnavailable", 503},
    Row{ErrorReason::kConnectionRefused, "ConnectionRefused", 0},
    Row{ErrorReason::kUnexpectedEof, "UnexpectedEOF", 0},
    Row{ErrorReason::kNoSuchHost, "NoSuchHost", 0},
    Row{ErrorReason::kProxy, "Proxy", 0},
    Row{ErrorReason::kCertificate, "Certificate", 0},
    Row{ErrorReason::kTransport, "Transport", 0},
    Row{ErrorReason::kCredentials, "Credentials", 0},
    Row{ErrorReason::kDecode, "Decode", 0},
    Row{ErrorReason::kCanceled, "Canceled", 0},
    Row{ErrorReason::kDeadlineExceeded, "DeadlineExceeded", 0},
    Row{ErrorReason::kInvalidArgument, "InvalidArgument", 0},
    Row{ErrorReason::kNoMatch, "NoMatch", 0},
    Row{ErrorReason::kAmbiguous, "Ambiguous", 0},
};

// Kubernetes' reasons come first in the enum and in the table.
constexpr ErrorReason kLastOfServer = ErrorReason::kServiceUnavailable;

}  // namespace

std::string_view ToString(ErrorReason reason) {
  for (const Row& row : kRows) {
    if (row.reason == reason) return row.name;
  }
  return "Unknown";
}

ErrorReason ReasonFromString(std::string_view reason) {
  for (const Row& row : kRows) {
    if (row.reason > kLastOfServer) break;  // a server never reports local reasons
    if (row.name == reason) return row.reason;
  }
  return ErrorReason::kUnknown;
}

ErrorReason ReasonFromHttpCode(int code) {
  for (const Row& row : kRows) {
    if (row.http_code == code && code != 0) return row.reason;
  }
  return code >= 500 ? ErrorReason::kInternalError : ErrorReason::kUnknown;
}

Error Error::Wrap(std::string_view prefix) const {
  Error wrapped = *this;
  wrapped.message = std::string(prefix) + ": " + message;
  return wrapped;
}

tl::unexpected<Error> Err(ErrorReason reason, std::string message) {
  return tl::unexpected<Error>(Error{.reason = reason, .message = std::move(message)});
}

tl::unexpected<Error> Err(Error error) { return tl::unexpected<Error>(std::move(error)); }

bool IsExpired(const Error& e) {
  if (e.reason == ErrorReason::kExpired || e.reason == ErrorReason::kGone) return true;
  return e.reason == ErrorReason::kUnknown && e.http_code == 410;
}

bool IsPermanent(const Error& e) {
  switch (e.reason) {
    case ErrorReason::kInvalid:
    case ErrorReason::kBadRequest:
    case ErrorReason::kMethodNotAllowed:
    case ErrorReason::kNotAcceptable:
    case ErrorReason::kRequestEntityTooLarge:
    case ErrorReason::kUnsupportedMediaType:
      return true;
    default:
      return false;
  }
}

}  // namespace capstan
