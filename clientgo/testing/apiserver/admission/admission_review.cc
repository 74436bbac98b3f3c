// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/admission_review.h"

#include <utility>

#include "capstan/base64.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kVersion = "admission.k8s.io/v1";
constexpr int kBadRequest = 400;

// Writes the group, the version, and `name`, which is "kind" or "resource".
void WriteGroupVersion(runtime::JsonWriter& writer, std::string_view key, const Resource& resource,
                       std::string_view name, std::string_view value) {
  writer.Key(key);
  writer.StartObject();
  writer.Key("group");
  writer.String(resource.group);
  writer.Key("version");
  writer.String(resource.version);
  writer.Key(name);
  writer.String(value);
  writer.EndObject();
}

void WriteKind(runtime::JsonWriter& writer, std::string_view key, const Resource& kind) {
  WriteGroupVersion(writer, key, kind, "kind", kind.kind);
}

void WriteResource(runtime::JsonWriter& writer, std::string_view key, const Resource& resource) {
  WriteGroupVersion(writer, key, resource, "resource", resource.plural);
}

void WriteStrings(runtime::JsonWriter& writer, std::string_view key,
                  const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  writer.Key(key);
  writer.StartArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

void WriteUser(runtime::JsonWriter& writer, const UserInfo& user) {
  writer.Key("userInfo");
  writer.StartObject();
  runtime::WriteField(writer, "username", user.name);
  runtime::WriteField(writer, "uid", user.uid);
  WriteStrings(writer, "groups", user.groups);
  if (!user.extra.empty()) {
    writer.Key("extra");
    writer.StartObject();
    for (const auto& [key, values] : user.extra) WriteStrings(writer, key, values);
    writer.EndObject();
  }
  writer.EndObject();
}

void WriteObject(runtime::JsonWriter& writer, std::string_view key,
                 const runtime::JsonValue* object) {
  writer.Key(key);
  object == nullptr ? writer.Null() : writer.Value(*object);
}

std::string_view OptionsKind(std::string_view operation) {
  if (operation == "CREATE") return "CreateOptions";
  return operation == "UPDATE" ? "UpdateOptions" : "DeleteOptions";
}

std::string Text(const runtime::JsonValue& object, std::string_view key) {
  return std::string(runtime::GetString(object, key));
}

// Returns the rejection of a request from the Status in a response.
Status Denial(std::string_view webhook, const runtime::JsonValue& result) {
  const runtime::JsonValue* const code = runtime::Find(result, "code");
  const runtime::JsonValue& details = ObjectAt(result, "details");
  Status denial{.code = code != nullptr && code->IsInt() ? code->GetInt() : 0,
                .reason = Text(result, "reason"),
                .message = "admission webhook " + Quoted(webhook) + " denied the request",
                .has_details = runtime::Find(result, "details") != nullptr,
                .name = Text(details, "name"),
                .group = Text(details, "group"),
                .kind = Text(details, "kind")};
  if (denial.code < kBadRequest) denial.code = kBadRequest;
  const std::string message = Text(result, "message");
  const std::string& why = message.empty() ? denial.reason : message;
  denial.message += why.empty() ? " without explanation" : ": " + why;
  for (const runtime::JsonValue& cause : ListAt(details, "causes").GetArray()) {
    denial.causes.push_back({.reason = Text(cause, "reason"),
                             .message = Text(cause, "message"),
                             .field = Text(cause, "field")});
  }
  const runtime::JsonValue* const retry = runtime::Find(details, "retryAfterSeconds");
  if (retry != nullptr && retry->IsInt() && retry->GetInt() > 0)
    denial.retry_after = retry->GetInt();
  return denial;
}

// Returns why a response is invalid; empty: it is valid.
std::string WhyInvalid(const Webhook& webhook, std::string_view uid,
                       const runtime::JsonValue& review) {
  const runtime::JsonValue* const response = runtime::Find(review, "response");
  if (response == nullptr || !response->IsObject()) return "webhook response was absent";
  const std::string_view answered = runtime::GetString(*response, "uid");
  if (answered != uid) {
    return "expected response.uid=" + Quoted(uid) + ", got " + Quoted(answered);
  }
  const std::string version = Text(review, "apiVersion");
  const std::string kind = Text(review, "kind");
  if (version != kVersion || kind != "AdmissionReview") {
    // Go's schema.GroupVersionKind writes the core group as "/v1".
    const bool group = version.find('/') != std::string::npos;
    return "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got " +
           std::string(group ? "" : "/") + version + ", Kind=" + kind;
  }
  const bool patch = !runtime::GetString(*response, "patch").empty();
  const runtime::JsonValue* const type = runtime::Find(*response, "patchType");
  const bool typed = type != nullptr && type->IsString();
  if (!webhook.mutating) {
    if (patch) return "validating webhook may not return response.patch";
    return typed ? "validating webhook may not return response.patchType" : "";
  }
  if (patch && !typed) return "webhook returned response.patch but not response.patchType";
  if (!patch && typed) return "webhook returned response.patchType but not response.patch";
  if (typed && runtime::ToView(*type).empty())
    return "webhook returned invalid response.patchType of \"\"";
  return {};
}

}  // namespace

