// SPDX-License-Identifier: Apache-2.0
// ObjectMetadata is the identity and a few annotations of an object of any kind. The client
// requests PartialObjectMetadata, so the server does not send spec, status and data.
//
// An object without the kept annotations needs memory only for its identity. Immutable, so threads
// can share it. Mirrors metav1.PartialObjectMetadata and client-go's metadata client.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/packed_string_map.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::api {

class CAPSTAN_EXPORT ObjectMetadata : public runtime::Object {
 public:
  using runtime::Object::Object;
  // Returns nullopt if the object does not have the annotation or the type does not keep it.
  virtual std::optional<std::string_view> Annotation(std::string_view /*name*/) const {
    return std::nullopt;
  }
};

struct CAPSTAN_EXPORT MetadataTypeOptions {
  runtime::GroupVersionResource gvr;
  std::string kind;
  bool namespaced = false;
  std::vector<std::string> annotations = {};  // the annotations to keep
  // The bytes of their values to keep in one object. See PackedStringMap: a longer value is cut.
  std::size_t annotation_bytes_max = PackedStringMap::kNoLimit;
};

// Returns a type whose objects are ObjectMetadata.
CAPSTAN_EXPORT runtime::ResourceType MakeMetadataType(MetadataTypeOptions options);

// Returns true when metadata.deletionTimestamp is set.
CAPSTAN_EXPORT bool IsDeleting(const runtime::JsonValue& object);

}  // namespace capstan::api
