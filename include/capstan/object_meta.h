// SPDX-License-Identifier: Apache-2.0
// ObjectMeta is the metadata of an object that a program reads and writes. A kind that has a member
// `ObjectMeta metadata` keeps it, and costs about 500 bytes more for each cached object. A kind
// without that member keeps the identity of its objects only.
//
// Mirrors metav1.ObjectMeta. Differs: no managedFields, which are never kept, and no selfLink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/export.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/projection.h"
#include "capstan/time.h"

namespace capstan {

class DecodeProblem;

// OwnerReference names an object in the same namespace, or a cluster-scoped one, that owns this
// one.
struct CAPSTAN_EXPORT OwnerReference {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};
  bool controller = false;
  bool block_owner_deletion = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct CAPSTAN_EXPORT ObjectMeta {
  std::string name = {};
  std::string generate_name = {};  // the server appends a suffix if `name` is empty
  std::string namespace_ = {};     // empty: cluster-scoped
  std::string uid = {};
  std::string resource_version = {};
  std::int64_t generation = 0;
  std::optional<Time> creation_timestamp = {};
  std::optional<Time> deletion_timestamp = {};
  std::optional<std::int64_t> deletion_grace_period_seconds = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<OwnerReference> owner_references = {};
  std::vector<std::string> finalizers = {};
  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// Returns the paths of ObjectMeta below "metadata" in an object.
CAPSTAN_EXPORT const std::vector<runtime::Projection::Path>& ObjectMetaPaths();

// Reads the value of "metadata". Returns false and names the path below "metadata" in `problem`
// when a field has the wrong type.
CAPSTAN_EXPORT bool DecodeObjectMeta(const runtime::JsonValue& metadata, ObjectMeta& to,
                                     DecodeProblem& problem);

// Writes the object "metadata". Empty fields are omitted.
CAPSTAN_EXPORT void EncodeObjectMeta(runtime::JsonWriter& writer, const ObjectMeta& metadata);

// Returns the heap bytes of the fields, without sizeof(ObjectMeta).
CAPSTAN_EXPORT std::size_t HeapBytesOf(const ObjectMeta& metadata);

}  // namespace capstan
