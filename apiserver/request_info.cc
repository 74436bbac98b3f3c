// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request_info.h"

#include <utility>
#include <vector>

#include "apiserver/decoding.h"
#include "clientgo/util/text.h"

namespace apiserver {
namespace {

using clientgo::util::Split;
using clientgo::util::Trim;

std::string Verb(const httpserver::Request& request, bool named) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "deletecollection";
  if (named) return "get";
  return IsTrue(request.Query("watch")) ? "watch" : "list";
}

// One of the alternatives of an Accept header.
struct MediaRange {
  std::string type;
  std::string as;
  std::string group;
  std::string version;
};

MediaRange ParseRange(std::string_view text) {
  MediaRange range;
  for (const std::string_view part : Split(text, ';')) {
    const std::string_view parameter = Trim(part, " ");
    if (range.type.empty()) range.type = parameter;
    if (parameter.starts_with("as=")) range.as = parameter.substr(3);
    if (parameter.starts_with("g=")) range.group = parameter.substr(2);
    if (parameter.starts_with("v=")) range.version = parameter.substr(2);
  }
  return range;
}

// The type that Go has for what is asked for: "*core.SecretList".
std::string GoType(const Resource& resource, Answering answering) {
  const std::string list = answering == Answering::kList ? "List" : "";
  if (resource.custom) return "*unstructured.Unstructured" + list;
  return "*" + InternalGroup(resource) + "." + std::string(resource.kind) + list;
}

// A subresource of a namespace, and no namespaced resource.
bool IsNamespaceSubresource(std::string_view part) {
  return part == "status" || part == "finalize";
}

}  // namespace

bool IsTrue(std::string_view text) {
  return !text.empty() && text != "0" && !clientgo::util::EqualIgnoringCase(text, "false");
}

bool ParseRequestInfo(const httpserver::Request& request, RequestInfo& info) {
  const std::vector<std::string_view> parts = Split(request.path, '/');
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

Result<Form> NegotiateForm(std::string_view accept, const Resource& resource, Answering answering) {
  if (accept.empty()) return Form::kFull;
  bool json = false;
  for (const std::string_view text : Split(accept, ',')) {
    const MediaRange range = ParseRange(text);
    if (range.type != "application/json" && range.type != "*/*") continue;
    json = true;
    if (range.as.empty() && range.group.empty() && range.version.empty()) return Form::kFull;
    const bool one = range.as == "PartialObjectMetadata";
    const bool many = range.as == "PartialObjectMetadataList";
    if ((!one && !many) || range.group != "meta.k8s.io" || range.version != "v1") continue;
    if (many == (answering == Answering::kList)) return Form::kMetadata;
    return tl::unexpected(
        NotAcceptable("you requested " + range.as + ", but the requested object is " +
                      (many ? "not a list" : "a list") + " (" + GoType(resource, answering) + ")"));
  }
  if (json) {
    return tl::unexpected(
        NotAcceptable("only the following media types are accepted: application/json"));
  }
  std::string message = "406: Not Acceptable\n\nAvailable representations: application/json";
  if (answering != Answering::kObject) message += ", application/json;stream=watch";
  Status status = NotAcceptable(std::move(message));
  status.has_details = true;
  return tl::unexpected(std::move(status));
}

}  // namespace apiserver
