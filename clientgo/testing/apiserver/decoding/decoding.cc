// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/decoding.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/decoding/type_defaults.h"
#include "clientgo/testing/apiserver/patch/merge_type.h"
#include "clientgo/testing/apiserver/patch/typed_value.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/go_fields.h"
#include "clientgo/testing/apiserver/types/go_values.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

std::string CannotUnmarshal(const runtime::JsonValue& value, const std::string& field,
                            std::string_view type) {
  return "json: cannot unmarshal " + std::string(JsonTypeName(value)) + " into Go struct field " +
         field + " of type " + std::string(type);
}

// Checks a map[string]string, or with `bytes` a map[string][]byte.
std::optional<std::string> CheckMap(const runtime::JsonValue* map, const std::string& field,
                                    bool bytes) {
  if (map == nullptr || map->IsNull()) return std::nullopt;
  if (!map->IsObject()) {
    return CannotUnmarshal(*map, field, bytes ? "map[string][]uint8" : "map[string]string");
  }
  for (const auto& member : map->GetObject()) {
    const runtime::JsonValue& value = member.value;
    if (value.IsNull()) continue;
    if (!value.IsString()) return CannotUnmarshal(value, field, bytes ? "[]uint8" : "string");
    if (!bytes) continue;
    if (auto error = FindBadValue(runtime::FieldType::kBytes, value)) return error;
  }
  return std::nullopt;
}

std::optional<std::string> CheckMetadata(const Resource& resource,
                                         const runtime::JsonValue& object) {
  const runtime::JsonValue* const metadata = runtime::Find(object, "metadata");
  if (metadata == nullptr || metadata->IsNull()) return std::nullopt;
  if (!metadata->IsObject()) {
    return CannotUnmarshal(*metadata, std::string(resource.kind) + ".metadata", "v1.ObjectMeta");
  }
  for (const char* const key : {"name", "generateName", "namespace", "uid", "resourceVersion"}) {
    const runtime::JsonValue* const text = runtime::Find(*metadata, key);
    if (text == nullptr || text->IsNull() || text->IsString()) continue;
    return CannotUnmarshal(*text, std::string("ObjectMeta.metadata.") + key,
                           key == std::string_view("uid") ? "types.UID" : "string");
  }
  for (const char* const key : {"labels", "annotations"}) {
    auto error =
        CheckMap(runtime::Find(*metadata, key), std::string("ObjectMeta.metadata.") + key, false);
    if (error) return error;
  }
  return FindWrongType(ObjectMeta(), *metadata, "metadata");
}

// Returns the first bytes of a body as text or in hexadecimal.
std::string Summary(std::string_view body) {
  constexpr std::size_t kLengthMax = 30;
  constexpr std::string_view kHex = "0123456789abcdef";
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kLengthMax);
  std::string text;
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHex[byte >> 4U];
    text += kHex[byte & 0xfU];
  }
  if (body.front() == '{') text = shown;
  return body.size() > kLengthMax ? text + " ..." : text;
}

void DropEmpty(runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* const value = runtime::Find(object, key);
  if (value != nullptr && IsEmptyContainer(*value)) Remove(object, key);
}

void AddMissing(runtime::JsonValue& object, const runtime::JsonValue& zero,
                JsonAllocator& allocator) {
  for (const auto& member : zero.GetObject()) {
    runtime::JsonValue* const existing = FindMutable(object, runtime::ToView(member.name));
    if (existing == nullptr) {
      Set(object, runtime::ToView(member.name), runtime::JsonValue(member.value, allocator),
          allocator);
    } else if (existing->IsObject() && member.value.IsObject()) {
      AddMissing(*existing, member.value, allocator);
    }
  }
}

// Returns why an object cannot be of the kind of a CustomResourceDefinition; nullopt: it can.
std::optional<Status> CheckCustomType(const Resource& resource, const runtime::JsonValue& object,
                                      std::string_view body) {
  const std::string version(runtime::GetString(object, "apiVersion"));
  const std::string kind(runtime::GetString(object, "kind"));
  if (kind.empty()) {
    return BadRequest("the object provided is unrecognized (must be of type " +
                      std::string(resource.kind) + "): Object 'Kind' is missing in '" +
                      std::string(body) + "' (" + Summary(body) + ")");
  }
  if (version != resource.ApiVersion()) {
    return BadRequest("the API version in the data (" + version +
                      ") does not match the expected API version (" + resource.ApiVersion() + ")");
  }
  if (kind == resource.kind) return std::nullopt;
  Resource other = resource;
  other.kind = kind;
  return Invalid(other, Metadata(object, "name"),
                 {InvalidValue("kind", kind, "must be " + std::string(resource.kind))});
}

