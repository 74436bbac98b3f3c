// SPDX-License-Identifier: Apache-2.0
#include "apiserver/validation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "clientgo/util/base64.h"

namespace apiserver {
namespace {

// What Go's registration of internal types calls the group.
std::string InternalGroup(const Resource& resource) {
  if (resource.group.empty()) return "core";
  return std::string(resource.group.substr(0, resource.group.find('.')));
}

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsSubdomain(std::string_view name) {
  constexpr std::size_t kLengthMax = 253;
  if (name.empty() || name.size() > kLengthMax) return false;
  char previous = '.';
  for (const char c : name) {
    if (!IsLowerAlphanumeric(c) && c != '-' && c != '.') return false;
    // A label neither begins nor ends with a dash, and is not empty.
    if (previous == '.' && !IsLowerAlphanumeric(c)) return false;
    if (c == '.' && previous == '-') return false;
    previous = c;
  }
  return IsLowerAlphanumeric(previous);
}

tl::unexpected<Status> CannotBeHandled(const Resource& resource, std::string_view kind,
                                       std::string_view version, const std::string& why) {
  return tl::unexpected(BadRequest(std::string(kind) + " in version \"" + std::string(version) +
                                   "\" cannot be handled as a " + std::string(resource.kind) +
                                   ": " + why));
}

void SetDefault(JsonValue& object, std::string_view key, std::string_view value,
                JsonAllocator& allocator) {
  if (Find(object, key) == nullptr) SetString(object, key, value, allocator);
}

void DefaultWebhooks(JsonValue& object, JsonAllocator& allocator) {
  constexpr int kTimeoutSeconds = 10;
  constexpr int kHttpsPort = 443;
  JsonValue* const webhooks = FindMutable(object, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return;
  for (JsonValue& webhook : webhooks->GetArray()) {
    if (!webhook.IsObject()) continue;
    SetDefault(webhook, "failurePolicy", "Fail", allocator);
    SetDefault(webhook, "matchPolicy", "Equivalent", allocator);
    Ensure(webhook, "namespaceSelector", allocator);
    Ensure(webhook, "objectSelector", allocator);
    if (Find(webhook, "timeoutSeconds") == nullptr) {
      Set(webhook, "timeoutSeconds", JsonValue(kTimeoutSeconds), allocator);
    }
    JsonValue* const service = FindMutablePath(webhook, {"clientConfig", "service"});
    if (service != nullptr && service->IsObject() && Find(*service, "port") == nullptr) {
      Set(*service, "port", JsonValue(kHttpsPort), allocator);
    }
  }
}

void DefaultSecret(JsonValue& object, JsonAllocator& allocator) {
  SetDefault(object, "type", "Opaque", allocator);
  const JsonValue* const plain = Find(object, "stringData");
  if (plain == nullptr) return;
  JsonValue& data = Ensure(object, "data", allocator);
  // Found again: Ensure may have moved the members.
  for (const auto& member : Find(object, "stringData")->GetObject()) {
    if (!member.value.IsString()) continue;
    SetString(data, ToView(member.name), clientgo::util::Base64Encode(ToView(member.value)),
              allocator);
  }
  Remove(object, "stringData");
}

bool IsNonEmptyList(const JsonValue& object, std::string_view key) {
  const JsonValue* const list = Find(object, key);
  return list != nullptr && list->IsArray() && !list->Empty();
}

void ValidateWebhooks(const JsonValue& object, std::vector<Cause>& causes) {
  const JsonValue* const webhooks = Find(object, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < webhooks->Size(); ++i) {
    const JsonValue& webhook = (*webhooks)[i];
    const std::string path = "webhooks[" + std::to_string(i) + "]";
    if (GetString(webhook, "name").empty()) causes.push_back(Required(path + ".name", ""));
    if (GetString(webhook, "sideEffects").empty()) {
      causes.push_back(Required(path + ".sideEffects", "must specify one of None, NoneOnDryRun"));
    }
    const bool url = FindPath(webhook, {"clientConfig", "url"}) != nullptr;
    const bool service = FindPath(webhook, {"clientConfig", "service"}) != nullptr;
    if (url == service) {
      causes.push_back(
          Required(path + ".clientConfig", "exactly one of url or service is required"));
    }
    if (!IsNonEmptyList(webhook, "admissionReviewVersions")) {
      causes.push_back(
          Required(path + ".admissionReviewVersions", "must specify one of v1, v1beta1"));
    }
  }
}

void ValidateApiService(const JsonValue& object, std::vector<Cause>& causes) {
  const JsonValue* const skip = FindPath(object, {"spec", "insecureSkipTLSVerify"});
  const bool skips = skip != nullptr && skip->IsBool() && skip->GetBool();
  if (!skips || FindPath(object, {"spec", "caBundle"}) == nullptr) return;
  causes.push_back({.reason = "FieldValueInvalid",
                    .message = "Invalid value: true: may not be true if caBundle is present",
                    .field = "spec.insecureSkipTLSVerify"});
}

bool IsWebhookConfiguration(const Resource& resource) {
  return resource.group == "admissionregistration.k8s.io";
}

}  // namespace

Result<std::unique_ptr<JsonDocument>> DecodeObject(const Resource& resource,
                                                   std::string_view body) {
  constexpr std::size_t kQuotedMax = 1024;
  std::string error;
  auto object = ParseJson(body, &error);
  if (object == nullptr || !object->IsObject()) {
    if (object != nullptr) error = "cannot unmarshal into Go value of type struct";
    const std::string quoted = body.empty() ? "<empty>" : std::string(body.substr(0, kQuotedMax));
    return tl::unexpected(BadRequest(
        "the object provided is unrecognized (must be of type " + std::string(resource.kind) +
        "): couldn't get version/kind; json parse error: " + error + " (" + quoted + ")"));
  }
  const std::string version(Find(*object, "apiVersion") == nullptr
                                ? resource.ApiVersion()
                                : GetString(*object, "apiVersion"));
  const std::string kind(Find(*object, "kind") == nullptr ? resource.kind
                                                          : GetString(*object, "kind"));
  const bool known = FindKind(version, kind) != nullptr;
  if (!known) {
    return CannotBeHandled(resource, kind, version,
                           "no kind \"" + kind + "\" is registered for version \"" + version +
                               R"(" in scheme "pkg/runtime/scheme.go:110")");
  }
  if (kind != resource.kind || version != resource.ApiVersion()) {
    return CannotBeHandled(resource, kind, version,
                           "converting (" + version + "." + kind + ") to (" +
                               InternalGroup(resource) + "." + std::string(resource.kind) +
                               "): unknown conversion");
  }
  if (auto checked = CheckMetadataTypes(resource, *object); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  return object;
}

Result<void> CheckMetadataTypes(const Resource& resource, const JsonValue& object) {
  const auto refuse = [&](const std::string& field, const std::string& type) -> Result<void> {
    return CannotBeHandled(resource, resource.kind, resource.ApiVersion(),
                           "json: cannot unmarshal into Go struct field " +
                               std::string(resource.kind) + "." + field + " of type " + type);
  };
  const JsonValue* const metadata = Find(object, "metadata");
  if (metadata == nullptr || metadata->IsNull()) return {};
  if (!metadata->IsObject()) return refuse("metadata", "v1.ObjectMeta");
  for (const char* const key : {"labels", "annotations"}) {
    const JsonValue* const map = Find(*metadata, key);
    if (map == nullptr || map->IsNull()) continue;
    const bool strings =
        map->IsObject() && std::all_of(map->MemberBegin(), map->MemberEnd(),
                                       [](const auto& member) { return member.value.IsString(); });
    if (!strings) return refuse(std::string("metadata.") + key, "map[string]string");
  }
  for (const char* const key : {"name", "namespace", "uid", "resourceVersion", "generateName"}) {
    const JsonValue* const text = Find(*metadata, key);
    if (text != nullptr && !text->IsNull() && !text->IsString()) {
      return refuse(std::string("metadata.") + key, "string");
    }
  }
  return {};
}

void ApplyDefaults(const Resource& resource, JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  if (IsWebhookConfiguration(resource)) DefaultWebhooks(object, allocator);
  if (resource.kind == "Secret") DefaultSecret(object, allocator);
  if (resource.kind == "Pod") {
    SetDefault(Ensure(object, "status", allocator), "phase", "Pending", allocator);
  }
  if (resource.kind == "Namespace") {
    SetDefault(Ensure(object, "status", allocator), "phase", "Active", allocator);
  }
}

std::vector<Cause> Validate(const Resource& resource, const JsonValue& object) {
  std::vector<Cause> causes;
  const JsonValue* const metadata = Find(object, "metadata");
  const std::string_view name =
      metadata == nullptr ? std::string_view() : GetString(*metadata, "name");
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else if (!IsSubdomain(name)) {
    causes.push_back(InvalidValue(
        "metadata.name", name,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  }
  if (IsWebhookConfiguration(resource)) ValidateWebhooks(object, causes);
  if (resource.kind == "APIService") ValidateApiService(object, causes);
  return causes;
}

}  // namespace apiserver
