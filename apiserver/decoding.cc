// SPDX-License-Identifier: Apache-2.0
#include "apiserver/decoding.h"

#include "apiserver/type_check.h"

namespace apiserver {
namespace {

// The first bytes of a body, as text or in hexadecimal.
std::string Summary(std::string_view body) {
  constexpr std::size_t kLengthMax = 30;
  constexpr std::string_view kHex = "0123456789abcdef";
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kLengthMax);
  std::string text(body.front() == '{' ? shown : std::string_view());
  if (text.empty()) {
    for (const char c : shown) {
      const auto byte = static_cast<unsigned char>(c);
      text += kHex[byte >> 4U];
      text += kHex[byte & 0xfU];
    }
  }
  return body.size() > kLengthMax ? text + " ..." : text;
}

void DropNulls(JsonValue& value) {
  if (value.IsArray()) {
    for (JsonValue& item : value.GetArray()) DropNulls(item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    if (member->value.IsNull()) {
      member = value.EraseMember(member);
    } else {
      DropNulls(member->value);
      ++member;
    }
  }
}

void DropEmpty(JsonValue& object, std::string_view key) {
  const JsonValue* const value = Find(object, key);
  if (value == nullptr) return;
  const bool empty =
      (value->IsObject() && value->ObjectEmpty()) || (value->IsArray() && value->Empty());
  if (empty) Remove(object, key);
}

// Adds the members of `zero` that `object` lacks.
void AddMissing(JsonValue& object, const JsonValue& zero, JsonAllocator& allocator) {
  for (const auto& member : zero.GetObject()) {
    JsonValue* const existing = FindMutable(object, ToView(member.name));
    if (existing == nullptr) {
      Set(object, ToView(member.name), JsonValue(member.value, allocator), allocator);
    } else if (existing->IsObject() && member.value.IsObject()) {
      AddMissing(*existing, member.value, allocator);
    }
  }
}

}  // namespace

std::string InternalGroup(const Resource& resource) {
  if (resource.group.empty()) return "core";
  return std::string(resource.group.substr(0, resource.group.find('.')));
}

Result<std::unique_ptr<JsonDocument>> DecodeObject(const Resource& resource,
                                                   std::string_view body) {
  std::string error;
  auto object = ParseJson(body, &error);
  if (object != nullptr && !object->IsObject()) {
    error = "json: cannot unmarshal " + std::string(JsonTypeName(*object)) +
            R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\"";)"
            R"( Kind string "json:\"kind,omitempty\"" })";
    object = nullptr;
  }
  if (object == nullptr) {
    return tl::unexpected(BadRequest(
        "the object provided is unrecognized (must be of type " + std::string(resource.kind) +
        "): couldn't get version/kind; json parse error: " + error + " (" + Summary(body) + ")"));
  }
  const std::string api_version(GetString(*object, "apiVersion"));
  const std::string version = api_version.empty() ? resource.ApiVersion() : api_version;
  const std::string given_kind(GetString(*object, "kind"));
  const std::string kind = given_kind.empty() ? std::string(resource.kind) : given_kind;
  const auto refuse = [&](const std::string& why) {
    return tl::unexpected(
        BadRequest(kind + " in version \"" + version.substr(version.find('/') + 1) +
                   "\" cannot be handled as a " + std::string(resource.kind) + ": " + why));
  };
  if (FindKind(version, kind) == nullptr) {
    return refuse("no kind \"" + kind + "\" is registered for version \"" + version +
                  R"(" in scheme "pkg/runtime/scheme.go:110")");
  }
  if (kind != resource.kind || version != resource.ApiVersion()) {
    return refuse("converting (" + version + "." + kind + ") to (" + InternalGroup(resource) + "." +
                  std::string(resource.kind) + "): unknown conversion");
  }
  if (const auto why = FindTypeError(resource, *object)) {
    return tl::unexpected(CannotBeHandled(resource, *why));
  }
  return object;
}

void Normalise(const Resource& resource, JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  JsonValue& metadata = Ensure(object, "metadata", allocator);
  DropNulls(metadata);
  for (const char* const key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    DropEmpty(metadata, key);
  }
  if (resource.custom) return;  // kept as it was given
  DropNulls(object);
  for (const char* const key : {"data", "binaryData", "webhooks"}) DropEmpty(object, key);
  JsonDocument zero(&allocator);
  zero.Parse(resource.zero.data(), resource.zero.size());
  AddMissing(object, zero, allocator);
}

}  // namespace apiserver
