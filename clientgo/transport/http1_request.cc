// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http1_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace clientgo::transport {
namespace {

bool IsOneLine(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool IsOneWord(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

void AddHeader(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

util::Expected<std::string> FormatRequest(const HttpRequest& request, const Route& route) {
  const auto invalid = [](std::string message) {
    return util::Err(util::ErrorReason::kInvalidArgument, std::move(message));
  };
  if (!IsOneWord(request.method) || !IsOneWord(request.target)) {
    return invalid("the request's method or target has a space or a control character in it");
  }
  const ServerAddress& server = route.server;
  const bool plain_proxy = route.proxy.has_value() && !server.tls;
  std::string text = request.method + " ";
  text += plain_proxy ? server.Url() : server.path_prefix;
  text += request.target + " HTTP/1.1\r\n";
  AddHeader(text, "Host", server.HostPort());
  AddHeader(text, "Accept-Encoding", "identity");
  if (plain_proxy && !route.proxy->authorization.empty()) {
    AddHeader(text, "Proxy-Authorization", route.proxy->authorization);
  }
  for (const auto& [name, value] : request.headers) {
    if (!IsOneLine(name) || !IsOneLine(value)) {
      return invalid("the value of header " + name.substr(0, name.find_first_of("\r\n")) +
                     " has more than one line");
    }
    AddHeader(text, name, value);
  }
  if (!request.body.empty() || request.method != "GET") {
    AddHeader(text, "Content-Length", std::to_string(request.body.size()));
  }
  return text + "\r\n" + request.body;
}

}  // namespace clientgo::transport
