// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/token_request.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/logging.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/admission/admission_review.h"
#include "clientgo/testing/apiserver/authorization/policy_rule.h"
#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/registry/subresources.h"
#include "clientgo/testing/apiserver/registry/write_path.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

constexpr Resource kTokenRequest = {.group = "authentication.k8s.io",
                                    .plural = "TokenRequest",
                                    .kind = "TokenRequest",
                                    .namespaced = true};
constexpr std::int64_t kDefaultSeconds = 3600;
constexpr std::int64_t kLeastSeconds = 600;
constexpr std::int64_t kMostSeconds = std::int64_t{1} << 32U;
// The kubelet requests tokens of an hour and seven seconds for Pods. Such a token is valid for a
// year, because old clients read their token only once.
constexpr std::int64_t kPodSeconds = kDefaultSeconds + 7;
constexpr std::int64_t kYearSeconds = std::int64_t{24} * 365 * 60 * 60;

using Rejection = std::optional<Status>;

// BoundObject is the object that a token is bound to, and its node if it is a Pod.
struct BoundObject {
  ObjectIdentity pod = {};
  ObjectIdentity secret = {};
  ObjectIdentity node = {};
};

ObjectIdentity IdentityOf(const runtime::JsonValue& object) {
  return {.name = std::string(Metadata(object, "name")),
          .uid = std::string(Metadata(object, "uid"))};
}

Status InvalidTokenRequest(std::string_view name, Cause cause) {
  return Invalid(kTokenRequest, name, {std::move(cause)});
}

// Returns why the metadata does not name the service account; empty members are set.
Rejection SetAccount(const WriteRequest& request, const runtime::JsonValue& account,
                     runtime::JsonDocument& object) {
  const std::string_view uid = Metadata(account, "uid");
  const std::string_view given = Metadata(object, "uid");
  if (!given.empty() && given != uid) {
    return Conflict(kTokenRequest, request.name,
                    "the UID in the token request (" + std::string(given) +
                        ") does not match the UID of the service account (" + std::string(uid) +
                        ")");
  }
  SetMetadata(object, "name", request.name);
  SetMetadata(object, "namespace", request.namespace_);
  SetMetadata(object, "uid", uid);
  SetMetadata(object, "creationTimestamp", NowText());
  return std::nullopt;
}

Rejection CheckTokenNames(const WriteRequest& request, const runtime::JsonValue& object) {
  const auto check = [&](const char* key, const std::string& wanted) -> Rejection {
    const std::string_view given = Metadata(object, key);
    if (given.empty() || given == wanted) return std::nullopt;
    return InvalidTokenRequest(
        request.name,
        InvalidValue(std::string("metadata.") + key, given,
                     std::string("must match the service account ") + key + " if specified"));
  };
  if (auto rejected = check("name", request.name)) return rejected;
  return check("namespace", request.namespace_);
}

// Returns what is wrong with the duration; sets a missing one.
Rejection SetExpiration(runtime::JsonDocument& object, std::int64_t& seconds) {
  runtime::JsonValue& spec = *FindMutable(object, "spec");
  const runtime::JsonValue* const given = runtime::Find(spec, "expirationSeconds");
  seconds = given != nullptr && given->IsInt64() ? given->GetInt64() : kDefaultSeconds;
  SetJson(spec, "expirationSeconds", seconds, object.GetAllocator());
  if (kLeastSeconds <= seconds && seconds <= kMostSeconds) return std::nullopt;
  const std::string why = seconds < kLeastSeconds
                              ? "may not specify a duration less than 10 minutes"
                              : "may not specify a duration larger than 2^32 seconds";
  return InvalidTokenRequest("",
                             {.reason = "FieldValueInvalid",
                              .message = "Invalid value: " + std::to_string(seconds) + ": " + why,
                              .field = "spec.expirationSeconds"});
}

// Finds the object of a boundObjectRef, which is null for a token that is bound to none.
Result<BoundObject> FindBound(const Storage& storage, const WriteRequest& request,
                              const runtime::JsonValue& reference) {
  const std::string version(runtime::GetString(reference, "apiVersion"));
  const std::string kind(runtime::GetString(reference, "kind"));
  const std::string name(runtime::GetString(reference, "name"));
  const Resource* const resource =
      kind == "Pod" || kind == "Secret" || kind == "Node" ? FindKind("v1", kind) : nullptr;
  if (resource == nullptr || version.find('/') != std::string::npos) {
    // Go's schema.GroupVersionKind writes the core group as "/v1".
    const bool core = version.find('/') == std::string::npos;
    return tl::unexpected(BadRequest("cannot bind token to object of type " +
                                     std::string(core ? "/" : "") + version + ", Kind=" + kind));
  }
  const std::string ns = resource->namespaced ? request.namespace_ : "";
  const ObjectPtr found = storage.Get(*resource, Key(ns, name));
  if (found == nullptr) return tl::unexpected(NotFound(*resource, name));
  const auto object = ParseObject(*found);
  const ObjectIdentity identity = IdentityOf(*object);
  BoundObject bound;
  if (kind == "Secret") bound.secret = identity;
  if (kind == "Node") bound.node = identity;
  if (kind == "Pod") {
    bound.pod = identity;
    const runtime::JsonValue& spec = ObjectAt(*object, "spec");
    if (runtime::GetString(spec, "serviceAccountName") != request.name) {
      return tl::unexpected(BadRequest("cannot bind token for serviceaccount " +
                                       Quoted(request.name) +
                                       " to pod running with different serviceaccount name."));
    }
    bound.node.name = runtime::GetString(spec, "nodeName");
    const ObjectPtr node = storage.Get(*FindKind("v1", "Node"), bound.node.name);
    if (node != nullptr) bound.node = IdentityOf(*ParseObject(*node));
  }
  const std::string uid(runtime::GetString(reference, "uid"));
  if (uid.empty() || uid == identity.uid) return bound;
  return tl::unexpected(
      Conflict({.plural = resource->kind, .kind = resource->kind}, name,
               "the UID in the bound object reference (" + uid +
                   ") does not match the UID in record. The object might have been deleted and "
                   "then recreated"));
}

