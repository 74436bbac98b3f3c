// SPDX-License-Identifier: Apache-2.0
// Errors are values. Every function that can fail returns Expected<T>. Error has what a caller
// needs to decide what to do (reason, HTTP code, Retry-After), and a message for people.
//
// Reasons are Kubernetes' StatusReason values, and local ones for failures that the API server did
// not report. Mirrors k8s.io/apimachinery/pkg/api/errors. Differs: one type holds Status errors and
// local ones.
#pragma once

// Makes compilers report an ignored Expected: this declaration adds [[nodiscard]], which the
// class's own definition does not have. It must come before that definition.
#ifndef TL_EXPECTED_HPP
namespace tl {
template <class T, class E>
class [[nodiscard]] expected;
}
#endif

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "capstan/export.h"

namespace capstan {

enum class ErrorReason {
  kUnknown,
  // Kubernetes StatusReason.
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kInvalid,
  kServerTimeout,
  kStoreReadError,
  kTimeout,
  kTooManyRequests,
  kBadRequest,
  kMethodNotAllowed,
  kNotAcceptable,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInternalError,
  kServiceUnavailable,
  // Local reasons: the API server did not report the failure.
  kConnectionRefused,  // nothing listens on the port, so the server is down
  kUnexpectedEof,      // the stream broke: reset, truncated, idle timeout ("probable EOF")
  kNoSuchHost,         // the server's name could not be resolved
  kProxy,              // the proxy is unreachable or refuses the request; the server did not get it
  kCertificate,        // the client rejected the server's TLS certificate: its CA, name or dates
  kTransport,          // any other failure to get a response
  kCredentials,        // there are no credentials, because a plugin failed
  kDecode,             // the response cannot be decoded
  kCanceled,           // the caller's stop token requested a stop
  kDeadlineExceeded,   // the caller's deadline has passed
  kInvalidArgument,    // wrong input from the caller or user; the message names input and fix
  kNoMatch,            // a RestMapper: the API server does not serve this kind or resource
  kAmbiguous,          // a RestMapper: more than one kind or resource has this name
};

// Returns Kubernetes' name ("NotFound"), or the local one ("ConnectionRefused").
CAPSTAN_EXPORT std::string_view ToString(ErrorReason reason);
// Returns the reason in a Status of the API server, or kUnknown. Never returns a local reason.
CAPSTAN_EXPORT ErrorReason ReasonFromString(std::string_view reason);
// Returns the reason for an HTTP code without a Status in the body.
CAPSTAN_EXPORT ErrorReason ReasonFromHttpCode(int code);

struct [[nodiscard]] CAPSTAN_EXPORT Error {
  ErrorReason reason = ErrorReason::kUnknown;
  int http_code = 0;  // 0: no HTTP response
  std::string message = {};
  std::optional<std::chrono::seconds> retry_after = {};
  // The server does not have the requested resourceVersion yet (Status cause
  // ResourceVersionTooLarge). Retry without a version instead of waiting.
  bool resource_version_too_large = false;
  // A server-side apply without force changes fields that other managers own (Status cause
  // FieldManagerConflict). The message names the fields and the managers. Reading the object again
  // does not help.
  bool field_manager_conflict = false;

  // Returns the same error with a prefix: "failed to get Lease ns/x: <this message>".
  Error Wrap(std::string_view prefix) const;
};

template <class T>
using Expected = tl::expected<T, Error>;

// Returns an error, for `return Err(ErrorReason::kDecode, "...")` in a function that returns
// Expected<T>.
CAPSTAN_EXPORT tl::unexpected<Error> Err(ErrorReason reason, std::string message);
CAPSTAN_EXPORT tl::unexpected<Error> Err(Error error);

inline bool IsNotFound(const Error& e) { return e.reason == ErrorReason::kNotFound; }
inline bool IsAlreadyExists(const Error& e) { return e.reason == ErrorReason::kAlreadyExists; }
inline bool IsConflict(const Error& e) { return e.reason == ErrorReason::kConflict; }
inline bool IsForbidden(const Error& e) { return e.reason == ErrorReason::kForbidden; }
inline bool IsUnauthorized(const Error& e) { return e.reason == ErrorReason::kUnauthorized; }
inline bool IsInvalid(const Error& e) { return e.reason == ErrorReason::kInvalid; }
inline bool IsCanceled(const Error& e) { return e.reason == ErrorReason::kCanceled; }
inline bool IsTooManyRequests(const Error& e) {
  return e.reason == ErrorReason::kTooManyRequests || e.http_code == 429;
}
inline bool IsConnectionRefused(const Error& e) {
  return e.reason == ErrorReason::kConnectionRefused;
}
inline bool IsCertificateRefused(const Error& e) { return e.reason == ErrorReason::kCertificate; }
// Mirrors meta.IsNoMatchError.
inline bool IsNoMatch(const Error& e) { return e.reason == ErrorReason::kNoMatch; }
// Mirrors meta.IsAmbiguousError.
inline bool IsAmbiguous(const Error& e) { return e.reason == ErrorReason::kAmbiguous; }
// Reports whether the requested resourceVersion is gone: reason Expired or Gone, or 410 without a
// reason.
CAPSTAN_EXPORT bool IsExpired(const Error& e);
// Reports whether the API server returns the same error until the request or the server changes.
CAPSTAN_EXPORT bool IsPermanent(const Error& e);

// Returns success if the result is a value or the error NotFound. Returns any other error. Mirrors
// controller-runtime's client.IgnoreNotFound.
//   return IgnoreNotFound(foos.Delete(stop, key));
template <class T>
Expected<void> IgnoreNotFound(const Expected<T>& result) {
  if (result || IsNotFound(result.error())) return {};
  return Err(result.error());
}

// Returns success if the result is a value or the error AlreadyExists. Returns any other error.
template <class T>
Expected<void> IgnoreAlreadyExists(const Expected<T>& result) {
  if (result || IsAlreadyExists(result.error())) return {};
  return Err(result.error());
}

}  // namespace capstan
