// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/conversion_review.h"

#include <memory>
#include <optional>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kReviewGroup = "apiextensions.k8s.io/";

using Problem = std::optional<std::string>;

// Returns the name of the Go type that a JSON value is decoded as.
std::string_view GoType(const runtime::JsonValue& value) {
  if (value.IsObject()) return "map[string]interface {}";
  if (value.IsArray()) return "[]interface {}";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "bool";
  if (value.IsNull()) return "<nil>";
  return value.IsDouble() ? "float64" : "int64";
}

// Returns several causes as Go's aggregate of errors.
std::string Aggregate(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  texts.reserve(causes.size());
  for (const Cause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts.size() == 1 ? texts.front() : "[" + Join(texts, ", ") + "]";
}

// Checks changed labels or annotations.
Problem CheckStrings(std::string_view key, const runtime::JsonValue& strings) {
  std::vector<Cause> causes;
  if (key == "labels") {
    FieldRules rules(causes);
    rules.Labels(Place(strings, "metadata.labels"));
  } else {
    for (const auto& member : strings.GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      for (const std::string& why : QualifiedNameErrors(LowerAscii(name))) {
        causes.push_back(InvalidValue("metadata.annotation", name, why));
      }
    }
  }
  return causes.empty() ? std::nullopt : Problem(Aggregate(causes));
}

// Copies the labels or the annotations of a converted object.
Problem TakeStrings(std::string_view key, const runtime::JsonValue& from,
                    runtime::JsonValue& metadata, JsonAllocator& allocator) {
  const runtime::JsonValue* const strings = runtime::Find(from, key);
  if (strings == nullptr || strings->IsNull()) {
    Remove(metadata, key);
    return std::nullopt;
  }
  const std::string name = "metadata." + std::string(key);
  if (!strings->IsObject()) {
    return "invalid " + name + " of type " + std::string(GoType(*strings)) + " in converted object";
  }
  for (const auto& member : strings->GetObject()) {
    if (member.value.IsString()) continue;
    return name + "[" + std::string(runtime::ToView(member.name)) + "] must be a string, but is " +
           std::string(GoType(member.value)) + " in converted object";
  }
  const runtime::JsonValue* const before = runtime::Find(metadata, key);
  if (before == nullptr || *before != *strings) {
    if (auto problem = CheckStrings(key, *strings)) return problem;
  }
  Set(metadata, key, runtime::JsonValue(*strings, allocator), allocator);
  return std::nullopt;
}

// Gives a converted object the metadata of the original, except labels and annotations.
Problem RestoreMetadata(const runtime::JsonValue& original, runtime::JsonDocument& converted) {
  auto& allocator = converted.GetAllocator();
  const runtime::JsonValue* const answered = runtime::Find(converted, "metadata");
  if (answered == nullptr) return "missing metadata in converted object";
  if (!answered->IsObject()) {
    return "invalid metadata of type " + std::string(GoType(*answered)) + " in converted object";
  }
  runtime::JsonValue metadata(ObjectAt(original, "metadata"), allocator);
  for (const char* const key : {"labels", "annotations"}) {
    if (auto problem = TakeStrings(key, *answered, metadata, allocator)) return problem;
  }
  Set(converted, "metadata", std::move(metadata), allocator);
  return std::nullopt;
}

// Returns why a converted object is not accepted for the original.
Problem CheckConverted(const runtime::JsonValue& original, std::string_view api_version,
                       runtime::JsonDocument& converted) {
  const std::string version = StringAt(converted, "apiVersion");
  if (version != api_version) {
    return "returned invalid object at index 0: invalid groupVersion (expected " +
           std::string(api_version) + ", received " + version + ")";
  }
  const std::string kind = StringAt(original, "kind");
  if (const std::string answered = StringAt(converted, "kind"); answered != kind) {
    return "returned invalid object at index 0: invalid kind (expected " + kind + ", received " +
           answered + ")";
  }
  constexpr std::pair<const char*, const char*> kIdentity[] = {
      {"name", "name"}, {"namespace", "namespace"}, {"uid", "UID"}};
  for (const auto& [key, shown] : kIdentity) {
    const std::string before(Metadata(original, key));
    const std::string after(Metadata(converted, key));
    if (before == after) continue;
    return std::string("returned invalid object: must have the same ")
        .append(shown)
        .append(": ")
        .append(before)
        .append(" != ")
        .append(after);
  }
  if (auto problem = RestoreMetadata(original, converted)) {
    return "returned invalid metadata: " + *problem;
  }
  return std::nullopt;
}

// Returns why the review is no answer to the one with `uid`.
Problem CheckReview(const ConversionRequest& request, std::string_view uid,
                    const runtime::JsonValue& review) {
  const bool v1 = request.review_version == "v1";
  const std::string version = StringAt(review, "apiVersion");
  const std::string kind = StringAt(review, "kind");
  const std::string expected = std::string(kReviewGroup) + "v1";
  if (v1 && (version != expected || kind != "ConversionReview")) {
    const bool group = version.find('/') != std::string::npos;
    return "failed: expected webhook response of " + expected + ", Kind=ConversionReview, got " +
           std::string(group ? "" : "/") + version + ", Kind=" + kind;
  }
  const runtime::JsonValue* const response = runtime::Find(review, "response");
  if (response == nullptr || !response->IsObject()) return "failed: no response provided";
  const std::string_view answered = runtime::GetString(*response, "uid");
  if (v1 && answered != uid) {
    return "failed: expected response.uid=" + Quoted(uid) + ", got " + Quoted(answered);
  }
  const runtime::JsonValue& result = ObjectAt(*response, "result");
  if (const std::string status = StringAt(result, "status"); status != "Success") {
    const std::string message = StringAt(result, "message");
    if (!message.empty()) return "failed: " + message;
    return "failed: response.result.status was '" + status + "', not 'Success'";
  }
  const std::size_t count = ListAt(*response, "convertedObjects").Size();
  if (count == request.objects.size()) return std::nullopt;
  return "returned " + std::to_string(count) + " objects, expected " +
         std::to_string(request.objects.size());
}

}  // namespace

