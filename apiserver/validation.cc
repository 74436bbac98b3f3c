// SPDX-License-Identifier: Apache-2.0
#include "apiserver/validation.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "apiserver/ca_bundle.h"
#include "apiserver/metadata_edit.h"
#include "apiserver/metadata_validation.h"
#include "apiserver/names.h"
#include "clientgo/util/base64.h"

namespace apiserver {
namespace {

void ValidateData(const JsonValue& object, std::string_view field, std::vector<Cause>& causes) {
  const JsonValue* const data = Find(object, field);
  if (data == nullptr || !data->IsObject()) return;
  for (const auto& member : data->GetObject()) {
    const std::string_view key = ToView(member.name);
    AddInvalid(causes, std::string(field) + "[" + std::string(key) + "]", key,
               ConfigKeyErrors(key));
  }
}

void ValidateSecret(const JsonValue& object, std::vector<Cause>& causes) {
  ValidateData(object, "data", causes);
  if (GetString(object, "type") != "kubernetes.io/tls") return;
  for (const char* const key : {"tls.crt", "tls.key"}) {
    if (FindPath(object, {"data", key}) != nullptr) continue;
    causes.push_back(Required("data[" + std::string(key) + "]", ""));
  }
}

bool IsNonEmptyList(const JsonValue& object, std::string_view key) {
  const JsonValue* const list = Find(object, key);
  return list != nullptr && list->IsArray() && !list->Empty();
}

void ValidateWebhook(const JsonValue& webhook, const std::string& path,
                     std::vector<Cause>& causes) {
  const std::string_view name = GetString(webhook, "name");
  if (name.empty()) {
    causes.push_back(Required(path + ".name", ""));
  } else if (std::count(name.begin(), name.end(), '.') < 2) {
    causes.push_back(InvalidValue(path + ".name", name,
                                  "should be a domain with at least three segments separated by "
                                  "dots"));
  }
  const std::string_view side_effects = GetString(webhook, "sideEffects");
  if (side_effects.empty()) {
    causes.push_back(Required(path + ".sideEffects", "must specify one of None, NoneOnDryRun"));
  } else if (side_effects != "None" && side_effects != "NoneOnDryRun") {
    causes.push_back(NotSupported(path + ".sideEffects", "\"" + std::string(side_effects) + "\"",
                                  R"("None", "NoneOnDryRun")"));
  }
  const bool url = FindPath(webhook, {"clientConfig", "url"}) != nullptr;
  const bool service = FindPath(webhook, {"clientConfig", "service"}) != nullptr;
  if (url == service) {
    causes.push_back(Required(path + ".clientConfig", "exactly one of url or service is required"));
  }
  if (!IsNonEmptyList(webhook, "admissionReviewVersions")) {
    causes.push_back(
        Required(path + ".admissionReviewVersions", "must specify one of v1, v1beta1"));
  }
}

void ValidateWebhooks(const JsonValue& object, std::vector<Cause>& causes) {
  const JsonValue* const webhooks = Find(object, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return;
  std::set<std::string_view> names;
  for (rapidjson::SizeType i = 0; i < webhooks->Size(); ++i) {
    const JsonValue& webhook = (*webhooks)[i];
    const std::string path = "webhooks[" + std::to_string(i) + "]";
    ValidateWebhook(webhook, path, causes);
    const std::string_view name = GetString(webhook, "name");
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back({.reason = "FieldValueDuplicate",
                        .message = "Duplicate value: \"" + std::string(name) + "\"",
                        .field = path + ".name"});
    }
  }
}

void ValidateApiService(const JsonValue& object, std::vector<Cause>& causes) {
  static const JsonValue nothing(rapidjson::kObjectType);
  const JsonValue* const found = Find(object, "spec");
  const JsonValue& spec = found == nullptr ? nothing : *found;
  const std::string wanted =
      std::string(GetString(spec, "version")) + "." + std::string(GetString(spec, "group"));
  if (const std::string_view name = Metadata(object, "name"); name != wanted) {
    causes.push_back(InvalidValue("metadata.name", name,
                                  R"(must be `spec.version+"."+spec.group`: ")" + wanted + "\""));
  }
  const JsonValue* const skip = Find(spec, "insecureSkipTLSVerify");
  const bool skips = skip != nullptr && skip->IsBool() && skip->GetBool();
  if (!skips || Find(spec, "caBundle") == nullptr) return;
  causes.push_back({.reason = "FieldValueInvalid",
                    .message = "Invalid value: true: may not be true if caBundle is present",
                    .field = "spec.insecureSkipTLSVerify"});
}

// The real server validates its internal form: webhook.clientConfig is webhookClientConfig there.
void ValidateConversion(const JsonValue& object, std::vector<Cause>& causes) {
  const JsonValue* const conversion = FindPath(object, {"spec", "conversion"});
  if (conversion == nullptr || !conversion->IsObject()) return;
  const std::string path = "spec.conversion";
  const JsonValue* const config = FindPath(*conversion, {"webhook", "clientConfig"});
  const JsonValue* const webhook = Find(*conversion, "webhook");
  const bool versions = webhook != nullptr && IsNonEmptyList(*webhook, "conversionReviewVersions");
  const std::string_view strategy = GetString(*conversion, "strategy");
  if (strategy.empty()) {
    causes.push_back(Required(path + ".strategy", ""));
  } else if (strategy != "None" && strategy != "Webhook") {
    causes.push_back(NotSupported(path + ".strategy", "\"" + std::string(strategy) + "\"",
                                  R"("None", "Webhook")"));
  }
  if (strategy == "Webhook") {
    if (config == nullptr) {
      causes.push_back(
          Required(path + ".webhookClientConfig", "required when strategy is set to Webhook"));
    } else if ((Find(*config, "url") == nullptr) == (Find(*config, "service") == nullptr)) {
      causes.push_back(
          Required(path + ".webhookClientConfig", "exactly one of url or service is required"));
    }
    if (!versions) causes.push_back(Required(path + ".conversionReviewVersions", ""));
    return;
  }
  const std::string why = "should not be set when strategy is not set to Webhook";
  if (config != nullptr) causes.push_back(ForbiddenField(path + ".webhookClientConfig", why));
  if (versions) causes.push_back(ForbiddenField(path + ".conversionReviewVersions", why));
}

void ValidateLease(const JsonValue& object, std::vector<Cause>& causes) {
  const auto check = [&](const char* key, int least, std::string_view what) {
    const JsonValue* const value = FindPath(object, {"spec", key});
    if (value == nullptr || !value->IsInt() || value->GetInt() >= least) return;
    causes.push_back(
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: " + std::to_string(value->GetInt()) + ": " + std::string(what),
         .field = std::string("spec.") + key});
  };
  check("leaseDurationSeconds", 1, "must be greater than 0");
  check("leaseTransitions", 0, "must be greater than or equal to 0");
}

