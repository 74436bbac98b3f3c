// SPDX-License-Identifier: Apache-2.0
// Correlation is a value in an object of an update, together with the value that it was before.
// Members of objects have the same name, and elements of a list of the type "map" the same keys;
// the elements of other lists are not correlated. Mirrors
// k8s.io/apiserver/pkg/cel/common/equality.go and maplist.go.
#pragma once

#include <cstddef>
#include <string_view>

#include "clientgo/cel/schema.h"
#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

// Reports whether Go reads a number as a float64: one with a fraction or an exponent, or one
// outside of the range of int64.
bool IsFloat(const runtime::JsonValue& value);
// Reports whether two values are equal and have the same types in Go: 1 and 1.0 differ.
bool DeepEqual(const runtime::JsonValue& a, const runtime::JsonValue& b);

// Returns the element of the old list that has the keys of `element`; null: there is none, or the
// list does not have the type "map".
const runtime::JsonValue* FindCorrelated(const cel::Schema& list, const runtime::JsonValue* old,
                                         const runtime::JsonValue& element);

class Correlation {
 public:
  // `old` is null for a new object. All of them must outlive the Correlation.
  Correlation(const runtime::JsonValue& value, const runtime::JsonValue* old,
              const cel::Schema& schema);

  Correlation Member(std::string_view name) const;
  Correlation Item(std::size_t index) const;
  // Returns the same for the rules of an allOf, which compare the value around it.
  Correlation OfAllOf() const;

  // Reports whether it is known what the value was before.
  bool IsCorrelated() const { return current_.value != nullptr; }
  // Reports whether the value, or else the nearest value around it that is correlated, is what it
  // was before.
  bool IsUnchanged() const;

 private:
  struct Pair {
    const runtime::JsonValue* value = nullptr;  // null: not correlated
    const runtime::JsonValue* old = nullptr;
    const cel::Schema* schema = nullptr;
  };
  Correlation(Pair current, Pair around) : current_(current), around_(around) {}
  static Pair MemberOf(const Pair& pair, std::string_view name);
  static Pair ItemOf(const Pair& pair, std::size_t index);
  static bool Same(const Pair& pair);

  Pair current_;
  Pair around_;
};

}  // namespace capstan::testing::apiserver