std::string AdmissionRequestJson(const AdmissionAttributes& attributes, const UserInfo& user,
                                 bool dry_run, const runtime::JsonValue& options) {
  const Resource& resource = *attributes.resource;
  const Resource& kind = attributes.kind == nullptr ? resource : *attributes.kind;
  runtime::JsonWriter writer;
  writer.StartObject();
  WriteKind(writer, "kind", kind);
  WriteResource(writer, "resource", resource);
  runtime::WriteField(writer, "subResource", attributes.subresource);
  WriteKind(writer, "requestKind", kind);
  WriteResource(writer, "requestResource", resource);
  runtime::WriteField(writer, "requestSubResource", attributes.subresource);
  runtime::WriteField(writer, "name", attributes.name);
  runtime::WriteField(writer, "namespace", attributes.namespace_);
  runtime::WriteField(writer, "operation", attributes.operation);
  WriteUser(writer, user);
  WriteObject(writer, "object", attributes.object);
  WriteObject(writer, "oldObject", attributes.old_object);
  writer.Key("dryRun");
  writer.Bool(dry_run);
  writer.Key("options");
  writer.StartObject();
  runtime::WriteField(writer, "kind", OptionsKind(attributes.operation));
  runtime::WriteField(writer, "apiVersion", "meta.k8s.io/v1");
  for (const auto& member : options.GetObject()) {
    if (runtime::ToView(member.name) == "kind" || runtime::ToView(member.name) == "apiVersion")
      continue;
    writer.Key(runtime::ToView(member.name));
    writer.Value(member.value);
  }
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

std::string AdmissionReviewJson(std::string_view request, std::string_view uid) {
  std::string json = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)";
  json += R"("request":{"uid":)" + Quote(uid) + ",";
  json += request.substr(1);
  return json + "}";
}

AdmissionResult ParseAdmissionReview(const Webhook& webhook, std::string_view uid,
                                     std::string_view body) {
  std::string error;
  const auto review = ParseJson(body, &error);
  if (review == nullptr || !review->IsObject()) {
    return tl::unexpected("failed to call webhook: couldn't get version/kind; json parse error: " +
                          (error.empty() ? "not an object" : error));
  }
  if (const std::string why = WhyInvalid(webhook, uid, *review); !why.empty()) {
    return tl::unexpected("received invalid webhook response: " + why);
  }
  const runtime::JsonValue& json = *runtime::Find(*review, "response");
  AdmissionResponse response;
  for (const runtime::JsonValue& warning : ListAt(json, "warnings").GetArray()) {
    if (warning.IsString()) response.warnings.emplace_back(runtime::ToView(warning));
  }
  const runtime::JsonValue* const allowed = runtime::Find(json, "allowed");
  response.allowed = allowed != nullptr && allowed->IsTrue();
  if (!response.allowed) {
    response.denial = Denial(webhook.name, ObjectAt(json, "status"));
    return response;
  }
  const std::string_view type = runtime::GetString(json, "patchType");
  if (!type.empty() && type != "JSONPatch") {
    return tl::unexpected("unsupported patch type " + Quoted(type));
  }
  auto patch = Base64Decode(runtime::GetString(json, "patch"));
  if (!patch) {
    return tl::unexpected(std::string("failed to call webhook: illegal base64 data in the patch"));
  }
  response.patch = std::move(*patch);
  return response;
}

Status FailedCalling(std::string_view webhook, std::string_view reason) {
  return InternalErrorOccurred("failed calling webhook " + Quoted(webhook) + ": " +
                               std::string(reason));
}

Status InternalErrorOccurred(const std::string& what) {
  return {.code = 500,
          .reason = "InternalError",
          .message = "Internal error occurred: " + what,
          .has_details = true,
          .causes = {{.reason = "", .message = what, .field = ""}}};
}

}  // namespace capstan::testing::apiserver
