// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "capstan/log.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"
#include "controllers/runtime/webhook/admission_review.h"
#include "controllers/runtime/webhook/endpoints.h"
#include "controllers/runtime/webhook/recover.h"

namespace capstan::webhook {
namespace {

constexpr std::string_view kConversionVersion = "apiextensions.k8s.io/v1";
// The API server uses the first version of conversionReviewVersions that it knows. Both have the
// same fields.
constexpr std::string_view kOldApiVersion = "apiextensions.k8s.io/v1beta1";
constexpr std::string_view kConversionReview = "ConversionReview";

class ConversionReviews {
 public:
  ConversionReviews(const Converters& converters, WebhookMetrics* metrics)
      : converters_(converters), metrics_(metrics) {}

  HttpAnswer operator()(const rest::CallOptions& call, const HttpBody& body) const {
    if (const auto usable = CheckReviewBody(body.content_type, body.body); !usable) {
      return Rejected(usable.error());
    }
    const auto review =
        ParseReview(body.body, {kConversionVersion, kOldApiVersion}, kConversionReview);
    if (!review) return Rejected(review.error());
    const runtime::JsonValue* const request = runtime::FindNonNull(review->root(), "request");
    if (request == nullptr) {
      return Rejected({.message = "the ConversionReview has no request"});
    }
    const auto converted = ConvertAll(call, *request);
    if (!converted) ErrorS(converted.error(), "Failed to convert");
    const std::string_view version = runtime::GetString(review->root(), "apiVersion");
    return {.body = Encode(version.empty() ? kConversionVersion : version,
                           runtime::GetString(*request, "uid"), converted)};
  }

 private:
  static HttpAnswer Rejected(const Error& error) {
    ErrorS(error, "Bad request", "webhook", "/convert");
    return {.status = 400, .content_type = "text/plain; charset=utf-8", .body = error.message};
  }

  // Returns the elements of a JSON array. One object that cannot be converted fails them all.
  Expected<std::string> ConvertAll(const rest::CallOptions& call,
                                   const runtime::JsonValue& request) const {
    const std::string_view version = runtime::GetString(request, "desiredAPIVersion");
    const runtime::JsonValue* const objects = runtime::FindNonNull(request, "objects");
    if (version.empty() || objects == nullptr || !runtime::IsJsonArray(*objects)) {
      return Err(ErrorReason::kBadRequest, "the request has no desiredAPIVersion or no objects");
    }
    runtime::JsonWriter all;
    all.StartArray();
    for (const runtime::JsonValue& object : runtime::JsonElements(*objects)) {
      if (call.stop.stop_requested())
        return Err(ErrorReason::kTimeout, "the conversion was stopped");
      auto converted = Convert(object, version);
      if (!converted) return converted;
      all.RawValue(*converted);
    }
    all.EndArray();
    return std::move(all).Take();
  }

  Expected<std::string> Convert(const runtime::JsonValue& object, std::string_view version) const {
    const std::string from(runtime::GetString(object, "apiVersion"));
    const std::string kind(runtime::GetString(object, "kind"));
    const auto found = converters_.find({std::string(runtime::GroupOf(from)), kind});
    if (found == converters_.end()) {
      return Err(ErrorReason::kBadRequest,
                 "no conversion of kind " + Quoted(kind) + " is registered for " + Quoted(from));
    }
    if (from == version) {
      return Err(ErrorReason::kBadRequest, "conversion is not allowed between same type " +
                                               Quoted(kind) + " in " + Quoted(from));
    }
    Expected<std::string> converted;
    const auto panic = Recover([&] { converted = found->second(object, version); });
    if (!panic) return converted;
    if (metrics_ != nullptr) metrics_->OnConversionPanic();
    ErrorS("Observed a panic in webhook", "webhook", "/convert", "panic", *panic);
    return Err(ErrorReason::kInternalError, "internal error occurred during conversion");
  }

  static std::string Encode(std::string_view api_version, std::string_view uid,
                            const Expected<std::string>& converted) {
    runtime::JsonWriter writer;
    writer.StartObject();
    runtime::WriteField(writer, "kind", kConversionReview);
    runtime::WriteField(writer, "apiVersion", api_version);
    writer.Key("response");
    writer.StartObject();
    writer.Key("uid");
    writer.String(uid);
    writer.Key("convertedObjects");
    writer.RawValue(converted ? *converted : "[]");
    writer.Key("result");
    writer.StartObject();
    writer.Key("metadata");
    writer.StartObject();
    writer.EndObject();
    runtime::WriteField(writer, "status", converted ? "Success" : "Failure");
    if (!converted) runtime::WriteField(writer, "message", converted.error().message);
    writer.EndObject();
    writer.EndObject();
    writer.EndObject();
    return ToValidUtf8(std::move(writer).Take());
  }

  const Converters& converters_;
  WebhookMetrics* const metrics_;
};

}  // namespace

BodyHandler ConversionEndpoint(const Converters& converters, WebhookMetrics* metrics) {
  return ConversionReviews(converters, metrics);
}

}  // namespace capstan::webhook