void ValidateEvent(const JsonValue& object, std::vector<Cause>& causes) {
  const JsonValue* const about = Find(object, "involvedObject");
  const std::string_view ns =
      about == nullptr ? std::string_view() : GetString(*about, "namespace");
  const std::string_view own = Metadata(object, "namespace");
  // Events about what is in no namespace go to "default".
  if (ns == own || (ns.empty() && own == "default")) return;
  causes.push_back(InvalidValue("involvedObject.namespace", ns, "does not match event.namespace"));
}

void ValidateImmutable(const JsonValue& live, const JsonValue& next, std::vector<Cause>& causes) {
  const JsonValue* const immutable = Find(live, "immutable");
  if (immutable == nullptr || !immutable->IsBool() || !immutable->GetBool()) return;
  const auto differs = [&](std::string_view key) {
    const JsonValue* const before = Find(live, key);
    const JsonValue* const after = Find(next, key);
    return before == nullptr || after == nullptr ? before != after : *before != *after;
  };
  for (const char* const key : {"immutable", "data", "binaryData"}) {
    if (!differs(key)) continue;
    causes.push_back(ForbiddenField(key, "field is immutable when `immutable` is set"));
  }
}

// The bundle of the conversion webhook. A bad one is taken from who creates the object, or where
// one was before; it never takes the place of a good one.
void ValidateConversionBundle(const JsonValue& live, const JsonValue& next,
                              std::vector<Cause>& causes) {
  const auto bundle = [](const JsonValue& object) -> std::string_view {
    const JsonValue* const config =
        FindPath(object, {"spec", "conversion", "webhook", "clientConfig"});
    return config == nullptr ? std::string_view() : GetString(*config, "caBundle");
  };
  const auto why_not = [](std::string_view base64) {
    return WhyNoRootCertificates(clientgo::util::Base64Decode(base64).value_or(""));
  };
  const auto why = why_not(bundle(next));
  if (!why || why_not(bundle(live))) return;
  causes.push_back(
      InvalidValue("spec.conversion.webhookClientConfig.caBundle", bundle(next), *why));
}

}  // namespace

std::vector<Cause> Validate(const Resource& resource, const JsonValue& object) {
  std::vector<Cause> causes;
  ValidateMetadata(object, causes);
  if (resource.group == "admissionregistration.k8s.io") ValidateWebhooks(object, causes);
  if (resource.kind == "APIService") ValidateApiService(object, causes);
  if (resource.kind == "CustomResourceDefinition") ValidateConversion(object, causes);
  if (resource.kind == "Lease") ValidateLease(object, causes);
  if (resource.kind == "Event") ValidateEvent(object, causes);
  if (resource.kind == "Secret") ValidateSecret(object, causes);
  if (resource.kind == "ConfigMap") {
    ValidateData(object, "data", causes);
    ValidateData(object, "binaryData", causes);
  }
  return causes;
}

std::vector<Cause> ValidateUpdate(const Resource& resource, const JsonValue& live,
                                  const JsonValue& next) {
  std::vector<Cause> causes;
  ValidateMetadataUpdate(live, next, causes);
  // The generic part of the real server looks at metadata, and these kinds' own part once more.
  const bool twice = resource.group.empty() || resource.group == "coordination.k8s.io";
  if (twice) ValidateMetadataUpdate(live, next, causes);
  if (resource.kind == "Secret") {
    const std::string_view type = GetString(next, "type");
    if (type != GetString(live, "type")) {
      causes.push_back(InvalidValue("type", type, "field is immutable"));
    }
  }
  if (resource.kind == "Secret" || resource.kind == "ConfigMap") {
    ValidateImmutable(live, next, causes);
  }
  if (resource.kind == "CustomResourceDefinition") ValidateConversionBundle(live, next, causes);
  return causes;
}

}  // namespace apiserver