// Returns a kind as Go's schema.GroupVersionKind writes it: "/v1, Kind=Secret".
std::string GoKind(const Resource& resource) {
  return (resource.group.empty() ? "/" : "") + resource.ApiVersion() +
         ", Kind=" + std::string(resource.kind);
}

// Returns the object's name as Go's field manager shows it: "ns/a; apps/v1, Kind=Deployment".
std::string FullName(const Resource& resource, const runtime::JsonValue& object) {
  std::string text(Metadata(object, "namespace"));
  return text.append("/").append(Metadata(object, "name")).append("; ").append(GoKind(resource));
}

// Reports whether Go's decoder finds a list of managers. It ignores a list with other items.
bool HasManagers(const runtime::JsonValue& object) {
  const runtime::JsonValue* const managers =
      runtime::FindPath(object, {"metadata", "managedFields"});
  return managers != nullptr && managers->IsArray() &&
         std::all_of(managers->Begin(), managers->End(),
                     [](const runtime::JsonValue& item) { return item.IsObject(); });
}

}  // namespace

std::optional<std::string> FindTypeError(const Resource& resource,
                                         const runtime::JsonValue& object) {
  if (auto error = CheckMetadata(resource, object)) return error;
  if (resource.custom) return std::nullopt;  // its schema is all; its kind may be a built-in one's
  if (resource.find_type_error != nullptr) {
    if (auto error = resource.find_type_error(object)) return error;
  }
  const runtime::Message* const message = FindMessage(resource);
  if (message == nullptr) return std::nullopt;
  return FindWrongType(*message, object);
}

std::vector<std::string> PruneUnknown(const Resource& resource, runtime::JsonDocument& object) {
  if (resource.schema == nullptr) return DropUndecoded(FindMessage(resource), object);
  std::vector<std::string> warnings;
  runtime::JsonValue* const metadata = FindMutable(object, "metadata");
  if (metadata != nullptr && metadata->IsObject()) {
    for (std::string& undecoded : DropUndecoded(&ObjectMeta(), *metadata)) {
      warnings.push_back(undecoded.insert(undecoded.find('"') + 1, "metadata."));
    }
  }
  for (const std::string& path : resource.schema->Prune(object)) {
    warnings.push_back("unknown field \"" + path + "\"");
  }
  return warnings;
}

std::optional<Status> CheckApplied(const Resource& resource,
                                   const runtime::JsonValue& configuration) {
  const runtime::JsonValue* const found = runtime::Find(configuration, "metadata");
  const std::string kind(resource.kind);
  if (found != nullptr && !found->IsObject() && !found->IsNull()) {
    return BadRequest(kind + " in version \"" + std::string(resource.version) +
                      "\" cannot be handled as a " + kind + ": " +
                      *FindTypeError(resource, configuration));
  }
  if (HasManagers(configuration)) return BadRequest("metadata.managedFields must be nil");
  const std::string why = TypeErrorText(configuration, MergeType(resource));
  if (why.empty()) return std::nullopt;
  return InternalError("failed to create typed patch object (" + FullName(resource, configuration) +
                       "): " + why);
}

std::optional<Status> CheckConvertible(const Resource& resource,
                                       const runtime::JsonValue& configuration) {
  auto why = FindTypeError(resource, configuration);
  if (!why) return std::nullopt;
  if (why->starts_with("illegal base64")) why->insert(0, "error decoding from json: ");
  const std::string kind = GoKind(resource);
  return InternalError("failed to convert new object (" + FullName(resource, configuration) +
                       ") to proper version: unable to convert unstructured object to " + kind +
                       ": " + *why);
}

std::string InternalGroup(const Resource& resource) {
  if (resource.group.empty()) return "core";
  return std::string(resource.group.substr(0, resource.group.find('.')));
}

std::string RepeatsError(const std::vector<std::string>& repeats) {
  return "yaml: unmarshal errors:\n  " + Join(repeats, "\n  ");
}

