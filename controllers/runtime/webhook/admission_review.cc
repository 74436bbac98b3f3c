// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/webhook/admission_review.h"

#include <algorithm>
#include <tuple>

#include "capstan/base64.h"
#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"

namespace capstan::webhook {
namespace {

constexpr std::string_view kApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kReview = "AdmissionReview";

template <class Member>
constexpr auto KindField(std::string_view name, Member AdmissionRequest::*member) {
  return Field(name, member, Field("group", &runtime::GroupVersionKind::group),
               Field("version", &runtime::GroupVersionKind::version),
               Field("kind", &runtime::GroupVersionKind::kind));
}
template <class Member>
constexpr auto ResourceField(std::string_view name, Member AdmissionRequest::*member) {
  return Field(name, member, Field("group", &runtime::GroupVersionResource::group),
               Field("version", &runtime::GroupVersionResource::version),
               Field("resource", &runtime::GroupVersionResource::resource));
}
constexpr auto kFieldsOfRequest = std::tuple(
    Field("uid", &AdmissionRequest::uid), Field("subResource", &AdmissionRequest::sub_resource),
    Field("requestSubResource", &AdmissionRequest::request_sub_resource),
    Field("name", &AdmissionRequest::name), Field("namespace", &AdmissionRequest::namespace_),
    Field("dryRun", &AdmissionRequest::dry_run), KindField("kind", &AdmissionRequest::kind),
    ResourceField("resource", &AdmissionRequest::resource),
    KindField("requestKind", &AdmissionRequest::request_kind),
    ResourceField("requestResource", &AdmissionRequest::request_resource),
    Field("userInfo", &AdmissionRequest::user_info, Field("username", &UserInfo::username),
          Field("uid", &UserInfo::uid), Field("groups", &UserInfo::groups),
          Field("extra", &UserInfo::extra)));

bool DecodeOperation(const runtime::JsonValue& request, Operation& to, DecodeProblem& problem) {
  const std::string_view text = runtime::GetString(request, "operation");
  for (const Operation operation :
       {Operation::kCreate, Operation::kUpdate, Operation::kDelete, Operation::kConnect}) {
    if (text != ToString(operation)) continue;
    to = operation;
    return true;
  }
  problem.Set("unknown operation");
  return problem.At("operation");
}

// Takes the text of an object. The rest of the request decides whether there must be one.
bool TakeObject(const runtime::JsonValue& request, std::string_view name, std::string& to,
                DecodeProblem& problem) {
  const runtime::JsonValue* const object = runtime::FindNonNull(request, name);
  if (object == nullptr) return true;
  if (!runtime::IsJsonObject(*object)) {
    problem.Set("not an object");
    return problem.At(name);
  }
  to = runtime::ToJson(*object);
  return true;
}

bool DecodeRequest(const runtime::JsonValue& json, AdmissionRequest& to, DecodeProblem& problem) {
  static const auto& layout = *new capstan::detail::StructLayout(
      capstan::detail::MakeStructLayout<AdmissionRequest>(kFieldsOfRequest));
  return capstan::detail::DecodeStruct(layout, json, &to, problem) &&
         DecodeOperation(json, to.operation, problem) &&
         TakeObject(json, "object", to.object, problem) &&
         TakeObject(json, "oldObject", to.old_object, problem) &&
         TakeObject(json, "options", to.options, problem);
}

void WriteStatus(runtime::JsonWriter& writer, const AdmissionResponse& response) {
  writer.StartObject();
  writer.Key("metadata");
  writer.StartObject();
  writer.EndObject();
  runtime::WriteField(writer, "message", response.message);
  runtime::WriteField(writer, "reason", response.reason);
  writer.Key("code");
  writer.Int(response.code);
  writer.EndObject();
}

}  // namespace

Expected<void> CheckReviewBody(std::string_view content_type, std::string_view body) {
  if (body.empty()) return Err(ErrorReason::kBadRequest, "request body is empty");
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (Trim(type, " \t") == "application/json") return {};
  return Err(ErrorReason::kBadRequest,
             "contentType=" + std::string(TruncateUtf8(content_type, 100)) +
                 ", expected application/json");
}

Expected<runtime::ParsedJson> ParseReview(std::string_view body,
                                          std::initializer_list<std::string_view> api_versions,
                                          std::string_view kind) {
  auto review = runtime::ParsedJson::Parse(body);
  if (!review) return review;
  const runtime::JsonValue& root = review->root();
  if (!runtime::IsJsonObject(root))
    return Err(ErrorReason::kDecode, "the review is not a JSON object");
  const std::string_view got_kind = runtime::GetString(root, "kind");
  const std::string_view got_version = runtime::GetString(root, "apiVersion");
  const bool is_known = got_version.empty() || std::find(api_versions.begin(), api_versions.end(),
                                                         got_version) != api_versions.end();
  if (is_known && (got_kind.empty() || got_kind == kind)) return review;
  return Err(ErrorReason::kDecode, "no kind " + Quoted(TruncateUtf8(got_kind, 100)) +
                                       " is registered for version " +
                                       Quoted(TruncateUtf8(got_version, 100)) + "; expected " +
                                       std::string(kind) + " in " + Join(api_versions, " or "));
}

Expected<AdmissionRequest> DecodeAdmissionReview(std::string_view body) {
  const auto review = ParseReview(body, {kApiVersion}, kReview);
  if (!review) return Err(review.error());
  const runtime::JsonValue* const json = runtime::FindNonNull(review->root(), "request");
  if (json == nullptr) return Err(ErrorReason::kDecode, "the AdmissionReview has no request");
  AdmissionRequest request;
  DecodeProblem problem;
  if (!DecodeRequest(*json, request, problem)) {
    problem.At("request");
    return Err(ErrorReason::kDecode, problem.message());
  }
  return request;
}

std::string EncodeAdmissionReview(std::string_view uid, const AdmissionResponse& response) {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "kind", kReview);
  runtime::WriteField(writer, "apiVersion", kApiVersion);
  writer.Key("response");
  writer.StartObject();
  writer.Key("uid");
  writer.String(uid);
  writer.Key("allowed");
  writer.Bool(response.allowed);
  writer.Key("status");
  WriteStatus(writer, response);
  if (!response.patch.empty() && response.patch != "[]") {
    runtime::WriteField(writer, "patch", Base64Encode(response.patch));
    runtime::WriteField(writer, "patchType", "JSONPatch");
  }
  if (!response.audit_annotations.empty()) {
    writer.Key("auditAnnotations");
    writer.StartObject();
    for (const auto& [key, value] : response.audit_annotations) {
      writer.Key(key);
      writer.String(value);
    }
    writer.EndObject();
  }
  if (!response.warnings.empty()) {
    writer.Key("warnings");
    writer.StartArray();
    for (const std::string& warning : response.warnings) writer.String(warning);
    writer.EndArray();
  }
  writer.EndObject();
  writer.EndObject();
  return ToValidUtf8(std::move(writer).Take());
}

}  // namespace capstan::webhook
