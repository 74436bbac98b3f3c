// SPDX-License-Identifier: Apache-2.0
// Errors as values. Expected<T> is what every fallible function returns; Error carries what a
// caller needs to decide (reason, HTTP code, Retry-After) and a message a person can read.
//
// Reasons are Kubernetes' StatusReason values, plus a few for what never reached a server.
// Mirrors k8s.io/apimachinery/pkg/api/errors. Differs: one type for Status errors and local ones.
#pragma once

// To ignore an Expected is an error that compilers report: this declaration adds [[nodiscard]] to
// the class, whose own definition has none. It works only ahead of that definition.
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

namespace clientgo::util {

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
  // Ours: the request got no (whole) answer, or never left.
  kConnectionRefused,  // nobody listens: the server is down, not unwilling
  kUnexpectedEof,      // the stream broke: reset, truncated, idle timeout ("probable EOF")
  kNoSuchHost,         // the server's name could not be looked up
  kProxy,              // the proxy cannot be reached, or refuses: the server was not asked
  kCertificate,        // the server's TLS certificate was refused: by its CA, name or dates
  kTransport,          // any other failure to get an answer
  kCredentials,        // there is nothing to show to the server: a plugin failed
  kDecode,             // the answer is not what it should be
  kCanceled,           // our own stop token
  kDeadlineExceeded,   // our own deadline
  kInvalidArgument,    // the caller's or the user's input; the message names it and the remedy
};

// The Kubernetes spelling ("NotFound"), or ours ("ConnectionRefused").
std::string_view ToString(ErrorReason reason);
// The reason for a Status' reason string; kUnknown for one we do not know.
// Of what a server says: Kubernetes' reasons only.
ErrorReason ReasonFromString(std::string_view reason);
// The reason for an HTTP code whose body told none.
ErrorReason ReasonFromHttpCode(int code);

struct [[nodiscard]] Error {
  ErrorReason reason = ErrorReason::kUnknown;
  int http_code = 0;  // 0: no HTTP answer
  std::string message = {};
  std::optional<std::chrono::seconds> retry_after = {};
  // The server does not have the requested resourceVersion yet (Status cause
  // ResourceVersionTooLarge). Waiting does not help as much as asking without a version.
  bool resource_version_too_large = false;

  // "failed to get Lease ns/x: <this message>": the same error with a prefix.
  Error Wrap(std::string_view prefix) const;
};

template <class T>
using Expected = tl::expected<T, Error>;

// `return Err(ErrorReason::kDecode, "...")` from a function that returns Expected<T>.
tl::unexpected<Error> Err(ErrorReason reason, std::string message);
tl::unexpected<Error> Err(Error error);

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
// The resourceVersion asked for is gone: reason Expired or Gone, or a bare 410.
bool IsExpired(const Error& e);
// The API server answered, and its answer will be the same until somebody changes something.
bool IsPermanent(const Error& e);

}  // namespace clientgo::util
