// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request_info.h"

#include <algorithm>
#include <vector>

namespace apiserver {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string Verb(const httpserver::Request& request, bool named) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "deletecollection";
  if (named) return "get";
  return IsTrue(request.Query("watch")) ? "watch" : "list";
}

// A subresource of a namespace, and no namespaced resource.
bool IsNamespaceSubresource(std::string_view part) {
  return part == "status" || part == "finalize";
}

}  // namespace

bool IsTrue(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" ||
         text == "True";
}

bool ParseRequestInfo(const httpserver::Request& request, RequestInfo& info) {
  std::vector<std::string> parts = Split(request.path, '/');
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    info.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    info.group = parts[1];
    info.version = parts[2];
    at = 3;
  } else {
    return false;
  }
  if (parts[at] == "namespaces" && parts.size() >= at + 3 &&
      !IsNamespaceSubresource(parts[at + 2])) {
    info.namespace_ = parts[at + 1];
    at += 2;
  }
  const std::size_t left = parts.size() - at;
  info.plural = parts[at];
  if (left > 1) info.name = parts[at + 1];
  if (left > 2) info.subresource = parts[at + 2];
  if (left > 3) return false;
  info.verb = Verb(request, !info.name.empty());
  info.resource = FindResource(info.group, info.version, info.plural);
  return true;
}

Result<Form> NegotiateForm(std::string_view accept, bool list) {
  if (accept.empty()) return Form::kFull;
  for (const std::string& range : Split(accept, ',')) {
    const std::vector<std::string> parts = Split(range, ';');
    if (parts.empty()) continue;
    const std::string_view type = Trim(parts.front());
    if (type != "application/json" && type != "application/*" && type != "*/*") continue;
    std::string_view as;
    for (const std::string& part : parts) {
      const std::string_view parameter = Trim(part);
      if (parameter.starts_with("as=")) as = parameter.substr(3);
    }
    if (as.empty()) return Form::kFull;
    if (as == (list ? "PartialObjectMetadataList" : "PartialObjectMetadata")) {
      return Form::kMetadata;
    }
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
      return tl::unexpected(NotAcceptable("you requested " + std::string(as) +
                                          ", but the requested object is " +
                                          (list ? "a list" : "not a list")));
    }
  }
  return tl::unexpected(
      NotAcceptable("only the following media types are accepted: application/json"));
}

}  // namespace apiserver
