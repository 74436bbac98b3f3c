// SPDX-License-Identifier: Apache-2.0
// ApplyDefaults, declared in validation.h.
#include <string>
#include <utility>

#include "apiserver/validation.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/text.h"

namespace apiserver {
namespace {

constexpr int kHttpsPort = 443;

void SetDefault(JsonValue& object, std::string_view key, std::string_view value,
                JsonAllocator& allocator) {
  if (Find(object, key) == nullptr) SetString(object, key, value, allocator);
}

void DefaultPort(JsonValue* service, JsonAllocator& allocator) {
  if (service == nullptr || !service->IsObject() || Find(*service, "port") != nullptr) return;
  Set(*service, "port", JsonValue(kHttpsPort), allocator);
}

void DefaultWebhooks(JsonValue& object, JsonAllocator& allocator) {
  constexpr int kTimeoutSeconds = 10;
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
    DefaultPort(FindMutablePath(webhook, {"clientConfig", "service"}), allocator);
  }
}

void DefaultSecret(JsonValue& object, JsonAllocator& allocator) {
  SetDefault(object, "type", "Opaque", allocator);
  const JsonValue* const plain = Find(object, "stringData");
  if (plain == nullptr || !plain->IsObject()) return;
  JsonValue& data = Ensure(object, "data", allocator);
  // Found again: Ensure may have moved the members.
  for (const auto& member : Find(object, "stringData")->GetObject()) {
    if (!member.value.IsString()) continue;
    SetString(data, ToView(member.name), clientgo::util::Base64Encode(ToView(member.value)),
              allocator);
  }
  Remove(object, "stringData");
}

void DefaultCustomResourceDefinition(JsonValue& object, JsonAllocator& allocator) {
  JsonValue& spec = Ensure(object, "spec", allocator);
  const JsonValue* const conversion = Find(spec, "conversion");
  if (conversion == nullptr || conversion->IsNull()) {
    SetString(Set(spec, "conversion", JsonValue(rapidjson::kObjectType), allocator), "strategy",
              "None", allocator);
  }
  JsonValue& names = Ensure(spec, "names", allocator);
  const std::string kind(GetString(names, "kind"));
  if (kind.empty()) return;
  SetDefault(names, "singular", clientgo::util::LowerAscii(kind), allocator);
  SetDefault(names, "listKind", kind + "List", allocator);
}

void DefaultNamespace(JsonDocument& object, JsonAllocator& allocator) {
  JsonValue& metadata = Ensure(object, "metadata", allocator);
  const std::string name(GetString(metadata, "name"));
  if (!name.empty()) {
    SetString(Ensure(metadata, "labels", allocator), "kubernetes.io/metadata.name", name,
              allocator);
  }
}

}  // namespace

void ApplyDefaults(const Resource& resource, JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  if (resource.kind == "Secret") DefaultSecret(object, allocator);
  if (resource.kind == "Namespace") DefaultNamespace(object, allocator);
  if (resource.group == "admissionregistration.k8s.io") DefaultWebhooks(object, allocator);
  if (resource.kind == "APIService") {
    DefaultPort(FindMutablePath(object, {"spec", "service"}), allocator);
  }
  if (resource.kind == "CustomResourceDefinition") {
    DefaultCustomResourceDefinition(object, allocator);
  }
}

void PrepareForCreate(const Resource& resource, JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  if (resource.kind == "Pod") {
    SetDefault(Ensure(object, "status", allocator), "phase", "Pending", allocator);
  }
  if (resource.kind != "Namespace") return;
  SetDefault(Ensure(object, "status", allocator), "phase", "Active", allocator);
  JsonValue finalizers(rapidjson::kArrayType);
  finalizers.PushBack(NewString("kubernetes", allocator), allocator);
  Set(Ensure(object, "spec", allocator), "finalizers", std::move(finalizers), allocator);
}

}  // namespace apiserver
