// SPDX-License-Identifier: Apache-2.0
// FieldSet: a set of field paths, as metadata.managedFields records who owns what. A node is a
// member, or only on the way to members. Values.
//
// Mirrors sigs.k8s.io/structured-merge-diff/fieldpath. Differs: no schemas; which lists are maps is
// told by their field's name (ListKey in resources.h), which is enough for the kinds served here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json_edit.h"

namespace apiserver {

struct FieldSet {
  bool member = false;
  std::map<std::string, FieldSet> children;  // "f:name", "k:{..}" for a list item, "v:.."

  bool empty() const { return !member && children.empty(); }
  void Add(const FieldSet& other);
  void Subtract(const FieldSet& other);
  FieldSet Intersect(const FieldSet& other) const;
  // As people read them: `.webhooks[name="a"].clientConfig.caBundle`.
  std::vector<std::string> Paths() const;

  static FieldSet FromJson(const JsonValue& fields_v1);
  JsonValue ToJson(JsonAllocator& allocator) const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// The path element of a list item that `key` tells apart: k:{"name":"a"}. Empty when it has none.
std::string ItemElement(const JsonValue& item, std::string_view key);
// The member as a path element: "f:" + name.
std::string FieldElement(const JsonValue& name);
// The items of a list of `field` have path elements: a keyed list of objects, or a set.
bool IsKeyedList(const JsonValue& list, std::string_view field);

// The fields that an applied configuration asks for.
FieldSet FieldsOf(const JsonValue& configuration);

struct Comparison {
  FieldSet changed;  // added or modified
  FieldSet removed;
  bool empty() const { return changed.empty() && removed.empty(); }
};
// What differs between two objects, leaving out what the server owns (name, uid, generation, ...).
Comparison Compare(const JsonValue& before, const JsonValue& after);

}  // namespace apiserver
