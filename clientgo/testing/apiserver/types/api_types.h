// SPDX-License-Identifier: Apache-2.0
// The fields of built-in kinds: names in JSON, numbers in protobuf, types, and how a patch merges
// them. hack/api_types.py writes the table from Kubernetes' Go types. It is parsed once, at the
// first use, and is then constant, so any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

enum class FieldType {
  kMessage,
  kString,
  kBytes,  // base64 in JSON
  kInt32,
  kInt64,
  kBool,
  kDouble,
  kIntOrString,
  kQuantity,
  kTime,
  kMicroTime,
  kDuration,
  kJson,  // any value: RawExtension, FieldsV1
};

struct Message;

struct Field {
  enum class Shape { kOne, kList, kMap };
  // Merge is how server-side apply merges a field. A list is kAtomic, kSet or kMap. A map or struct
  // is kAtomic or kGranular. kDefault means that the type of the
  // field decides.
  enum class Merge { kDefault, kAtomic, kGranular, kSet, kMap };

  std::string_view name = {};  // empty: the message's fields are members of the owner
  std::uint32_t number = 0;    // 0: not in protobuf
  FieldType type = FieldType::kMessage;
  Shape shape = Shape::kOne;
  bool pointer = false;    // Go distinguishes the zero value from a missing one
  bool omit_zero = false;  // Go's encoder omits the zero value
  bool required = false;   // in OpenAPI
  bool object = false;     // of kJson: only objects
  const Message* message = nullptr;
  std::string_view patch_strategy = {};  // "merge", "retainKeys", "merge,retainKeys"
  std::string_view merge_key = {};
  Merge merge = Merge::kDefault;
  std::vector<std::string_view> list_keys = {};        // of Merge::kMap
  std::optional<std::string_view> default_value = {};  // of a key of a list, without quotes
};

inline constexpr std::string_view kSchemaField = "schema";

struct Message {
  // Union is a JSON Schema value with several forms. One is a schema: the field kSchemaField.
  enum class Union { kNone, kSchemaOrList, kSchemaOrBool, kSchemaOrStrings };

  std::string_view name = {};  // "core.v1.Pod"
  std::vector<Field> fields = {};
  Union form = Union::kNone;
  bool atomic = false;  // server-side apply replaces it as a whole

  // Return null for an unknown field. A name may be in an inlined message.
  const Field* Find(std::string_view json_name) const;
  const Field* Find(std::uint32_t number) const;
};

// Return null for a kind that is not in the table.
const Message* FindMessage(std::string_view api_version, std::string_view kind);
const Message* FindMessage(const Resource& resource);

// Returns the JSON that Go's encoder writes for an empty object of this kind, without its type and
// metadata. "{}" for a custom resource.
std::string_view ZeroJson(const Resource& resource);

}  // namespace capstan::testing::apiserver
