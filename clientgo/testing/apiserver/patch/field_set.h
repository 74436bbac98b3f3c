// SPDX-License-Identifier: Apache-2.0
// FieldSet is a set of field paths, as metadata.managedFields stores it. Mirrors fieldpath.Set of
// sigs.k8s.io/structured-merge-diff.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/patch/merge_type.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// A node is a member of the set, or only a step on the way to members.
struct FieldSet {
  bool member = false;
  std::map<std::string, FieldSet> children;  // "f:name", "k:{..}" for a list item, "v:.."

  bool empty() const { return !member && children.empty(); }
  // Returns the paths below the element, or nullptr if there are none.
  const FieldSet* Below(const std::string& element) const;
  void Add(const FieldSet& other);
  void Subtract(const FieldSet& other);
  FieldSet Intersect(const FieldSet& other) const;
  // Removes nodes that lead to no member.
  void Prune();
  // Returns the set with the declared fields that lead to its members. Mirrors
  // EnsureNamedFieldsAreMembers.
  FieldSet WithDeclared(const MergeType& type) const;
  // Returns readable paths: `.webhooks[name="a"].clientConfig.caBundle`.
  std::vector<std::string> Paths() const;

  static FieldSet FromJson(const runtime::JsonValue& fields_v1);
  runtime::JsonValue ToJson(JsonAllocator& allocator) const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// Returns the path element of an object's member: "f:" + name.
std::string FieldElement(std::string_view name);

// Returns `[name="a",port=1]` for `k:{"name":"a","port":1}`, `.x` for `f:x`, `[="a"]` for `v:"a"`.
std::string ReadableElement(const std::string& element);

}  // namespace capstan::testing::apiserver