Json ConversionReviewJson(const ConversionRequest& request, std::string_view uid) {
  std::vector<Json> objects;
  objects.reserve(request.objects.size());
  for (const std::string& object : request.objects) objects.push_back(Json::Raw(object));
  return {
      {"kind", "ConversionReview"},
      {"apiVersion", std::string(kReviewGroup) + request.review_version},
      {"request",
       {{"uid", uid},
        {"desiredAPIVersion", request.api_version},
        {"objects", Json::List(objects)}}},
      {"response",
       {{"uid", ""}, {"convertedObjects", nullptr}, {"result", {{"metadata", Json::Object()}}}}}};
}

tl::expected<std::vector<std::string>, std::string> ParseConversionReview(
    const ConversionRequest& request, std::string_view uid, std::string_view body) {
  std::string error;
  const auto review = ParseJson(body, &error);
  if (review == nullptr || !review->IsObject()) {
    return tl::unexpected("failed: couldn't get version/kind; json parse error: " +
                          (error.empty() ? "not an object" : error));
  }
  if (auto problem = CheckReview(request, uid, *review)) return tl::unexpected(*std::move(problem));
  const runtime::JsonValue& answered = ListAt(ObjectAt(*review, "response"), "convertedObjects");
  std::vector<std::string> converted;
  converted.reserve(request.objects.size());
  for (const std::string& text : request.objects) {
    const auto original = ParseJson(text, &error);
    runtime::JsonDocument object;
    const runtime::JsonValue& raw = answered[static_cast<rapidjson::SizeType>(converted.size())];
    if (!raw.IsObject()) {
      return tl::unexpected(std::string("returned invalid object at index 0: it is no object"));
    }
    object.CopyFrom(raw, object.GetAllocator());
    if (auto problem = CheckConverted(*original, request.api_version, object)) {
      return tl::unexpected(*std::move(problem));
    }
    converted.push_back(runtime::ToJson(object));
  }
  return converted;
}

std::string ConversionFailure(const runtime::JsonValue& object, std::string_view why) {
  return "conversion webhook for " + StringAt(object, "apiVersion") +
         ", Kind=" + StringAt(object, "kind") + " " + std::string(why);
}

}  // namespace capstan::testing::apiserver
