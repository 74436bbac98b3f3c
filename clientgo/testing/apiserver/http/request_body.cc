// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/request_body.h"

#include <algorithm>
#include <utility>

#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/decoding/protobuf.h"
#include "clientgo/testing/apiserver/types/go_fields.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/yaml_text.h"
#include "clientgo/yaml/documents.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kJsonBody = "application/json";
constexpr std::string_view kYamlBody = "application/yaml";
constexpr std::string_view kApplyBody = "application/apply-patch+yaml";

Status Unrecognized(const Resource& resource, const std::string& why) {
  return BadRequest("the object provided is unrecognized (must be of type " +
                    std::string(resource.kind) + "): " + why);
}

}  // namespace

std::string_view MediaType(const httpserver::Request& request) {
  const std::string_view type = request.Header("Content-Type");
  return Trim(type.substr(0, type.find(';')), " ");
}

std::optional<PatchKind> PatchKindOf(std::string_view media_type, const Resource& resource) {
  if (media_type == "application/json-patch+json") return PatchKind::kJson;
  if (media_type == "application/merge-patch+json") return PatchKind::kMerge;
  if (media_type == "application/strategic-merge-patch+json" && !resource.custom) {
    return PatchKind::kStrategic;
  }
  if (media_type == kApplyBody) return PatchKind::kApply;
  return std::nullopt;
}

std::optional<Status> DecodeBody(const Resource& resource, httpserver::Request& request,
                                 std::vector<std::string>& repeats) {
  const std::string_view type = MediaType(request);
  std::string& body = request.body;
  if (body.empty()) return std::nullopt;
  if (type == runtime::kProtobufContentType) {
    // Custom resources have no protobuf encoding, but the options of their deletion do.
    if (resource.custom && request.method != "DELETE") return std::nullopt;
    auto json = JsonFromProtobuf(body);
    if (!json) return Unrecognized(resource, json.error());
    body = *std::move(json);
  } else if (type == kYamlBody) {
    auto json = JsonFromYaml(body, repeats);
    if (!json) return Unrecognized(resource, json.error());
    body = *std::move(json);
  } else if (type == kApplyBody) {
    // Most clients apply JSON. It is read as YAML only to name the lines of its repeated keys.
    std::string error;
    const auto known = ParseJson(body, &error, Repeats::kKeepAll);
    if (known != nullptr && DropUndecoded(nullptr, *known).empty()) return std::nullopt;
    auto json = JsonFromYaml(known != nullptr ? yaml::JsonAsYaml(body) : body, repeats);
    if (known != nullptr) return std::nullopt;
    if (!json) {
      return BadRequest("error decoding YAML: error converting YAML to JSON: " + json.error());
    }
    body = *std::move(json);
  }
  return std::nullopt;
}

std::optional<Status> CheckMediaType(const Resource& resource, std::string_view type) {
  const bool protobuf = type == runtime::kProtobufContentType && !resource.custom;
  if (type.empty() || type == kJsonBody || type == kYamlBody || protobuf) return std::nullopt;
  std::string message =
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml";
  if (!resource.custom) message += ", " + std::string(runtime::kProtobufContentType);
  return Status{.code = 415, .reason = "UnsupportedMediaType", .message = std::move(message)};
}

}  // namespace capstan::testing::apiserver
