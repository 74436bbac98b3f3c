// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/admission.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
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

void Admission::Answer(const Call& call, AdmissionResult result) {
  answers_.insert_or_assign(AnswerKey(*call.webhook, call.request), std::move(result));
}

const runtime::JsonValue& Admission::NamespaceLabels(std::string_view ns) {
  if (namespace_ == nullptr) {
    const ObjectPtr object = parts_.storage.Get(Resources().front(), ns);
    namespace_ = object == nullptr ? std::make_unique<runtime::JsonDocument>(rapidjson::kObjectType)
                                   : ParseObject(*object);
  }
  return ObjectAt(ObjectAt(*namespace_, "metadata"), "labels");
}

bool Admission::IsCalled(const Webhook& webhook, const AdmissionAttributes& attributes) {
  return Matches(webhook, attributes, [&]() -> const runtime::JsonValue& {
    return NamespaceLabels(attributes.namespace_);
  });
}

const AdmissionResult* Admission::Find(const Hook& webhook, const AdmissionAttributes& attributes) {
  std::string request =
      AdmissionRequestJson(attributes, parts_.user, parts_.dry_run, *parts_.options).text();
  const auto known = answers_.find(AnswerKey(*webhook, request));
  if (known != answers_.end()) {
    if (known->second) {
      const auto& warnings = known->second->warnings;
      warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
    }
    return &known->second;
  }
  const Clock::Duration timeout = std::chrono::seconds(webhook->timeout_seconds);
  calls_.push_back({.webhook = webhook,
                    .request = std::move(request),
                    .timeout = std::min(timeout, deadline_ - Clock::Real().Now())});
  return nullptr;
}

Result<bool> Admission::MutateWith(const Hook& webhook, AdmissionAttributes attributes,
                                   runtime::JsonDocument* object) {
  attributes.object = object;
  const AdmissionResult* const answer = Find(webhook, attributes);
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
  runtime::JsonDocument before;
  before.CopyFrom(*object, before.GetAllocator());
  if (auto patched = ApplyJsonPatch(*object, *patch); !patched) {
    return tl::unexpected(InternalErrorOccurred(patched.error().message));
  }
  if (const std::string why = WhyUndecodable(attributes, *object); !why.empty()) {
    return tl::unexpected(InternalErrorOccurred(why));
  }
  const bool changed = before != *object;
  if (attributes.kind != nullptr) return changed;
  PruneUnknown(*attributes.resource, *object);
  Normalise(*attributes.resource, *object);
  ApplyDefaults(*attributes.resource, *object);
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
      if (!IsCalled(*webhook, attributes)) continue;
      auto result = MutateWith(webhook, attributes, object);
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
  Result<void> result;
  for (const Hook& webhook : parts_.webhooks.validating()) {
    if (!IsCalled(*webhook, attributes)) continue;
    const AdmissionResult* const answer = Find(webhook, attributes);
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