// Returns the service account, or why there is none.
Result<std::unique_ptr<runtime::JsonDocument>> FindAccount(const Storage& storage,
                                                           const WriteRequest& request) {
  const Resource& namespaces = Resources().front();
  if (storage.Get(namespaces, request.namespace_) == nullptr) {
    return tl::unexpected(NotFound(namespaces, request.namespace_));
  }
  const ObjectPtr found = storage.Get(*request.resource, Key(request.namespace_, request.name));
  if (found == nullptr) return tl::unexpected(NotFound(*request.resource, request.name));
  return ParseObject(*found);
}

// Returns the audiences of the token; sets missing ones.
std::vector<std::string> SetAudiences(const ServiceAccountTokens& tokens,
                                      runtime::JsonDocument& object) {
  runtime::JsonValue& spec = *FindMutable(object, "spec");
  auto audiences = TextsAt(spec, "audiences");
  if (audiences.empty()) audiences = tokens.api_audiences();
  SetJson(spec, "audiences", Json::List(audiences), object.GetAllocator());
  return audiences;
}

// Parses the body, and records its fields.
Result<std::unique_ptr<runtime::JsonDocument>> ParseTokenRequest(const WriteRequest& request,
                                                                 std::string_view body) {
  auto parsed = ParseSubresource(body, kTokenRequest.ApiVersion(), kTokenRequest.kind);
  if (!parsed) return parsed;
  runtime::JsonDocument& object = **parsed;
  const runtime::Message& message = *FindMessage(kTokenRequest);
  DropUndecoded(&message, object);
  if (const auto why = FindWrongType(message, object)) {
    return tl::unexpected(
        BadRequest("TokenRequest in version \"v1\" cannot be handled as a TokenRequest: " + *why));
  }
  DropNulls(object);
  Ensure(object, "spec", object.GetAllocator());
  Remove(Ensure(object, "metadata", object.GetAllocator()), "managedFields");
  ManagedFieldsEntry entry = NewEntry(request);
  entry.api_version = kTokenRequest.ApiVersion();
  entry.type = MergeType(kTokenRequest);
  // It fails only if a version is converted.
  (void)TrackUpdate(runtime::JsonDocument(rapidjson::kObjectType), object, std::move(entry));
  return parsed;
}

}  // namespace

Result<Written> RequestToken(const TokenIssuer& issuer, const WriteRequest& request,
                             std::string_view body) {
  auto parsed = ParseTokenRequest(request, body);
  if (!parsed) return tl::unexpected(std::move(parsed.error()));
  runtime::JsonDocument& object = **parsed;
  if (auto rejected = CheckTokenNames(request, object)) return tl::unexpected(*rejected);
  const auto account = FindAccount(issuer.storage, request);
  if (!account) return tl::unexpected(account.error());
  if (auto rejected = SetAccount(request, **account, object)) return tl::unexpected(*rejected);
  TokenClaims claims{.account = {.namespace_ = request.namespace_, .name = request.name},
                     .account_uid = std::string(Metadata(**account, "uid")),
                     .audiences = SetAudiences(issuer.tokens, object),
                     .id = issuer.id};
  std::int64_t seconds = 0;
  if (auto rejected = SetExpiration(object, seconds)) return tl::unexpected(*rejected);
  const runtime::JsonValue* const reference =
      runtime::Find(ObjectAt(object, "spec"), "boundObjectRef");
  if (reference != nullptr) {
    const auto bound = FindBound(issuer.storage, request, *reference);
    if (!bound) return tl::unexpected(bound.error());
    claims.pod = bound->pod;
    claims.secret = bound->secret;
    claims.node = bound->node;
  }
  const auto now = ToTime(std::chrono::system_clock::now());
  claims.issued = now.time_since_epoch().count();
  claims.expires = claims.issued + seconds;
  const auto& own = issuer.tokens.api_audiences();
  const bool for_api = Intersect(claims.audiences, own).size() == claims.audiences.size();
  if (!claims.pod.name.empty() && seconds == kPodSeconds && for_api) {
    claims.warn_after = claims.expires;
    claims.expires = claims.issued + kYearSeconds;
  }
  const auto token = issuer.tokens.Issue(claims);
  if (!token) {
    return tl::unexpected(
        InternalErrorOccurred("failed to generate token: " + token.error().message));
  }
  if (reference == nullptr) {
    SetJson(*FindMutable(object, "spec"), "boundObjectRef", nullptr, object.GetAllocator());
  }
  SetJson(
      object, "status",
      {{"token", *token}, {"expirationTimestamp", FormatTime(now + std::chrono::seconds(seconds))}},
      object.GetAllocator());
  return Written{.object = MakeObject(kTokenRequest, object, 0), .created = true};
}

}  // namespace capstan::testing::apiserver
