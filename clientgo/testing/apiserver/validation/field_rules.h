// SPDX-License-Identifier: Apache-2.0
// Place is a place in an object, and FieldRules are the checks that many fields of built-in kinds
// share. The texts are those of kube-apiserver. Mirrors k8s.io/apimachinery/pkg/util/validation and
// its folder field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Place is a place in an object from a request. Its path is how error texts name it; that of the
// object is empty. The object must outlive it.
class Place {
 public:
  Place(const runtime::JsonValue& value, std::string path)
      : value_(&value), path_(std::move(path)) {}

  // Returns the member. It is not given if this is not an object or does not have it.
  Place operator[](std::string_view member) const;
  // Returns the value of a key of a map: "data[ca.crt]". It is not given if the map lacks it.
  Place Entry(std::string_view key) const;
  // Returns the keys of a map. The path of each is that of the map.
  std::vector<Place> Keys() const;
  // Returns the items of a list: "ports[0]", "ports[1]".
  std::vector<Place> Items() const;
  // Returns the same value at another path.
  Place At(std::string path) const { return {*value_, std::move(path)}; }

  bool Given() const { return !value_->IsNull(); }  // Go's decoder drops null, too
  const runtime::JsonValue& value() const { return *value_; }
  const std::string& path() const { return path_; }
  // Returns the text; empty when this is not a string.
  std::string_view Text() const;
  std::optional<std::int64_t> Number() const;
  bool IsTrue() const { return value_->IsTrue(); }
  // Returns the value as Go's encoder writes it: with sorted members, and "null" when not given.
  std::string Json() const;

 private:
  Place Find(std::string_view member) const;

  const runtime::JsonValue* value_;
  std::string path_;
};

// FieldRules adds one Cause for each broken rule.
class FieldRules {
 public:
  explicit FieldRules(std::vector<Cause>& causes) : causes_(causes) {}

  // Returns the causes, for rules that are not in this class.
  std::vector<Cause>& causes() const { return causes_; }

  // Reports whether the text is not empty. It must not be.
  bool RequireText(const Place& field, std::string_view detail = {});
  void NotNegative(const Place& field);
  void Between(const Place& field, std::int64_t least, std::int64_t most);
  // A text that is given has one of these values. They are in the order of the error text.
  void OneOf(const Place& field, std::initializer_list<std::string_view> values);
  // The text, which is empty when it is not given, has one of these values.
  void ValueOneOf(const Place& field, std::initializer_list<std::string_view> values);
  // A text is required, and has one of these values.
  void RequireOneOf(const Place& field, std::initializer_list<std::string_view> values);
  // The same for a field that Go has as a pointer: "" is a value, too.
  void GivenOneOf(const Place& field, std::initializer_list<std::string_view> values);
  // A text that is given is a DNS subdomain, or a DNS label.
  void Subdomain(const Place& field);
  void Label(const Place& field);
  // The keys and the values are those of labels.
  void Labels(const Place& labels);
  void LabelSelector(const Place& selector);
  // The field has not changed.
  void Immutable(const Place& live, const Place& next);

  void Required(const Place& field, std::string_view detail = {});
  // The value is wrong. The error shows it as JSON.
  void Invalid(const Place& field, std::string_view detail);
  // The same for each of the errors.
  void Invalid(const Place& field, const std::vector<std::string>& errors);
  // The error shows the text, also when the field is not given: "".
  void InvalidText(const Place& field, std::string_view detail);
  void InvalidText(const Place& field, const std::vector<std::string>& errors);
  // The error shows `json` instead of the value.
  void InvalidAs(const Place& field, const std::string& json, std::string_view detail);
  void Forbidden(const Place& field, std::string_view detail);
  void TooLong(const Place& field, std::size_t bytes_max);
  void TooMany(const Place& field, std::size_t given, std::size_t most);  // items of a list
  void Duplicate(const Place& field);
  void DuplicateAs(const Place& field, const std::string& json, std::string_view detail = {});
  // The field names something that does not exist.
  void Missing(const Place& field, std::string_view detail = {});
  void Unsupported(const Place& field, const std::string& json,
                   std::initializer_list<std::string_view> values);

 private:
  std::vector<Cause>& causes_;
};

}  // namespace capstan::testing::apiserver
