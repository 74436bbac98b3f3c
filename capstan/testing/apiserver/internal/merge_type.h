// SPDX-License-Identifier: Apache-2.0
// MergeType is how server-side apply merges a value: which maps are atomic, and what identifies the
// items of a list. The schema of a custom kind declares it (x-kubernetes-list-type,
// x-kubernetes-list-map-keys, x-kubernetes-map-type). For built-in kinds, for metadata and for
// kinds without a schema the name of the field decides, which is enough for the kinds served here.
// Mirrors the types of sigs.k8s.io/structured-merge-diff. A MergeType is valid as long as the
// resource and the name of the field.
#pragma once

#include <string>
#include <string_view>

#include "capstan/testing/apiserver/internal/json_edit.h"
#include "capstan/testing/apiserver/internal/resources.h"

namespace capstan::testing::apiserver {

class MergeType {
 public:
  MergeType() = default;  // a whole object; the names of its fields decide
  explicit MergeType(const Resource& resource);

  MergeType Member(std::string_view name) const;
  MergeType Items() const;

  bool IsAtomicMap() const;
  // Returns the path element of an item: k:{"name":"a"}, or v:"a" in a set. Empty: the item has no
  // key, or the list is atomic.
  std::string ItemElement(const JsonValue& item) const;
  // Reports whether the items of a list have path elements: list type map or set.
  bool IsKeyedList(const JsonValue& list) const;

 private:
  MergeType(const JsonValue* schema, std::string_view field) : schema_(schema), field_(field) {}

  const JsonValue* schema_ = nullptr;  // null: the name decides
  std::string_view field_ = {};
  bool root_ = false;  // of an object with a schema
};

}  // namespace capstan::testing::apiserver
