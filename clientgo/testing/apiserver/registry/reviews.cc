// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/reviews.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/registry/write_path.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {
namespace {

// Question is a review in progress.
struct Question {
  const Reviewer& reviewer;
  const WriteRequest& request;
  runtime::JsonDocument& object;  // with its managedFields

  const runtime::JsonValue& spec() const { return ObjectAt(object, "spec"); }
};

// Returns what the spec of an access review is about.
AccessAttributes ReviewedAccess(const runtime::JsonValue& spec, UserInfo user) {
  if (runtime::Find(spec, "nonResourceAttributes") != nullptr) {
    const runtime::JsonValue& of_path = ObjectAt(spec, "nonResourceAttributes");
    const std::string path = StringAt(of_path, "path");
    return {.user = std::move(user),
            .verb = StringAt(of_path, "verb"),
            .path = path.empty() ? "/" : path};
  }
  const runtime::JsonValue& of_resource = ObjectAt(spec, "resourceAttributes");
  const std::string version = StringAt(of_resource, "version");
  return {.user = std::move(user),
          .verb = StringAt(of_resource, "verb"),
          .group = StringAt(of_resource, "group"),
          .version = version.empty() ? "*" : version,
          .resource = StringAt(of_resource, "resource"),
          .subresource = StringAt(of_resource, "subresource"),
          .namespace_ = StringAt(of_resource, "namespace"),
          .name = StringAt(of_resource, "name")};
}

// Reports whether the metadata has a member that a review must not have.
bool HasMetadata(const runtime::JsonValue& metadata, bool local) {
  return std::any_of(metadata.MemberBegin(), metadata.MemberEnd(), [&](const auto& member) {
    const std::string_view key = runtime::ToView(member.name);
    return key != "managedFields" && !(local && key == "namespace");
  });
}

// Returns what is wrong with an access review. `own` is about the user who asks.
std::optional<Status> CheckAccessReview(const Question& question, bool own) {
  const Resource& resource = *question.request.resource;
  const bool local = resource.namespaced;
  std::vector<Cause> causes;
  FieldRules rules(causes);
  const Place object(question.object, "");
  const Place spec = object["spec"];
  const Place path = spec["nonResourceAttributes"];
  const Place of_resource = spec["resourceAttributes"];
  if (of_resource.Given() && path.Given()) {
    rules.Invalid(path, "cannot be specified in combination with resourceAttributes");
  }
  if (!of_resource.Given() && !path.Given()) {
    rules.InvalidAs(of_resource, "null",
                    "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  if (!own && spec["user"].Text().empty() && spec["groups"].Items().empty()) {
    rules.InvalidText(spec["user"], "at least one of user or group must be specified");
  }
  if (HasMetadata(object["metadata"].value(), local)) {
    rules.Invalid(object["metadata"],
                  local ? "must be empty except for namespace" : "must be empty");
  }
  if (local && of_resource.Given() &&
      of_resource["namespace"].Text() != question.request.namespace_) {
    rules.InvalidText(of_resource["namespace"], "must match metadata.namespace");
  }
  if (local && path.Given()) rules.Invalid(path, "disallowed on this kind of request");
  if (causes.empty()) return std::nullopt;
  // kube-apiserver has lost the kind at this place.
  return Invalid({.group = resource.group}, "", std::move(causes));
}

Result<Json> AnswerAccess(const Question& question, UserInfo user) {
  const Authorizer& authorizer = question.reviewer.authorizer;
  const AccessDecision decision =
      authorizer.Authorize(ReviewedAccess(question.spec(), std::move(user)));
  if (authorizer.reviews().pending()) return tl::unexpected(Status{});  // the request is repeated
  return Json({{"allowed", decision.allowed},
               {"denied", decision.denied ? Json(true) : Json()},
               {"reason", OmitEmpty(decision.reason)},
               {"evaluationError", OmitEmpty(decision.evaluation)}});
}

Result<Json> ReviewAccess(const Question& question) {
  if (auto invalid = CheckAccessReview(question, false)) return tl::unexpected(*std::move(invalid));
  const runtime::JsonValue& spec = question.spec();
  UserInfo user{.name = StringAt(spec, "user"),
                .uid = StringAt(spec, "uid"),
                .groups = TextsAt(spec, "groups")};
  for (const auto& member : ObjectAt(spec, "extra").GetObject()) {
    user.extra[std::string(runtime::ToView(member.name))] =
        TextsAt(ObjectAt(spec, "extra"), runtime::ToView(member.name));
  }
  return AnswerAccess(question, std::move(user));
}

Result<Json> ReviewOwnAccess(const Question& question) {
  if (auto invalid = CheckAccessReview(question, true)) return tl::unexpected(*std::move(invalid));
  return AnswerAccess(question, question.reviewer.user);
}

Result<Json> ReviewOwnRules(const Question& question) {
  const std::string ns = StringAt(question.spec(), "namespace");
  if (ns.empty()) return tl::unexpected(BadRequest("no namespace on request"));
  const auto found = question.reviewer.authorizer.AllRulesFor(question.reviewer.user, ns);
  std::vector<Json> of_resources;
  std::vector<Json> of_paths;
  for (const PolicyRule& rule : found.rules) {
    if (!rule.resources.empty()) of_resources.push_back(rule.ToJson());
    if (!rule.urls.empty()) of_paths.push_back(rule.ToJson());
  }
  return Json({{"resourceRules", Json::List(of_resources)},
               {"nonResourceRules", Json::List(of_paths)},
               {"incomplete", found.incomplete},
               {"evaluationError", OmitEmpty(found.error)}});
}

Result<Json> ReviewToken(const Question& question) {
  const std::string token = StringAt(question.spec(), "token");
  if (token.empty()) {
    return tl::unexpected(BadRequest("token is required for TokenReview in authentication"));
  }
  const Authenticator& authenticator = question.reviewer.authenticator;
  auto audiences = TextsAt(question.spec(), "audiences");
  if (audiences.empty()) audiences = authenticator.api_audiences();
  const auto found = authenticator.AuthenticateToken(token, audiences);
  if (!found) return Json({{"user", Json::Object()}, {"error", found.error()}});
  return Json({{"authenticated", true},
               {"user", found->user.ToJson()},
               {"audiences", OmitEmptyList(found->audiences)}});
}

Result<Json> ReviewOwnUser(const Question& question) {
  SetMetadata(question.object, "creationTimestamp", NowText());
  return Json({{"userInfo", question.reviewer.user.ToJson()}});
}

struct ReviewKind {
  std::string_view kind;
  Result<Json> (*answer)(const Question& question);
  bool repeats = true;  // the answer has the spec and the managedFields of the question
};

constexpr ReviewKind kReviewKinds[] = {
    {"TokenReview", ReviewToken},
    {"SelfSubjectReview", ReviewOwnUser, false},
    {"SubjectAccessReview", ReviewAccess},
    {"LocalSubjectAccessReview", ReviewAccess},
    {"SelfSubjectAccessReview", ReviewOwnAccess},
    {"SelfSubjectRulesReview", ReviewOwnRules, false},
};

// Records the fields of the review.
void TrackReview(const WriteRequest& request, runtime::JsonDocument& object) {
  (void)TrackUpdate(ZeroObject(*request.resource), object,
                    NewEntry(request));  // it fails only if a version is converted
}

// Returns why the namespace of the review is not that of the request; sets a missing one.
std::optional<Status> SetReviewNamespace(const WriteRequest& request,
                                         runtime::JsonDocument& object) {
  const std::string_view ns = Metadata(object, "namespace");
  if (request.resource->namespaced && !ns.empty() && ns != request.namespace_) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  SetMetadata(object, "namespace", request.namespace_);
  return std::nullopt;
}

}  // namespace

Result<Written> Review(const Reviewer& reviewer, const WriteRequest& request,
                       std::string_view body) {
  const Resource& resource = *request.resource;
  auto decoded = DecodeObject(resource, body, request.strict);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  runtime::JsonDocument& object = *decoded->object;
  Normalise(resource, object);
  if (auto rejected = SetReviewNamespace(request, object)) {
    return tl::unexpected(*std::move(rejected));
  }
  Remove(*FindMutable(object, "metadata"), "managedFields");
  TrackReview(request, object);
  const auto* const kind =
      std::find_if(std::begin(kReviewKinds), std::end(kReviewKinds),
                   [&](const ReviewKind& one) { return one.kind == resource.kind; });
  auto answer = kind->answer({.reviewer = reviewer, .request = request, .object = object});
  if (!answer) return tl::unexpected(std::move(answer.error()));
  if (!kind->repeats) {
    Remove(*FindMutable(object, "metadata"), "managedFields");
    if (runtime::Find(object, "spec") != nullptr) {
      SetJson(object, "spec", Json::Object(), object.GetAllocator());
    }
  }
  SetJson(object, "status", *answer, object.GetAllocator());
  return Written{.object = MakeObject(resource, object, 0),
                 .created = true,
                 .warnings = std::move(decoded->warnings)};
}

}  // namespace capstan::testing::apiserver