Result<DecodedObject> DecodeObject(const Resource& resource, std::string_view body, bool strict,
                                   const std::vector<std::string>& repeats) {
  std::string error;
  auto object = ParseJson(body, &error, Repeats::kKeepAll);
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
  std::vector<std::string> warnings = DropUndecoded(FindMessage(resource), *object);
  const std::string api_version(runtime::GetString(*object, "apiVersion"));
  const std::string version = api_version.empty() ? resource.ApiVersion() : api_version;
  const std::string given_kind(runtime::GetString(*object, "kind"));
  const std::string kind = given_kind.empty() ? std::string(resource.kind) : given_kind;
  const auto reject = [&](const std::string& why) {
    return tl::unexpected(
        BadRequest(kind + " in version \"" + version.substr(version.find('/') + 1) +
                   "\" cannot be handled as a " + std::string(resource.kind) + ": " + why));
  };
  if (resource.schema != nullptr) {
    if (auto status = CheckCustomType(resource, *object, body)) return tl::unexpected(*status);
  } else if (FindKind(version, kind) == nullptr) {
    return reject("no kind \"" + kind + "\" is registered for version \"" + version +
                  R"(" in scheme "pkg/runtime/scheme.go:110")");
  }
  if (kind != resource.kind || version != resource.ApiVersion()) {
    return reject("converting (" + version + "." + kind + ") to (" + InternalGroup(resource) + "." +
                  std::string(resource.kind) + "): unknown conversion");
  }
  DecodedObject decoded{.object = std::move(object), .warnings = std::move(warnings)};
  if (const auto why = FindTypeError(resource, *decoded.object)) return reject(*why);
  if (resource.schema != nullptr) {
    for (std::string& warning : PruneUnknown(resource, *decoded.object)) {
      decoded.warnings.push_back(std::move(warning));
    }
  }
  if (!repeats.empty()) {
    const auto first = decoded.warnings.begin();
    if (strict) decoded.warnings.insert(first, RepeatsError(repeats));
    if (!strict) decoded.warnings.insert(first, repeats.begin(), repeats.end());
  }
  if (!strict || decoded.warnings.empty()) return decoded;
  return reject("strict decoding error: " + Join(decoded.warnings, ", "));
}

void Normalise(const Resource& resource, runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  const runtime::Message* const message = resource.custom ? nullptr : FindMessage(resource);
  if (message != nullptr) FillNulls(*message, object);
  runtime::JsonValue& metadata = Ensure(object, "metadata", allocator);
  FillNulls(ObjectMeta(), metadata);
  DropNulls(metadata);
  for (const char* const key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    DropEmpty(metadata, key);
  }
  if (resource.custom) return;
  DropNulls(object);
  if (message != nullptr) DropOmitted(*message, object);
  runtime::JsonDocument zero(&allocator);
  const std::string_view zero_json = ZeroJson(resource);
  zero.Parse(zero_json.data(), zero_json.size());
  AddMissing(object, zero, allocator);
}

std::vector<std::string> DropRepeatedOwners(runtime::JsonDocument& object, std::string_view when) {
  runtime::JsonValue* const owners = FindMutablePath(object, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->IsArray()) return {};
  std::string uids;
  std::map<std::string_view, std::vector<rapidjson::SizeType>> kept_of;  // for each UID
  rapidjson::SizeType kept = 0;
  for (rapidjson::SizeType i = 0; i < owners->Size(); ++i) {
    runtime::JsonValue& owner = (*owners)[i];
    const std::string_view uid = runtime::GetString(owner, "uid");
    auto& same = kept_of[uid];
    if (std::any_of(same.begin(), same.end(),
                    [&](rapidjson::SizeType other) { return (*owners)[other] == owner; })) {
      uids += (uids.empty() ? "" : ", ") + std::string(uid);
      continue;
    }
    same.push_back(kept);
    if (kept != i) (*owners)[kept].Swap(owner);
    ++kept;
  }
  while (owners->Size() > kept) owners->PopBack();
  if (uids.empty()) return {};
  return {".metadata.ownerReferences contains duplicate entries" + std::string(when) +
          "; API server dedups owner references in 1.20+, and may reject such requests as early as "
          "1.24; please fix your requests; duplicate UID(s) observed: " +
          uids};
}

void ApplyDefaults(const Resource& resource, runtime::JsonDocument& object) {
  if (resource.schema != nullptr) resource.schema->SetDefaults(object);
  if (resource.set_defaults != nullptr) resource.set_defaults(object);
  const runtime::Message* const message = FindMessage(resource);
  if (message != nullptr) SetTypeDefaults(*message, object);
}

std::optional<std::string> FindConfigMapTypeError(const runtime::JsonValue& object) {
  if (auto error = CheckMap(runtime::Find(object, "data"), "ConfigMap.data", false)) return error;
  return CheckMap(runtime::Find(object, "binaryData"), "ConfigMap.binaryData", true);
}

std::optional<std::string> FindSecretTypeError(const runtime::JsonValue& object) {
  if (auto error = CheckMap(runtime::Find(object, "data"), "Secret.data", true)) return error;
  return CheckMap(runtime::Find(object, "stringData"), "Secret.stringData", false);
}

}  // namespace capstan::testing::apiserver
