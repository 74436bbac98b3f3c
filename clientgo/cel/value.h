// SPDX-License-Identifier: Apache-2.0
// Value is a value of CEL while an expression is evaluated. An error is a value, too, because ||
// and
// && ignore the error of one side. Lists and maps are shared and immutable, so a Value is cheap to
// copy. Mirrors cel-go's common/types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "clientgo/cel/type.h"

namespace capstan::cel {

class Value;

// Timestamp is a point in time between the years 1 and 9999.
struct Timestamp {
  std::int64_t seconds = 0;  // since 1970
  std::int32_t nanos = 0;    // at least 0
  std::int32_t offset = 0;   // seconds to the east of UTC, where the time was written
  // Two times are equal even if they have different offsets.
  friend bool operator==(const Timestamp& a, const Timestamp& b) {
    return a.seconds == b.seconds && a.nanos == b.nanos;
  }
  friend bool operator<(const Timestamp& a, const Timestamp& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanos < b.nanos;
  }
};

struct Duration {
  std::int64_t nanos = 0;
  friend bool operator==(const Duration&, const Duration&) = default;
  friend bool operator<(Duration a, Duration b) { return a.nanos < b.nanos; }
};

struct Bytes {
  std::string bytes;
  friend bool operator==(const Bytes&, const Bytes&) = default;
  friend bool operator<(const Bytes& a, const Bytes& b) { return a.bytes < b.bytes; }
};

// Error is why an expression has no value: "no such key: x".
struct Error {
  std::string message;
};

// List is a list. Its elements may be made when they are read.
class List {
 public:
  virtual ~List() = default;
  virtual std::size_t size() const = 0;
  virtual Value At(std::size_t index) const = 0;  // REQUIRES: index < size()
  // Returns a bool or an error. As in cel-go, elements that cannot be compared count as equal.
  virtual Value EqualTo(const List& other) const;
  // Returns the result of == with a value that is no list.
  virtual Value EqualToOther() const;
  // Returns whether an element is equal to a value, or an error.
  virtual Value Contains(const Value& value) const;
  // Returns this list with the elements of another one behind it.
  virtual Value Concatenate(const List& other) const;
};

// Map is a map, or an object of a schema.
class Map {
 public:
  virtual ~Map() = default;
  virtual std::size_t size() const = 0;
  // Returns the value of a key; nullopt: there is none. The value may be an error.
  virtual std::optional<Value> Find(const Value& key) const = 0;
  // The keys may have a null for each field that the schema does not know. It has no value.
  virtual std::vector<Value> Keys() const = 0;
  virtual Value EqualTo(const Map& other) const;
  // Returns the result of == with a value that is no map.
  virtual Value EqualToOther() const;
};

// Opaque is a value of a type of Kubernetes' libraries, such as kubernetes.Quantity.
class Opaque {
 public:
  virtual ~Opaque() = default;
  virtual std::string_view type_name() const = 0;
  virtual bool Equals(const Opaque& other) const = 0;  // REQUIRES: it has the same type
  // Reports whether == with this value on the right side is an error.
  virtual bool IsOnlyLeft() const { return false; }
  // Reports whether the value can be the key of a map.
  virtual bool IsHashable() const { return true; }
  // Reports whether the value and another one of its type are the same key.
  virtual bool IsSameKey(const Opaque& other) const { return this == &other; }
  virtual std::size_t size() const { return 1; }          // for costs
  virtual std::size_t pattern_size() const { return 0; }  // of a named format, for costs
};

// Optional is the value of optional.of(x) or optional.none().
struct Optional {
  std::shared_ptr<const Value> value;  // null: none
};

class Value {
 public:
  Value() = default;  // null
  static Value Bool(bool value) { return Value(Data(std::in_place_type<bool>, value)); }
  static Value Int(std::int64_t value) {
    return Value(Data(std::in_place_type<std::int64_t>, value));
  }
  static Value Uint(std::uint64_t value) {
    return Value(Data(std::in_place_type<std::uint64_t>, value));
  }
  static Value Double(double value) { return Value(Data(std::in_place_type<double>, value)); }
  static Value String(std::string value) {
    return Value(Data(std::in_place_type<std::string>, std::move(value)));
  }
  static Value FromBytes(std::string value) { return Value(Data(Bytes{std::move(value)})); }
  static Value Of(Timestamp value) { return Value(Data(value)); }
  static Value Of(Duration value) { return Value(Data(value)); }
  static Value Of(std::shared_ptr<const List> value) { return Value(Data(std::move(value))); }
  static Value Of(std::shared_ptr<const Map> value) { return Value(Data(std::move(value))); }
  static Value Of(std::shared_ptr<const Opaque> value) { return Value(Data(std::move(value))); }
  static Value OfType(Type value) { return Value(Data(std::move(value))); }
  static Value Some(Value value);
  static Value None() { return Value(Data(Optional{})); }
  static Value Failure(std::string message) { return Value(Data(Error{std::move(message)})); }

  TypeKind kind() const;
  bool IsError() const { return Is<Error>(); }
  bool IsNull() const { return Is<std::monostate>(); }
  bool IsTrue() const { return Is<bool>() && *Get<bool>(); }

  // Return null if the value has another type.
  template <class T>
  const T* Get() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  bool Is() const {
    return std::holds_alternative<T>(data_);
  }
  const List* list() const { return Pointer<List>(); }
  const Map* map() const { return Pointer<Map>(); }
  const Opaque* opaque() const { return Pointer<Opaque>(); }
  const std::string& message() const { return Get<Error>()->message; }  // REQUIRES: IsError()

  // Returns what type(x) shows: "int", "list", "kubernetes.Quantity".
  std::string_view TypeName() const;
  // Returns the number of characters, bytes, elements or members for costs; 1 for other values.
  std::size_t CostSize() const;

 private:
  using Data =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes,
                   Timestamp, Duration, std::shared_ptr<const List>, std::shared_ptr<const Map>,
                   std::shared_ptr<const Opaque>, Type, Optional, Error>;
  explicit Value(Data data) : data_(std::move(data)) {}
  template <class T>
  const T* Pointer() const {
    const auto* const shared = Get<std::shared_ptr<const T>>();
    return shared == nullptr ? nullptr : shared->get();
  }

  Data data_;
};

// Returns a bool, or an error if the values cannot be compared.
Value Equal(const Value& a, const Value& b);
// Returns -1, 0 or 1, or an error.
Value Compare(const Value& a, const Value& b);
bool IsComparable(const Value& value);  // has an order

Value NewList(std::vector<Value> elements);
Value NewStringList(std::vector<std::string> elements);
// The beginning of an error that ends the evaluation, where Go panics.
inline constexpr std::string_view kPanic = "internal error: runtime error: ";
// Reports whether the value can be the key of a map in Go.
bool IsHashable(const Value& value);
// Returns the error of one that cannot.
Value Unhashable(const Value& value);
// Builds a map.
class MapBuilder {
 public:
  // Adds or replaces a member. Returns an error for a key that is not hashable; null otherwise.
  Value Insert(const Value& key, Value value);
  Value Finish();

 private:
  std::vector<std::pair<Value, Value>> members_;
};
// Returns the map with one more member, or an error.
Value InsertMember(const Value& map, const Value& key, Value value);

// Returns the number of characters of a text in UTF-8.
std::size_t CharacterCount(std::string_view text);

// Returns a key in error texts: no such key: x.
std::string KeyText(const Value& key);

// Returns an error that names the function and the types of the arguments.
Value NoSuchOverload();
Value NoSuchOverload(std::string_view function, const Value* begin, const Value* end);

}  // namespace capstan::cel
