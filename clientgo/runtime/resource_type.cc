// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/resource_type.h"

#include <string>

#include "capstan/text.h"
#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

// The API server limits names to 253 bytes and namespaces to 63, except for kinds with free-text
// names (RBAC). This limit is far above these values and far below the 16-bit lengths of Object.
constexpr std::size_t kFieldBytesMax = 4096;

Expected<std::string_view> IdentityText(const JsonValue& metadata, std::string_view key) {
  const JsonValue* value = Find(metadata, key);
  if (value == nullptr || value->IsNull()) return std::string_view();
  std::string problem = "is not a string";
  if (value->IsString()) {
    if (value->GetStringLength() <= kFieldBytesMax) return ToView(*value);
    problem = "has " + std::to_string(value->GetStringLength()) + " bytes, the limit is " +
              std::to_string(kFieldBytesMax);
  }
  return Err(ErrorReason::kDecode, "metadata." + std::string(key) + " " + problem);
}

// Appends one path segment. Escaping keeps an invalid name from changing the path.
void AppendSegment(std::string& path, std::string_view segment) {
  path += '/';
  path += PercentEncode(segment, "-._~:@");
}

}  // namespace

std::string ResourceType::Path(std::string_view ns, std::string_view name,
                               std::string_view subresource) const {
  std::string path = gvr.group.empty() ? "/api/" : "/apis/" + gvr.group + "/";
  path += gvr.version;
  if (namespaced && !ns.empty()) {
    path += "/namespaces";
    AppendSegment(path, ns);
  }
  AppendSegment(path, gvr.resource);
  if (!name.empty()) AppendSegment(path, name);
  if (!subresource.empty()) AppendSegment(path, subresource);
  return path;
}

Expected<ObjectIdentity> DecodeIdentity(const JsonValue& object) {
  const JsonValue* metadata = Find(object, "metadata");
  if (metadata == nullptr) return Err(ErrorReason::kDecode, "object has no metadata");
  const auto ns = IdentityText(*metadata, "namespace");
  const auto name = IdentityText(*metadata, "name");
  const auto uid = IdentityText(*metadata, "uid");
  const auto version = IdentityText(*metadata, "resourceVersion");
  for (const auto* field : {&ns, &name, &uid, &version}) {
    if (!*field) return Err(field->error());
  }
  if (name->empty()) return Err(ErrorReason::kDecode, "object has no metadata.name");
  return ObjectIdentity{
      .namespace_ = *ns, .name = *name, .uid = *uid, .resource_version = *version};
}

}  // namespace capstan::runtime
