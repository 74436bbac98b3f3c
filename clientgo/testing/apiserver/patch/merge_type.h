// SPDX-License-Identifier: Apache-2.0
// MergeType is the type of a value for server-side apply: what is valid, which maps and lists are
// atomic, and what identifies the items of a list. Built-in kinds have the types of api_types.inc.
// A custom kind has those of its schema (x-kubernetes-list-type, x-kubernetes-list-map-keys,
// x-kubernetes-map-type). Mirrors schema.Atom of sigs.k8s.io/structured-merge-diff and
// k8s.io/kube-openapi/pkg/schemaconv. A MergeType is valid as long as the resource.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

class MergeType {
 public:
  enum class Scalar { kNone, kString, kNumeric, kBoolean, kUntyped };
  // Form is what a value is merged as. kNone: the type allows no value.
  enum class Form { kNone, kScalar, kList, kMap };

  MergeType() = default;  // any value; maps are granular, lists atomic
  explicit MergeType(const Resource& resource);

  // Returns the form of a value; `value` is null if it is missing. A value that is missing or has a
  // wrong type has the first form that the type allows: map, scalar or list.
  Form FormOf(const runtime::JsonValue* value) const;
  Scalar scalar() const { return scalar_; }
  bool IsAtomicMap() const { return atomic_map_; }
  bool IsAtomicList() const { return atomic_list_; }

  // Returns the type of a member. An undeclared member of a struct has a type that allows nothing.
  MergeType Member(std::string_view name) const;
  bool Declares(std::string_view name) const;
  MergeType Items() const;

  struct Element {
    std::string path = {};   // k:{"name":"a"}, or v:"a" in a set
    std::string error = {};  // why the item has no path
  };
  // Returns the path element of an item of a list that is not atomic.
  Element ItemElement(const runtime::JsonValue& item) const;

 private:
  enum class Source {
    kNothing,
    kDeduced,  // any value, with granular maps
    kAtomic,   // any value, with atomic maps and lists
    kScalar,
    kMessage,
    kField,
    kSchema,
  };

  explicit MergeType(Source source);
  explicit MergeType(Scalar scalar);
  explicit MergeType(const runtime::Message& message);
  // Makes the type of a field's value. With `element`, it is the type of one item of the field's
  // list or map.
  MergeType(const runtime::Field& field, bool element);
  MergeType(const runtime::JsonValue& schema, bool preserved, bool whole);

  std::vector<std::string_view> Keys() const;
  // Returns the default of a member in the form that PathText returns.
  std::optional<std::string> DefaultOf(std::string_view name) const;
  void AllowAny(bool atomic_map);

  Source source_ = Source::kDeduced;
  const runtime::Message* message_ = nullptr;
  const runtime::Field* field_ = nullptr;
  const runtime::JsonValue* schema_ = nullptr;
  bool preserved_ = false;  // the schema keeps undeclared members
  bool whole_ = false;      // the schema is that of an object with a kind and metadata
  Scalar scalar_ = Scalar::kUntyped;
  bool list_ = true;
  bool map_ = true;
  bool atomic_list_ = true;
  bool atomic_map_ = false;
};

// Reports whether a value is a number, a string or a boolean.
bool IsScalar(const runtime::JsonValue& value);

// Returns a scalar as Go's encoder writes it. Path elements show scalars in this form.
std::string PathText(const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver
