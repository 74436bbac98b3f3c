// SPDX-License-Identifier: Apache-2.0
// ObjectMetadata: an object of any kind of which only the identity and a few annotations are
// wanted. The server is asked for PartialObjectMetadata, so spec, status and data are not even
// sent.
//
// An object that has none of the kept annotations costs nothing beyond its identity.
// Immutable; safe to read from any thread. Mirrors metav1.PartialObjectMetadata and client-go's
// metadata client.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_value.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class ObjectMetadata : public runtime::Object {
 public:
  using runtime::Object::Object;
  // nullopt when the object does not have it, or the type does not keep it.
  virtual std::optional<std::string_view> Annotation(std::string_view /*name*/) const {
    return std::nullopt;
  }
};

struct MetadataTypeOptions {
  runtime::GroupVersionResource gvr;
  std::string kind;
  bool namespaced = false;
  std::vector<std::string> annotations = {};  // those to keep
};

// The type whose objects are ObjectMetadata.
runtime::ResourceType MakeMetadataType(MetadataTypeOptions options);

// Returns true when metadata.deletionTimestamp is set.
bool IsDeleting(const runtime::JsonValue& object);

}  // namespace clientgo::api
