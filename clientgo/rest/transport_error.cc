// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/transport_error.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <system_error>

namespace clientgo::rest {
namespace {

using util::Error;
using util::ErrorReason;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The TLS library's own words, e.g. for an alert that the server sent; empty: not its code.
std::string_view TlsReason(int code) {
  const auto packed = static_cast<unsigned long>(code);
  if (code <= 0 || ERR_GET_LIB(packed) != ERR_LIB_SSL) return {};
  // The words come with the first connection; nothing here says that there was one.
  OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS, nullptr);
  const char* text = ERR_reason_error_string(packed);
  return text == nullptr ? std::string_view("protocol error") : std::string_view(text);
}

std::string Errno(int code) { return std::system_category().message(code); }

}  // namespace

Error DescribeFailure(const TransportFailure& failure) {
  const auto error = [&](ErrorReason reason, std::string_view text) {
    return Error{.reason = reason, .message = std::string(failure.peer) + ": " + std::string(text)};
  };
  const std::string_view step = failure.step;
  if (failure.code == ETIMEDOUT) {
    return error(ErrorReason::kUnexpectedEof, "i/o timeout: the peer was silent for too long");
  }
  if (StartsWith(step, "Failed to connect")) {
    // The library turns ECONNREFUSED into EHOSTUNREACH. A real EHOSTUNREACH looks the same, and
    // means the same to a caller: the server is down, try again at the same place.
    if (failure.code == EHOSTUNREACH || failure.code == ECONNREFUSED) {
      return error(ErrorReason::kConnectionRefused,
                   "connect: connection refused (or no route to host)");
    }
    return error(ErrorReason::kTransport, "connect: " + Errno(failure.code));
  }
  if (StartsWith(step, "Error resolving") || StartsWith(step, "Failed to resolve")) {
    return error(ErrorReason::kTransport, "lookup: no such host, or no DNS server answers");
  }
  const std::string_view tls = TlsReason(failure.code);
  if (StartsWith(step, "Error in SSL handshake")) {
    if (!failure.verification.empty()) {
      return error(ErrorReason::kTransport,
                   "tls: failed to verify certificate: " + failure.verification);
    }
    if (!tls.empty()) return error(ErrorReason::kTransport, "tls: " + std::string(tls));
    return error(ErrorReason::kUnexpectedEof, "tls: the connection broke during the handshake");
  }
  if (StartsWith(step, "Failed to read") || StartsWith(step, "Retrieving message chunk") ||
      StartsWith(step, "Failed to write")) {
    // With TLS 1.3 a refused client certificate shows up here, after the handshake.
    if (!tls.empty()) return error(ErrorReason::kTransport, "tls: " + std::string(tls));
    if (failure.code == ECONNRESET || failure.code == EPIPE || failure.code == EHOSTUNREACH) {
      return error(ErrorReason::kUnexpectedEof, "connection reset by peer");
    }
    return error(ErrorReason::kUnexpectedEof, "unexpected EOF");
  }
  return error(ErrorReason::kTransport, step);
}

}  // namespace clientgo::rest
