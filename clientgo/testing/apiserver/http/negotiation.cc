// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/negotiation.h"

#include <string>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/types/built_in.h"

namespace capstan::testing::apiserver {
namespace {

// MediaRange is one alternative of an Accept header.
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

// The Go type of the requested object: "*core.SecretList".
std::string GoType(const Resource& resource, Answering answering) {
  const std::string list = answering == Answering::kList ? "List" : "";
  if (resource.custom) return "*unstructured.Unstructured" + list;
  return "*" + InternalGroup(resource) + "." + std::string(resource.kind) + list;
}

}  // namespace

Result<Negotiated> Negotiate(const httpserver::Request& request, const Resource& resource,
                             Answering answering, bool serves_protobuf) {
  const std::string_view accept = request.Header("Accept");
  if (accept.empty()) return Negotiated();
  bool json = false;
  for (const std::string_view text : Split(accept, ',')) {
    const MediaRange range = ParseRange(text);
    const bool protobuf = range.type == runtime::kProtobufContentType;
    if (protobuf ? !serves_protobuf : range.type != "application/json" && range.type != "*/*") {
      continue;
    }
    json = json || !protobuf;
    if (range.as.empty() && range.group.empty() && range.version.empty()) {
      if (protobuf && FindMessage(resource) == nullptr) continue;
      return Negotiated{.form = Form::kFull, .protobuf = protobuf};
    }
    const bool beta = range.version == "v1beta1";
    if (range.group != "meta.k8s.io" || (beta ? protobuf : range.version != "v1")) continue;
    if (range.as == "Table" && resource.review) continue;
    if (range.as == "Table" && !protobuf) return Negotiated{.form = Form(Form::kTable, beta)};
    const bool one = range.as == "PartialObjectMetadata";
    const bool many = range.as == "PartialObjectMetadataList";
    if (!one && !many) continue;
    if (many == (answering == Answering::kList)) {
      return Negotiated{.form = Form(Form::kMetadata, beta), .protobuf = protobuf};
    }
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

bool PrefersProtobuf(const httpserver::Request& request) {
  for (const std::string_view text : Split(request.Header("Accept"), ',')) {
    const std::string type = ParseRange(text).type;
    if (type == runtime::kProtobufContentType) return true;
    if (type == "application/json" || type == "*/*") return false;
  }
  return false;
}

}  // namespace capstan::testing::apiserver
