// SPDX-License-Identifier: Apache-2.0
// Value is one value of a YAML document, resolved as sigs.k8s.io/yaml does: its type does not
// depend on the reader. A Value is immutable after it was parsed. Aliases share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::yaml {

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

struct Member {
  std::string key;
  int line = 0;  // of the key
  ValuePtr value;
};

struct Value {
  enum class Type { kNull, kBool, kInt, kFloat, kString, kList, kMap };

  Type type = Type::kNull;
  int line = 0;                      // the first line is 1
  int depth = 0;                     // levels below this value
  bool boolean = false;              // kBool
  std::string text = {};             // kString; kInt and kFloat: the number in JSON
  std::vector<Member> members = {};  // kMap: each key once
  std::vector<ValuePtr> items = {};  // kList
  // The members of this map whose keys were given before, without their values. The last member of
  // each key is in `members`, as in Go.
  std::vector<Member> repeats = {};

  bool IsNumber() const { return type == Type::kInt || type == Type::kFloat; }
  // Returns false for .inf, -.inf and .nan, which are keys of JSON but no values.
  bool IsFinite() const {
    return type != Type::kFloat || (!text.starts_with('.') && !text.starts_with("-."));
  }
  bool IsNull() const { return type == Type::kNull; }
  bool IsString() const { return type == Type::kString; }
  bool IsList() const { return type == Type::kList; }
  bool IsMap() const { return type == Type::kMap; }
  bool IsScalar() const { return !IsList() && !IsMap(); }

  // Returns the member's value, or nullptr if this is not a map or has no such member.
  CAPSTAN_EXPORT_INTERNAL const Value* Find(std::string_view key) const;
};

// Returns the value as JSON. kInvalidArgument: more than 8 MiB, which aliases make possible in a
// short document.
CAPSTAN_EXPORT_INTERNAL Expected<std::string> ToJson(const Value& value);

}  // namespace capstan::yaml
