// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/client_errors.h"

#include <cstddef>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the text that client-go takes from a response that is not a success.
std::string ServerMessage(std::string_view content_type, std::string_view body) {
  constexpr std::size_t kBytesMax = 2048;
  if (!content_type.empty() && !content_type.starts_with("text/")) return "unknown";
  return std::string(TrimSpace(TruncateUtf8(body, kBytesMax)));
}

}  // namespace

std::string GoErrorText(const Error& error, std::string_view host) {
  if (error.reason == ErrorReason::kConnectionRefused) {
    return "dial tcp " + std::string(host) + ": connect: connection refused";
  }
  if (error.reason == ErrorReason::kDeadlineExceeded) return "context deadline exceeded";
  return error.message;
}

std::string ServerErrorText(int code, std::string_view content_type, std::string_view body) {
  std::string message = ServerMessage(content_type, body);
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 415:
      return message;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      return message.empty() || message == "unknown"
                 ? "the server was unable to respond with a content type that the client supports"
                 : message;
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (code >= 500) {
    return "an error on the server (" + Quoted(message) +
           ") has prevented the request from succeeding";
  }
  return "the server responded with the status code " + std::to_string(code) +
         " but did not return more information";
}

}  // namespace capstan::testing::apiserver
