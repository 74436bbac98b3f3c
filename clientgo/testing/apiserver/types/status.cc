// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/status.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Returns an error about one object.
Status About(int code, std::string_view reason, const Resource& resource, std::string_view name,
             std::string message) {
  return {.code = code,
          .reason = std::string(reason),
          .message = std::move(message),
          .has_details = true,
          .name = std::string(name),
          .group = std::string(resource.group),
          .kind = std::string(resource.plural)};
}

// Joins the distinct texts of the causes: one without brackets, several in brackets.
std::string JoinCauses(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes) {
    std::string text = cause.field + ": " + cause.message;
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  const std::string joined = capstan::Join(texts, ", ");
  return texts.size() > 1 ? "[" + joined + "]" : joined;
}

Status InvalidAs(std::string_view kind, std::string_view group, std::string_view name,
                 std::vector<Cause> causes) {
  std::string qualified(kind);
  if (!group.empty()) qualified += "." + std::string(group);
  std::string message = qualified + " " + Quoted(name) + " is invalid: " + JoinCauses(causes);
  return {.code = 422,
          .reason = "Invalid",
          .message = std::move(message),
          .has_details = true,
          .name = std::string(name),
          .group = std::string(group),
          .kind = std::string(kind),
          .causes = std::move(causes)};
}

}  // namespace

Status NotFound(const Resource& resource, std::string_view name) {
  return About(404, "NotFound", resource, name,
               resource.Qualified() + " " + Quoted(name) + " not found");
}

Status PathNotFound() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource",
          .has_details = true};
}

Status AlreadyExists(const Resource& resource, std::string_view name) {
  return About(409, "AlreadyExists", resource, name,
               resource.Qualified() + " " + Quoted(name) + " already exists");
}

Status Conflict(const Resource& resource, std::string_view name, std::string_view cause) {
  return About(409, "Conflict", resource, name,
               "Operation cannot be fulfilled on " + resource.Qualified() + " " + Quoted(name) +
                   ": " + std::string(cause));
}

Status BadRequest(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

Status WrongName(std::string_view name, std::string_view url_name) {
  return BadRequest("the name of the object (" + std::string(name) +
                    ") does not match the name on the URL (" + std::string(url_name) + ")");
}

Status NoName(std::string_view url_name) {
  return BadRequest("the name of the object (" + std::string(url_name) +
                    " based on URL) was undeterminable: name must be provided");
}

Status Invalid(const Resource& resource, std::string_view name, std::vector<Cause> causes) {
  return InvalidAs(resource.kind, resource.group, name, std::move(causes));
}

Status VersionRequired(const Resource& resource, std::string_view name) {
  // kube-apiserver names the resource here, not the kind.
  return InvalidAs(resource.plural, resource.group, name,
                   {{.reason = "FieldValueInvalid",
                     .message = "Invalid value: 0: must be specified for an update",
                     .field = "metadata.resourceVersion"}});
}

Status InvalidPatch(std::string_view object, const std::string& why) {
  return InvalidAs("", "", "", {InvalidValue("patch", object, why)});
}

Status InvalidOptions(std::string_view kind, std::vector<Cause> causes) {
  return InvalidAs(kind, "meta.k8s.io", "", std::move(causes));
}

Status Unauthorized() { return {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"}; }

Status ForbiddenBecause(const Resource& resource, std::string_view name, std::string_view why) {
  std::string message = resource.Qualified();
  if (!name.empty()) message += " " + Quoted(name);
  return About(403, "Forbidden", resource, name, message + " is forbidden: " + std::string(why));
}

Status NamespaceTerminating(const Resource& resource, std::string_view name, std::string_view ns) {
  const std::string in(ns);
  Status status = ForbiddenBecause(
      resource, name,
      "unable to create new content in namespace " + in + " because it is being terminated");
  status.causes.push_back({.reason = "NamespaceTerminating",
                           .message = "namespace " + in + " is being terminated",
                           .field = "metadata.namespace"});
  return status;
}

Status ForbiddenPath(std::string_view why) {
  return {.code = 403,
          .reason = "Forbidden",
          .message = "forbidden: " + std::string(why),
          .has_details = true};
}

Status MethodNotAllowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource",
          .has_details = true};
}

Status UnsupportedMediaType() {
  return {.code = 415,
          .reason = "UnsupportedMediaType",
          .message = "415: Unsupported Media Type",
          .has_details = true};
}

Status NotAcceptable(std::string message) {
  return {.code = 406, .reason = "NotAcceptable", .message = std::move(message)};
}

Status TooLargeResourceVersion(std::uint64_t wanted, std::uint64_t current) {
  return {.code = 504,
          .reason = "Timeout",
          .message = "Timeout: Too large resource version: " + std::to_string(wanted) +
                     ", current: " + std::to_string(current),
          .has_details = true,
          .causes = {{.reason = "ResourceVersionTooLarge",
                      .message = "Too large resource version",
                      .field = ""}},
          .retry_after = 1};
}

Status Expired(std::string message) {
  return {.code = 410, .reason = "Expired", .message = std::move(message)};
}

Status InternalError(std::string message) { return {.code = 500, .message = std::move(message)}; }

Status InternalErrorOccurred(const std::string& what) {
  return {.code = 500,
          .reason = "InternalError",
          .message = "Internal error occurred: " + what,
          .has_details = true,
          .causes = {{.reason = "", .message = what, .field = ""}}};
}

Cause Required(std::string field, std::string_view detail) {
  return {.reason = "FieldValueRequired",
          .message = detail.empty() ? "Required value" : "Required value: " + std::string(detail),
          .field = std::move(field)};
}

Cause InvalidValue(std::string field, std::string_view value, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = "Invalid value: " + Quoted(value) + ": " + std::string(detail),
          .field = std::move(field)};
}

Cause ForbiddenField(std::string field, std::string_view detail) {
  return {.reason = "FieldValueForbidden",
          .message = "Forbidden: " + std::string(detail),
          .field = std::move(field)};
}

Cause NotSupported(std::string field, std::string_view value, std::string_view supported) {
  return {.reason = "FieldValueNotSupported",
          .message = "Unsupported value: " + std::string(value) +
                     ": supported values: " + std::string(supported),
          .field = std::move(field)};
}

Json Status::ToJson() const {
  std::vector<Json> all;
  for (const Cause& cause : causes) {
    all.push_back({{"reason", OmitEmpty(cause.reason)},
                   {"message", OmitEmpty(cause.message)},
                   {"field", OmitEmpty(cause.field)}});
  }
  const Json details = {{"name", OmitEmpty(name)},
                        {"group", OmitEmpty(group)},
                        {"kind", OmitEmpty(kind)},
                        {"causes", OmitEmptyList(all)},
                        {"retryAfterSeconds", retry_after}};
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", {{"continue", OmitEmpty(continue_token)}}},
          {"status", "Failure"},
          {"message", OmitEmpty(message)},
          {"reason", OmitEmpty(reason)},
          {"details", has_details ? details : Json()},
          {"code", code}};
}

}  // namespace capstan::testing::apiserver
