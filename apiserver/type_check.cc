// SPDX-License-Identifier: Apache-2.0
#include "apiserver/type_check.h"

#include <set>

namespace apiserver {
namespace {

std::string CannotUnmarshal(const JsonValue& value, const std::string& field,
                            std::string_view type) {
  return "json: cannot unmarshal " + std::string(JsonTypeName(value)) + " into Go struct field " +
         field + " of type " + std::string(type);
}

// Where Go's decoder would stop at text whose padding begins at `at`, behind `digits` digits.
std::optional<std::size_t> BadPaddingByte(std::string_view text, std::size_t at,
                                          std::size_t digits) {
  const std::size_t in_quantum = digits % 4;
  if (in_quantum < 2) return at;
  if (in_quantum == 2) {
    if (at + 1 == text.size()) return text.size();
    if (text[++at] != '=') return at - 1;
  }
  if (at + 1 < text.size()) return at + 1;
  return std::nullopt;
}

// Where Go's decoder would stop at a text that is no base64.
std::optional<std::size_t> BadBase64Byte(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '+' || c == '/';
    if (c == '=') return BadPaddingByte(text, i, digits);
    if (!digit && c != '\r' && c != '\n') return i;
    if (digit) ++digits;
  }
  if (digits % 4 != 0) return text.size() - digits % 4;
  return std::nullopt;
}

std::optional<std::string> CheckBase64(const JsonValue& value) {
  if (!value.IsString()) return std::nullopt;
  const auto at = BadBase64Byte(ToView(value));
  if (!at) return std::nullopt;
  return "illegal base64 data at input byte " + std::to_string(*at);
}

// A map[string]string, or map[string][]byte, at `field` of the Go type.
std::optional<std::string> CheckMap(const JsonValue* map, const std::string& field, bool bytes) {
  if (map == nullptr || map->IsNull()) return std::nullopt;
  if (!map->IsObject()) {
    return CannotUnmarshal(*map, field, bytes ? "map[string][]uint8" : "map[string]string");
  }
  for (const auto& member : map->GetObject()) {
    const JsonValue& value = member.value;
    if (value.IsNull()) continue;
    if (!value.IsString()) return CannotUnmarshal(value, field, bytes ? "[]uint8" : "string");
    if (!bytes) continue;
    if (auto error = CheckBase64(value)) return error;
  }
  return std::nullopt;
}

std::optional<std::string> CheckMetadata(const Resource& resource, const JsonValue& object) {
  const JsonValue* const metadata = Find(object, "metadata");
  if (metadata == nullptr || metadata->IsNull()) return std::nullopt;
  if (!metadata->IsObject()) {
    return CannotUnmarshal(*metadata, std::string(resource.kind) + ".metadata", "v1.ObjectMeta");
  }
  for (const char* const key : {"name", "generateName", "namespace", "uid", "resourceVersion"}) {
    const JsonValue* const text = Find(*metadata, key);
    if (text == nullptr || text->IsNull() || text->IsString()) continue;
    return CannotUnmarshal(*text, std::string("ObjectMeta.metadata.") + key,
                           key == std::string_view("uid") ? "types.UID" : "string");
  }
  for (const char* const key : {"labels", "annotations"}) {
    auto error = CheckMap(Find(*metadata, key), std::string("ObjectMeta.metadata.") + key, false);
    if (error) return error;
  }
  return std::nullopt;
}

std::optional<std::string> CheckBundles(const JsonValue& object) {
  for (const auto path : {std::initializer_list<std::string_view>{"spec", "caBundle"},
                          {"spec", "conversion", "webhook", "clientConfig", "caBundle"}}) {
    const JsonValue* const bundle = FindPath(object, path);
    if (bundle == nullptr) continue;
    if (auto error = CheckBase64(*bundle)) return error;
  }
  const JsonValue* const webhooks = Find(object, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return std::nullopt;
  for (const JsonValue& webhook : webhooks->GetArray()) {
    const JsonValue* const bundle = FindPath(webhook, {"clientConfig", "caBundle"});
    if (bundle == nullptr) continue;
    if (auto error = CheckBase64(*bundle)) return error;
  }
  return std::nullopt;
}

}  // namespace

std::string_view JsonTypeName(const JsonValue& value) {
  if (value.IsObject()) return "object";
  if (value.IsArray()) return "array";
  if (value.IsString()) return "string";
  return value.IsBool() ? "bool" : "number";
}

std::optional<std::string> FindTypeError(const Resource& resource, const JsonValue& object) {
  if (auto error = CheckMetadata(resource, object)) return error;
  const std::string kind(resource.kind);
  if (kind == "ConfigMap") {
    if (auto error = CheckMap(Find(object, "data"), "ConfigMap.data", false)) return error;
    return CheckMap(Find(object, "binaryData"), "ConfigMap.binaryData", true);
  }
  if (kind == "Secret") {
    if (auto error = CheckMap(Find(object, "data"), "Secret.data", true)) return error;
    return CheckMap(Find(object, "stringData"), "Secret.stringData", false);
  }
  return CheckBundles(object);
}

Result<void> CheckApplied(const Resource& resource, const JsonValue& configuration) {
  const JsonValue* const metadata = Find(configuration, "metadata");
  if (metadata != nullptr && !metadata->IsObject()) {
    return tl::unexpected(CannotBeHandled(resource, *FindTypeError(resource, configuration)));
  }
  const auto refuse = [&](const std::string& why) {
    const std::string_view name =
        metadata == nullptr ? std::string_view() : GetString(*metadata, "name");
    std::string type = resource.ApiVersion() + ", Kind=" + std::string(resource.kind);
    if (resource.group.empty()) type.insert(0, "/");
    return tl::unexpected(InternalError("failed to create typed patch object (/" +
                                        std::string(name) + "; " + type + "): " + why));
  };
  for (const auto path : {std::initializer_list<std::string_view>{"data"},
                          {"metadata", "labels"},
                          {"metadata", "annotations"}}) {
    const JsonValue* const map = FindPath(configuration, path);
    if (map == nullptr || !map->IsObject()) continue;
    std::string prefix;
    for (const std::string_view step : path) prefix += "." + std::string(step);
    for (const auto& member : map->GetObject()) {
      if (member.value.IsString() || member.value.IsNull()) continue;
      return refuse(prefix + "." + std::string(ToView(member.name)) +
                    ": expected string, got &value.valueUnstructured{Value:" +
                    clientgo::runtime::ToJson(member.value) + "}");
    }
  }
  const JsonValue* const webhooks = Find(configuration, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return {};
  std::set<std::string_view> names;
  for (const JsonValue& webhook : webhooks->GetArray()) {
    const std::string_view name = GetString(webhook, "name");
    if (names.insert(name).second) continue;
    return refuse(".webhooks: duplicate entries for key [name=\"" + std::string(name) + "\"]");
  }
  return {};
}

}  // namespace apiserver
