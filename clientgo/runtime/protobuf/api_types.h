// SPDX-License-Identifier: Apache-2.0
// The fields of built-in kinds: names in JSON, numbers in protobuf, types, and how a patch merges
// them. hack/api_types.py writes the table from Kubernetes' Go types. A message is parsed when its
// fields are first read, and is then constant; any thread may read it. So a program pays for the
// messages that it reads: about 150 bytes a field.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/export.h"

namespace capstan::runtime {

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
  kJson,     // any value: RawExtension, FieldsV1
  kStrings,  // a list of strings in a message of its own, such as ExtraValue
};

class Message;

struct Field {
  enum class Shape { kOne, kList, kMap };
  // Merge is how server-side apply merges a field. A list is kAtomic, kSet or kMap. A map or struct
  // is kAtomic or kGranular. With kDefault, the type of the field decides.
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

class Message {
 public:
  // Union is a JSON Schema value with several forms. One is a schema: the field kSchemaField.
  enum class Union { kNone, kSchemaOrList, kSchemaOrBool, kSchemaOrStrings };

  // `line` is the message's line of the table. REQUIRES: `group` and `line` are constants.
  Message(std::string_view name, std::string_view group, std::string_view line);

  std::string_view name() const { return name_; }  // "core.v1.Pod"
  bool is_kind() const { return is_kind_; }
  std::string_view group() const { return group_; }
  Union form() const { return form_; }
  // Returns the message of the objects among its values: of a union, that of its schema.
  const Message& OfObjects() const {
    return form_ == Union::kNone ? *this : *Find(kSchemaField)->message;
  }
  bool atomic() const { return atomic_; }  // server-side apply replaces it as a whole
  CAPSTAN_EXPORT_INTERNAL const std::vector<Field>& fields() const;

  // Return null for an unknown field. A name may be in an inlined message.
  CAPSTAN_EXPORT_INTERNAL const Field* Find(std::string_view json_name) const;
  CAPSTAN_EXPORT_INTERNAL const Field* Find(std::uint32_t number) const;

 private:
  const std::string name_;
  const std::string_view group_;
  std::string_view line_;  // its fields
  bool is_kind_ = false;
  bool has_kind_fields_ = false;  // kind, apiVersion and metadata
  bool atomic_ = false;
  Union form_ = Union::kNone;
  mutable std::once_flag parsed_;
  mutable std::vector<Field> fields_;
  mutable std::vector<std::uint8_t> by_number_;  // the index in fields_, and 1; 0: none
};

// Returns null for a message that is not in the table. A Message lives as long as the program.
CAPSTAN_EXPORT_INTERNAL const Message* MessageNamed(std::string_view name);

// Returns null for a kind that is not in the table: a custom resource, or a kind of an alpha
// version.
CAPSTAN_EXPORT_INTERNAL const Message* FindMessage(std::string_view api_version,
                                                   std::string_view kind);

}  // namespace capstan::runtime
