// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/conversion.h"

#include <algorithm>

#include "clientgo/testing/apiserver/admission/conversion_review.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

Document ParseReviewed(std::string_view json) {
  std::string error;
  return ParseJson(json, &error, Repeats::kKeepAll);
}

Status NoSuchVersion(std::string_view api_version) {
  return InternalError("request to convert CR from an invalid group/version: " +
                       std::string(api_version));
}

}  // namespace

Result<std::vector<Document>> Conversions::Convert(const std::vector<Document>& objects,
                                                   const Resource& to) {
  std::vector<Document> converted;
  for (const Document& object : objects) {
    // A stored object has no resourceVersion, and the webhook does not get one.
    const std::string version(Metadata(*object, "resourceVersion"));
    SetMetadata(*object, "resourceVersion", "");
    Key key(&to, runtime::ToJson(*object));
    SetMetadata(*object, "resourceVersion", version);
    const auto known = known_.find(key);
    if (known == known_.end()) {
      missing_.push_back(std::move(key));
    } else if (!known->second) {
      return tl::unexpected(InternalError(known->second.error()));
    } else {
      Document answered = ParseReviewed(*known->second);
      SetMetadata(*answered, "resourceVersion", version);
      converted.push_back(std::move(answered));
    }
  }
  if (missing_.empty()) return converted;
  if (Clock::Real().Now() < deadline_) return tl::unexpected(Status{});
  missing_.clear();
  return tl::unexpected(
      Status{.code = 504,
             .reason = "Timeout",
             .message = "Timeout: request did not complete within requested timeout",
             .has_details = true});
}

std::vector<HookCall> Conversions::TakeCalls() {
  std::sort(missing_.begin(), missing_.end());
  missing_.erase(std::unique(missing_.begin(), missing_.end()), missing_.end());
  std::vector<HookCall> calls;
  for (std::size_t first = 0; first < missing_.size();) {
    const Resource* const to = missing_[first].first;
    std::vector<std::string> objects;
    for (; first < missing_.size() && missing_[first].first == to && objects.size() < kObjectsMax;
         ++first) {
      objects.push_back(std::move(missing_[first].second));
    }
    calls.push_back(NewCall(*to, std::move(objects)));
  }
  missing_.clear();
  return calls;
}

HookCall Conversions::NewCall(const Resource& to, std::vector<std::string> objects) {
  const KindVersions& versions = *to.versions;
  const runtime::JsonValue& webhook = ObjectAt(versions.conversion, "webhook");
  auto hook = std::make_shared<Webhook>();
  hook->name = "conversion_webhook_for_" + versions.definition;
  ReadClientConfig(ObjectAt(webhook, "clientConfig"), *hook);
  ConversionRequest request{.review_version = ReviewVersion(webhook, "conversionReviewVersions"),
                            .api_version = to.ApiVersion(),
                            .objects = std::move(objects)};
  const auto shared = std::make_shared<const ConversionRequest>(std::move(request));
  return {
      .webhook = std::move(hook),
      .timeout = kCallTimeout,
      .body = [shared](std::string_view uid) { return ConversionReviewJson(*shared, uid).text(); },
      .answer =
          [this, shared, target = &to](std::string_view uid, const HookReply& reply) {
            // The prefix is that of admission webhooks.
            constexpr std::string_view kPrefix = "failed to call webhook: ";
            std::string why;
            if (!reply) {
              why = reply.error();
              if (why.starts_with(kPrefix)) why.erase(0, kPrefix.size());
              why.insert(0, "failed: ");
            }
            auto converted =
                reply ? ParseConversionReview(*shared, uid, *reply)
                      : tl::expected<std::vector<std::string>, std::string>(tl::unexpected(why));
            for (std::size_t i = 0; i < shared->objects.size(); ++i) {
              const std::string& object = shared->objects[i];
              Answer answer = converted ? Answer((*converted)[i])
                                        : Answer(tl::unexpected(ConversionFailure(
                                              *ParseReviewed(object), converted.error())));
              known_.insert_or_assign({target, object}, std::move(answer));
            }
          }};
}

Result<std::vector<Document>> ConvertTo(const Resource& to, std::vector<Document> objects,
                                        Conversions* conversions, Undeclared undeclared) {
  const std::string version = to.ApiVersion();
  std::vector<Document> foreign;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string_view from = runtime::GetString(*objects[i], "apiVersion");
    if (from == version) continue;
    if (VersionOf(to, from) == nullptr) {
      return tl::unexpected(NoSuchVersion(from));
    }
    places.push_back(i);
    foreign.push_back(std::move(objects[i]));
  }
  if (foreign.empty()) return objects;
  if (to.versions->webhook) {
    if (conversions == nullptr) {
      return tl::unexpected(InternalError("the conversion webhook of " + to.versions->definition +
                                          " is not called for this request"));
    }
    auto converted = conversions->Convert(foreign, to);
    if (!converted) return converted;
    foreign = *std::move(converted);
  }
  for (std::size_t i = 0; i < foreign.size(); ++i) {
    runtime::JsonDocument& object = *foreign[i];
    SetString(object, "apiVersion", version, object.GetAllocator());
    if (to.schema != nullptr && undeclared == Undeclared::kPruned) to.schema->Prune(object);
    objects[places[i]] = std::move(foreign[i]);
  }
  return objects;
}

Result<Document> ConvertTo(const Resource& to, Document object, Conversions* conversions,
                           Undeclared undeclared) {
  std::vector<Document> one;
  one.push_back(std::move(object));
  auto converted = ConvertTo(to, std::move(one), conversions, undeclared);
  if (!converted) return tl::unexpected(std::move(converted.error()));
  return std::move(converted->front());
}

const Resource& StoredVersion(const Resource& resource, const Object& object) {
  const Resource* const version = VersionOf(resource, ApiVersionOf(object));
  return version == nullptr ? resource : *version;
}

Document ReadStored(const Resource& version, const Object& object) {
  Document document = ParseObject(object);
  if (object.resource_version > version.schema_since) return document;
  PruneUnknown(version, *document);
  ApplyDefaults(version, *document);
  return document;
}

bool IsShownAs(const Resource& resource, const Object& object) {
  return resource.versions == nullptr || (object.resource_version > resource.schema_since &&
                                          ApiVersionOf(object) == resource.ApiVersion());
}

Result<Document> ReadAs(const Resource& resource, const Object& object, Conversions* conversions) {
  if (IsShownAs(resource, object)) return ParseObject(object);
  return ConvertTo(resource, ReadStored(StoredVersion(resource, object), object), conversions);
}

Result<ObjectPtr> ShownAs(const Resource& resource, ObjectPtr object, Conversions* conversions) {
  if (IsShownAs(resource, *object)) return object;
  auto document = ReadAs(resource, *object, conversions);
  if (!document) return tl::unexpected(std::move(document.error()));
  return MakeObject(resource, **document, object->resource_version);
}

Result<std::vector<ObjectPtr>> ShownAs(const Resource& resource, std::vector<ObjectPtr> objects,
                                       Conversions* conversions) {
  std::vector<Document> foreign;
  std::vector<ObjectPtr*> places;
  for (ObjectPtr& object : objects) {
    if (IsShownAs(resource, *object)) continue;
    foreign.push_back(ReadStored(StoredVersion(resource, *object), *object));
    places.push_back(&object);
  }
  auto converted = ConvertTo(resource, std::move(foreign), conversions);
  if (!converted) return tl::unexpected(std::move(converted.error()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    *places[i] = MakeObject(resource, *(*converted)[i], (*places[i])->resource_version);
  }
  return objects;
}

}  // namespace capstan::testing::apiserver
