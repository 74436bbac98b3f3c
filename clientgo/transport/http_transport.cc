// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http_transport.h"

#include <algorithm>

namespace capstan::transport {
namespace {

bool IsOneLine(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool IsOneWord(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

}  // namespace

Expected<void> CheckRequest(const HttpRequest& request) {
  if (!IsOneWord(request.method) || !IsOneWord(request.target)) {
    return Err(ErrorReason::kInvalidArgument,
               "the request's method or target contains a space or a control character");
  }
  for (const auto& [name, value] : request.headers) {
    if (IsOneLine(name) && IsOneLine(value)) continue;
    return Err(ErrorReason::kInvalidArgument, "the value of header " +
                                                  name.substr(0, name.find_first_of("\r\n")) +
                                                  " has more than one line");
  }
  return {};
}

}  // namespace capstan::transport
