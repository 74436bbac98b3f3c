// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/admission_review.h"

#include <utility>

#include "capstan/base64.h"
#include "capstan/logging.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kGroup = "admission.k8s.io/";
constexpr int kBadRequest = 400;

Json KindJson(const Resource& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

Json GroupVersionResource(const Resource& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"resource", resource.plural}};
}

Json OrNull(const runtime::JsonValue* object) {
  return object == nullptr ? Json(nullptr) : Json(*object);
}

std::string_view OptionsKind(std::string_view operation) {
  if (operation == "CREATE") return "CreateOptions";
  return operation == "UPDATE" ? "UpdateOptions" : "DeleteOptions";
}

// Returns the rejection of a request from the Status in a response.
Status Denial(std::string_view webhook, const runtime::JsonValue& result) {
  const runtime::JsonValue* const code = runtime::Find(result, "code");
  const runtime::JsonValue& details = ObjectAt(result, "details");
  Status denial{.code = code != nullptr && code->IsInt() ? code->GetInt() : 0,
                .reason = StringAt(result, "reason"),
                .message = "admission webhook " + Quoted(webhook) + " denied the request",
                .has_details = runtime::Find(result, "details") != nullptr,
                .name = StringAt(details, "name"),
                .group = StringAt(details, "group"),
                .kind = StringAt(details, "kind")};
  if (denial.code < kBadRequest) denial.code = kBadRequest;
  const std::string message = StringAt(result, "message");
  const std::string& why = message.empty() ? denial.reason : message;
  denial.message += why.empty() ? " without explanation" : ": " + why;
  for (const runtime::JsonValue& cause : ListAt(details, "causes").GetArray()) {
    denial.causes.push_back({.reason = StringAt(cause, "reason"),
                             .message = StringAt(cause, "message"),
                             .field = StringAt(cause, "field")});
  }
  const runtime::JsonValue* const retry = runtime::Find(details, "retryAfterSeconds");
  if (retry != nullptr && retry->IsInt() && retry->GetInt() > 0)
    denial.retry_after = retry->GetInt();
  return denial;
}

// Returns why Go's decoder does not make an AdmissionReview of this version; empty: it does. A
// missing apiVersion or kind counts as that of this version.
std::string WhyUndecodable(const std::string& version, const runtime::JsonValue& review) {
  const std::string expected = std::string(kGroup) + version;
  std::string api_version = StringAt(review, "apiVersion");
  std::string kind = StringAt(review, "kind");
  if (api_version.empty()) api_version = expected;
  if (kind.empty()) kind = "AdmissionReview";
  const std::string other = version == "v1" ? "v1beta1" : "v1";
  if (kind != "AdmissionReview" ||
      (api_version != expected && api_version != std::string(kGroup) + other)) {
    return "no kind " + Quoted(kind) + " is registered for version " + Quoted(api_version) +
           " in scheme \"pkg/runtime/scheme.go:110\"";
  }
  if (api_version == expected) return {};
  return "converting (" + other + ".AdmissionReview) to (" + version +
         ".AdmissionReview): unknown conversion";
}

// Returns why a response is invalid; empty: it is valid.
std::string WhyInvalid(const Webhook& webhook, std::string_view uid,
                       const runtime::JsonValue& review) {
  const runtime::JsonValue* const response = runtime::Find(review, "response");
  if (response == nullptr || !response->IsObject()) return "webhook response was absent";
  if (webhook.review_version != "v1") return {};
  const std::string_view answered = runtime::GetString(*response, "uid");
  if (answered != uid) {
    return "expected response.uid=" + Quoted(uid) + ", got " + Quoted(answered);
  }
  const std::string version = StringAt(review, "apiVersion");
  const std::string kind = StringAt(review, "kind");
  if (version.empty() || kind.empty()) {
    return "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got " +
           (version.empty() ? "/" : version) + ", Kind=" + kind;
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

Json AdmissionRequestJson(const AdmissionAttributes& attributes, const UserInfo& user, bool dry_run,
                          const runtime::JsonValue& options) {
  const Resource& resource = *attributes.resource;
  const Resource& kind = attributes.kind == nullptr ? resource : *attributes.kind;
  const Resource& requested = attributes.requested == nullptr ? resource : *attributes.requested;
  Json all_options = {{"kind", OptionsKind(attributes.operation)},
                      {"apiVersion", "meta.k8s.io/v1"}};
  for (const auto& member : options.GetObject()) {
    const std::string_view key = runtime::ToView(member.name);
    if (key != "kind" && key != "apiVersion") all_options.Add(key, member.value);
  }
  return {{"kind", KindJson(kind)},
          {"resource", GroupVersionResource(resource)},
          {"subResource", OmitEmpty(attributes.subresource)},
          {"requestKind", KindJson(attributes.kind == nullptr ? requested : kind)},
          {"requestResource", GroupVersionResource(requested)},
          {"requestSubResource", OmitEmpty(attributes.subresource)},
          {"name", OmitEmpty(attributes.name)},
          {"namespace", OmitEmpty(attributes.namespace_)},
          {"operation", OmitEmpty(attributes.operation)},
          {"userInfo", user.ToJson()},
          {"object", OrNull(attributes.object)},
          {"oldObject", OrNull(attributes.old_object)},
          {"dryRun", dry_run},
          {"options", all_options}};
}

Json AdmissionReviewJson(std::string_view version, std::string_view request, std::string_view uid) {
  Json with_uid = {{"uid", uid}};
  with_uid.AddMembers(request);
  return {{"kind", "AdmissionReview"},
          {"apiVersion", std::string(kGroup) + std::string(version)},
          {"request", with_uid}};
}

AdmissionResult ParseAdmissionReview(const Webhook& webhook, std::string_view uid,
                                     std::string_view body) {
  std::string error;
  const auto review = ParseJson(body, &error);
  if (review == nullptr || !review->IsObject()) {
    return tl::unexpected("failed to call webhook: couldn't get version/kind; json parse error: " +
                          (error.empty() ? "not an object" : error));
  }
  if (const std::string why = WhyUndecodable(webhook.review_version, *review); !why.empty()) {
    return tl::unexpected("failed to call webhook: " + why);
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
  const bool checked = webhook.review_version == "v1";
  if (!checked && !webhook.mutating) return response;
  const std::string_view type = runtime::GetString(json, "patchType");
  if (checked && !type.empty() && type != "JSONPatch") {
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

}  // namespace capstan::testing::apiserver
