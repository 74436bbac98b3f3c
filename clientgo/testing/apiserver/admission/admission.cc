// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/admission.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/admission/policy_check.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/patch/patch.h"

namespace capstan::testing::apiserver {
namespace {

Status RequestTimeout() {
  return {.code = 504,
          .reason = "Timeout",
          .message = "Timeout: request did not complete within requested timeout",
          .has_details = true};
}

std::string AnswerKey(const Webhook& webhook, std::string_view request) {
  std::string key = webhook.mutating ? "mutating/" : "validating/";
  key.append(webhook.configuration).append("/").append(webhook.name).append("/");
  return key.append(request);
}

// Returns what Go's decoder says about a patched object; empty: nothing.
std::string WhyUndecodable(const AdmissionAttributes& attributes,
                           const runtime::JsonDocument& object) {
  if (!object.IsObject()) {
    return "couldn't get version/kind; json parse error: the patched value is no object";
  }
  if (attributes.kind != nullptr) return {};
  return FindTypeError(*attributes.resource, object).value_or("");
}

// Returns whether the patch of a webhook changes the object, or why it is rejected.
Result<bool> PatchObject(const AdmissionAttributes& attributes, const runtime::JsonValue& patch,
                         runtime::JsonDocument& object) {
  runtime::JsonDocument before;
  before.CopyFrom(object, before.GetAllocator());
  if (auto patched = ApplyJsonPatch(object, patch); !patched) {
    return tl::unexpected(InternalErrorOccurred(patched.error().message));
  }
  if (const std::string why = WhyUndecodable(attributes, object); !why.empty()) {
    return tl::unexpected(InternalErrorOccurred(why));
  }
  const bool changed = before != object;
  if (attributes.kind != nullptr) return changed;
  PruneUnknown(*attributes.resource, object);
  Normalise(*attributes.resource, object);
  ApplyDefaults(*attributes.resource, object);
  return changed;
}

bool IsPrintable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

Admission::Admission(Parts parts)
    : parts_(std::move(parts)), deadline_(Clock::Real().After(kRequestTimeout)) {}

void Admission::Begin() {
  calls_.clear();
  warnings_.clear();
  namespace_ = nullptr;
}

const runtime::JsonValue& Admission::NamespaceOf(const AdmissionAttributes& attributes) {
  if (namespace_ == nullptr) {
    const ObjectPtr object = parts_.storage.Get(Resources().front(), attributes.namespace_);
    namespace_ = object == nullptr ? std::make_unique<runtime::JsonDocument>(rapidjson::kObjectType)
                                   : ParseObject(*object);
  }
  return *namespace_;
}

const Resource* Admission::Match(const MatchResources& match,
                                 const AdmissionAttributes& attributes) {
  return match.Match(attributes, [&]() -> const runtime::JsonValue& {
    return ObjectAt(ObjectAt(NamespaceOf(attributes), "metadata"), "labels");
  });
}

AdmissionInput Admission::InputOf(const AdmissionAttributes& attributes) const {
  return AdmissionInput({.attributes = attributes,
                         .user = parts_.user,
                         .dry_run = parts_.dry_run,
                         .options = *parts_.options,
                         .access = parts_.access});
}

Result<Admission::Seen> Admission::See(const Resource& version,
                                       const AdmissionAttributes& attributes) {
  Seen seen{.attributes = attributes};
  if (&version == attributes.resource || attributes.kind != nullptr) return seen;
  seen.attributes.resource = &version;
  seen.attributes.requested = attributes.resource;
  const auto convert = [&](const runtime::JsonValue*& object, Document& kept) -> Result<void> {
    if (object == nullptr) return {};
    auto copy = std::make_unique<runtime::JsonDocument>();
    copy->CopyFrom(*object, copy->GetAllocator());
    auto converted = ConvertTo(version, std::move(copy), parts_.conversions);
    if (!converted) return tl::unexpected(InternalErrorOccurred(converted.error().message));
    kept = *std::move(converted);
    object = kept.get();
    return {};
  };
  const auto converted = convert(seen.attributes.object, seen.object);
  const auto old = convert(seen.attributes.old_object, seen.old_object);
  if (!converted) return tl::unexpected(converted.error());
  if (!old) return tl::unexpected(old.error());
  return seen;
}

Result<void> Admission::CheckConditions(const Webhook& webhook,
                                        const AdmissionAttributes& attributes,
                                        bool& matches) const {
  matches = true;
  if (webhook.conditions.empty()) return {};
  static const NamedExpressions no_variables;
  const AdmissionInput input = InputOf(attributes);
  ExpressionRun run(input.Bindings(nullptr, nullptr), no_variables, kMatchConditionsBudget);
  const auto outcome = webhook.conditions.Match(run, webhook.ignore_failure);
  matches = outcome.matches;
  if (AwaitsAccess()) return tl::unexpected(Status{});  // pending
  if (outcome.error.empty()) return {};
  return tl::unexpected(ForbiddenBecause(*attributes.resource, attributes.name, outcome.error));
}

Result<std::optional<Admission::Seen>> Admission::SeeIfCalled(
    const Webhook& webhook, const AdmissionAttributes& attributes) {
  const Resource* const version = Match(webhook.match, attributes);
  if (version == nullptr) return std::nullopt;
  auto seen = See(*version, attributes);
  if (!seen) return tl::unexpected(std::move(seen.error()));
  bool matches = true;
  if (auto checked = CheckConditions(webhook, seen->attributes, matches); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  if (!matches) return std::nullopt;
  return std::optional(*std::move(seen));
}

Result<void> Admission::ApplyPolicies(const AdmissionAttributes& attributes) {
  if (parts_.policies == nullptr || parts_.policies->bound().empty()) return {};
  // The input refers to what is seen.
  struct Version {
    Version(Seen converted, const Admission& admission)
        : seen(std::move(converted)), input(admission.InputOf(seen.attributes)) {}
    Seen seen;
    AdmissionInput input;
  };
  std::map<const Resource*, std::unique_ptr<const Version>> versions;
  const bool in_namespace = !attributes.namespace_.empty() && !IsNamespace(*attributes.resource);
  const PolicyContext context{
      .storage = parts_.storage,
      .resources = *parts_.resources,
      .namespace_labels = [&]() -> const runtime::JsonValue& {
        return ObjectAt(ObjectAt(NamespaceOf(attributes), "metadata"), "labels");
      },
      .namespace_object = [&] { return in_namespace ? &NamespaceOf(attributes) : nullptr; },
      .input = [&](const Resource& resource) -> Result<const AdmissionInput*> {
        auto& version = versions[&resource];
        if (version != nullptr) return &version->input;
        auto seen = See(resource, attributes);
        if (!seen) return tl::unexpected(std::move(seen.error()));
        version = std::make_unique<const Version>(*std::move(seen), *this);
        return &version->input;
      }};
  return CheckPolicies(*parts_.policies, attributes, context, warnings_);
}

const AdmissionResult* Admission::Find(const Hook& webhook, const AdmissionAttributes& attributes) {
  std::string request =
      AdmissionRequestJson(attributes, parts_.user, parts_.dry_run, *parts_.options).text();
  std::string key = AnswerKey(*webhook, request);
  const auto known = answers_.find(key);
  if (known != answers_.end()) {
    if (known->second) {
      const auto& warnings = known->second->warnings;
      warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
    }
    return &known->second;
  }
  const Clock::Duration timeout = std::chrono::seconds(webhook->timeout_seconds);
  calls_.push_back(
      {.webhook = webhook,
       .timeout = std::min(timeout, deadline_ - Clock::Real().Now()),
       .body =
           [request = std::move(request), webhook](std::string_view uid) {
             return AdmissionReviewJson(webhook->review_version, request, uid).text();
           },
       .answer =
           [this, webhook, key = std::move(key)](std::string_view uid, const HookReply& reply) {
             answers_.insert_or_assign(key, reply ? ParseAdmissionReview(*webhook, uid, *reply)
                                                  : AdmissionResult(tl::unexpected(reply.error())));
           }});
  return nullptr;
}

Result<bool> Admission::MutateWith(const Hook& webhook, Seen& seen, runtime::JsonDocument* object) {
  const AdmissionResult* const answer = Find(webhook, seen.attributes);
  if (answer == nullptr) return tl::unexpected(Status{});  // pending
  if (!*answer) {
    if (webhook->ignore_failure) return false;
    return tl::unexpected(FailedCalling(webhook->name, answer->error()));
  }
  const AdmissionResponse& response = **answer;
  if (!response.allowed) return tl::unexpected(response.denial);
  if (response.patch.empty()) return false;
  std::string error;
  const auto patch = ParseJson(response.patch, &error);
  if (patch == nullptr || !patch->IsArray()) {
    if (webhook->ignore_failure) return false;
    if (error.empty()) error = "json: cannot unmarshal the patch into a jsonpatch.Patch";
    return tl::unexpected(
        FailedCalling(webhook->name, "received undecodable patch in webhook response: " + error));
  }
  if (patch->Empty()) return false;
  if (object == nullptr) {
    return tl::unexpected(InternalErrorOccurred(
        "admission webhook " + Quoted(webhook->name) +
        " attempted to modify the object, which is not supported for this operation"));
  }
  const bool converts = seen.object != nullptr;
  auto changed = PatchObject(seen.attributes, *patch, converts ? *seen.object : *object);
  if (!changed || !*changed || !converts) return changed;
  const Resource& resource = *seen.attributes.requested;
  auto back = ConvertTo(resource, std::move(seen.object), parts_.conversions);
  if (!back) return tl::unexpected(InternalErrorOccurred(back.error().message));
  *object = std::move(**back);
  ApplyDefaults(resource, *object);
  return changed;
}

Result<bool> Admission::Mutate(AdmissionAttributes attributes, runtime::JsonDocument* object) {
  if (Clock::Real().Now() >= deadline_) return tl::unexpected(RequestTimeout());
  bool changed = false;
  std::set<const Webhook*> called;  // those that may be called again
  std::set<const Webhook*> again;
  for (const int round : {0, 1}) {
    for (const Hook& webhook : parts_.webhooks.mutating()) {
      attributes.object = object;
      if (round == 1 && again.count(webhook.get()) == 0) continue;
      auto seen = SeeIfCalled(*webhook, attributes);
      if (!seen) return tl::unexpected(std::move(seen.error()));
      if (!*seen) continue;
      auto result = MutateWith(webhook, **seen, object);
      if (!result) return result;
      changed = changed || *result;
      if (*result) again.merge(called);
      if (*result) called.clear();
      if (webhook->reinvoke) called.insert(webhook.get());
    }
  }
  return changed;
}

Result<void> Admission::Validate(const AdmissionAttributes& attributes) {
  if (Clock::Real().Now() >= deadline_) return tl::unexpected(RequestTimeout());
  if (auto allowed = ApplyPolicies(attributes); !allowed) return allowed;
  if (AwaitsAccess()) return tl::unexpected(Status{});  // pending
  std::vector<std::pair<Hook, Seen>> called;
  for (const Hook& webhook : parts_.webhooks.validating()) {
    auto seen = SeeIfCalled(*webhook, attributes);
    if (!seen) return tl::unexpected(std::move(seen.error()));
    if (*seen) called.emplace_back(webhook, **std::move(seen));
  }
  Result<void> result;
  for (const auto& [webhook, seen] : called) {
    const AdmissionResult* const answer = Find(webhook, seen.attributes);
    if (answer == nullptr || !result) continue;  // all calls are made at once
    if (!*answer) {
      if (webhook->ignore_failure) continue;
      result = tl::unexpected(FailedCalling(webhook->name, answer->error()));
    } else if (!(*answer)->allowed) {
      result = tl::unexpected((*answer)->denial);
    }
  }
  if (pending()) return tl::unexpected(Status{});
  return result;
}

std::vector<std::string> Admission::Warnings() const {
  constexpr std::size_t kAllMax = 4096;
  constexpr std::size_t kOneMax = 256;  // when all are longer than kAllMax
  std::vector<std::string> warnings;
  std::size_t size = 0;
  for (const std::string& warning : warnings_) {
    const bool known = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
    if (warning.empty() || known || !IsPrintable(warning)) continue;
    size += warning.size();
    warnings.push_back(warning);
  }
  if (size <= kAllMax) return warnings;
  size = 0;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (size >= kAllMax) warnings.resize(i);
    if (size >= kAllMax) break;
    warnings[i] = std::string(TruncateUtf8(warnings[i], kOneMax));
    size += warnings[i].size();
  }
  return warnings;
}

}  // namespace capstan::testing::apiserver
