// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace capstan::cel {
namespace {

// Elements that several lists share. A list that Concatenate made appends in place if its elements
// are the last ones, so that a comprehension that builds a list takes time proportional to its
// size. Such a list belongs to one evaluation. Another one may be a constant that threads share.
class SharedList : public List {
 public:
  explicit SharedList(std::vector<Value> elements)
      : elements_(std::make_shared<std::vector<Value>>(std::move(elements))),
        size_(elements_->size()) {}
  SharedList(std::shared_ptr<std::vector<Value>> elements, std::size_t size)
      : elements_(std::move(elements)), size_(size), may_grow_(true) {}

  std::size_t size() const override { return size_; }
  Value At(std::size_t index) const override { return (*elements_)[index]; }
  Value Concatenate(const List& other) const override {
    auto elements = elements_;
    if (!may_grow_ || elements->size() != size_ || &other == this) {
      elements = std::make_shared<std::vector<Value>>(
          elements_->begin(), elements_->begin() + static_cast<std::ptrdiff_t>(size_));
    }
    const std::size_t more = other.size();
    for (std::size_t i = 0; i < more; ++i) elements->push_back(other.At(i));
    return Value::Of(std::make_shared<const SharedList>(elements, elements->size()));
  }

 private:
  std::shared_ptr<std::vector<Value>> elements_;
  std::size_t size_;
  bool may_grow_ = false;
};

// An order of the keys of a map, by their type and then by their value. Keys that have no order
// have the same place.
int CompareKeys(const Value& a, const Value& b);
// Reports whether two keys at the same place are the same one for Go: a NaN never is, and lists,
// maps and optional values are only if they are one object.
bool IsSameKey(const Value& a, const Value& b);

using Members = std::vector<std::pair<Value, Value>>;  // by key

// Returns the member with the key, or where it would be, and whether it is there.
std::pair<Members::const_iterator, bool> Locate(const Members& members, const Value& key) {
  auto at = std::lower_bound(members.begin(), members.end(), key,
                             [](const auto& member, const Value& wanted) {
                               return CompareKeys(member.first, wanted) < 0;
                             });
  while (at != members.end() && CompareKeys(at->first, key) == 0) {
    if (IsSameKey(at->first, key)) return {at, true};
    ++at;
  }
  return {at, false};
}

// Returns a number as an integer; nullopt: it is none of the type.
template <class Integer>
std::optional<Value> AsInteger(const Value& number) {
  std::optional<Integer> integer;
  if (const auto* const x = number.Get<std::int64_t>()) {
    if (std::in_range<Integer>(*x)) integer = static_cast<Integer>(*x);
  } else if (const auto* const y = number.Get<std::uint64_t>()) {
    if (std::in_range<Integer>(*y)) integer = static_cast<Integer>(*y);
  } else if (const auto* const z = number.Get<double>()) {
    const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
    const double least = std::is_signed_v<Integer> ? -end : 0;
    if (*z >= least && *z < end && std::trunc(*z) == *z) integer = static_cast<Integer>(*z);
  }
  if (!integer) return std::nullopt;
  if constexpr (std::is_signed_v<Integer>) {
    return Value::Int(*integer);
  } else {
    return Value::Uint(*integer);
  }
}

class SortedMap : public Map {
 public:
  explicit SortedMap(Members members) : members_(std::move(members)) {}

  std::size_t size() const override { return members_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    if (members_.empty()) return std::nullopt;
    if (!IsHashable(key)) return Unhashable(key);
    if (const auto [at, found] = Locate(members_, key); found) return at->second;
    // A number is also equal to one of another type, but no other number finds a double.
    for (const auto& same : {AsInteger<std::int64_t>(key), AsInteger<std::uint64_t>(key)}) {
      if (!same) continue;
      if (const auto [at, found] = Locate(members_, *same); found) return at->second;
    }
    return std::nullopt;
  }
  std::vector<Value> Keys() const override {
    std::vector<Value> keys;
    for (const auto& member : members_) keys.push_back(member.first);
    return keys;
  }
  const Members& members() const { return members_; }

 private:
  Members members_;
};

bool IsNumber(const Value& value) {
  return value.Is<std::int64_t>() || value.Is<std::uint64_t>() || value.Is<double>();
}

template <class T>
int Order(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

// Compares a double with an integer as cel-go does: outside the range of the type the double
// decides, inside it the integer becomes a double.
template <class Integer>
int OrderDouble(double a, Integer b) {
  if (a < static_cast<double>(std::numeric_limits<Integer>::min())) return -1;
  if (a > static_cast<double>(std::numeric_limits<Integer>::max())) return 1;
  return Order(a, static_cast<double>(b));
}

int OrderIntUint(std::int64_t a, std::uint64_t b) {
  return a < 0 ? -1 : Order(static_cast<std::uint64_t>(a), b);
}

// Returns the order of two numbers; 2: one of them is NaN.
int OrderNumbers(const Value& a, const Value& b) {
  if (const auto* const x = a.Get<double>()) {
    if (std::isnan(*x)) return 2;
    if (const auto* const y = b.Get<double>()) return std::isnan(*y) ? 2 : Order(*x, *y);
    if (const auto* const y = b.Get<std::int64_t>()) return OrderDouble(*x, *y);
    return OrderDouble(*x, *b.Get<std::uint64_t>());
  }
  if (b.Is<double>()) {
    const int order = OrderNumbers(b, a);
    return order == 2 ? 2 : -order;
  }
  if (const auto* const x = a.Get<std::int64_t>()) {
    if (const auto* const y = b.Get<std::int64_t>()) return Order(*x, *y);
    return OrderIntUint(*x, *b.Get<std::uint64_t>());
  }
  const std::uint64_t x = *a.Get<std::uint64_t>();
  if (const auto* const y = b.Get<std::uint64_t>()) return Order(x, *y);
  return -OrderIntUint(*b.Get<std::int64_t>(), x);
}

int CompareKeys(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return Order(a.kind(), b.kind());
  if (a.kind() == TypeKind::kOpaque) return Order(a.TypeName(), b.TypeName());
  if (const Type* const type = a.Get<Type>()) {
    return Order((*type)->kind, (*b.Get<Type>())->kind);
  }
  if (!IsComparable(a)) return 0;
  const bool a_nan = a.Is<double>() && std::isnan(*a.Get<double>());
  const bool b_nan = b.Is<double>() && std::isnan(*b.Get<double>());
  if (a_nan || b_nan) return Order(a_nan, b_nan);
  return static_cast<int>(*Compare(a, b).Get<std::int64_t>());
}

bool IsSameKey(const Value& a, const Value& b) {
  if (a.list() != nullptr) return a.list() == b.list();
  if (a.map() != nullptr) return a.map() == b.map();
  if (a.opaque() != nullptr) return a.opaque()->IsSameKey(*b.opaque());
  if (const auto* const optional = a.Get<Optional>()) {
    return optional->value == b.Get<Optional>()->value;
  }
  if (const auto* const time = a.Get<Timestamp>())
    return time->offset == b.Get<Timestamp>()->offset;
  if (const auto* const number = a.Get<double>()) return !std::isnan(*number);
  return !a.Is<Type>() || Equal(a, b).IsTrue();
}

template <class T>
std::optional<int> OrderIfBoth(const Value& a, const Value& b) {
  if (!a.Is<T>() || !b.Is<T>()) return std::nullopt;
  return Order(*a.Get<T>(), *b.Get<T>());
}

Value EqualOptionals(const Optional& a, const Optional& b) {
  if (a.value == nullptr || b.value == nullptr) return Value::Bool(a.value == b.value);
  return Equal(*a.value, *b.value);
}

}  // namespace

Value List::EqualTo(const List& other) const {
  const std::size_t count = size();
  if (count != other.size()) return Value::Bool(false);
  for (std::size_t i = 0; i < count; ++i) {
    Value equal = Equal(At(i), other.At(i));
    if (equal.Is<bool>() && !equal.IsTrue()) return equal;
  }
  return Value::Bool(true);
}

Value List::Contains(const Value& value) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (Equal(value, At(i)).IsTrue()) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value List::EqualToOther() const { return Value::Bool(false); }

Value List::Concatenate(const List& other) const {
  std::vector<Value> elements;
  for (std::size_t i = 0; i < size(); ++i) elements.push_back(At(i));
  for (std::size_t i = 0; i < other.size(); ++i) elements.push_back(other.At(i));
  return NewList(std::move(elements));
}

Value Map::EqualToOther() const { return Value::Bool(false); }

Value Map::EqualTo(const Map& other) const {
  if (size() != other.size()) return Value::Bool(false);
  for (const Value& key : Keys()) {
    const auto mine = Find(key);  // nullopt: the key is a NaN
    const auto theirs = other.Find(key);
    if (!mine || !theirs) return Value::Bool(false);
    Value equal = Equal(*mine, *theirs);
    if (equal.Is<bool>() && !equal.IsTrue()) return equal;
  }
  return Value::Bool(true);
}

Value Value::Some(Value value) {
  return Value(Data(Optional{std::make_shared<const Value>(std::move(value))}));
}

TypeKind Value::kind() const {
  constexpr std::array kKinds = {
      TypeKind::kNull,     TypeKind::kBool,   TypeKind::kInt,   TypeKind::kUint,
      TypeKind::kDouble,   TypeKind::kString, TypeKind::kBytes, TypeKind::kTimestamp,
      TypeKind::kDuration, TypeKind::kList,   TypeKind::kMap,   TypeKind::kOpaque,
      TypeKind::kType,     TypeKind::kOpaque, TypeKind::kError,
  };
  return kKinds.at(data_.index());
}

std::string_view Value::TypeName() const {
  if (const Opaque* const value = opaque()) return value->type_name();
  if (Is<Optional>()) return kOptionalTypeName;
  return RuntimeName(kind());
}

std::size_t Value::CostSize() const {
  if (const auto* const text = Get<std::string>()) return CharacterCount(*text);
  if (const auto* const bytes = Get<Bytes>()) return bytes->bytes.size();
  if (list() != nullptr) return list()->size();
  if (map() != nullptr) return map()->size();
  if (opaque() != nullptr) return opaque()->size();
  if (const auto* const optional = Get<Optional>()) {
    return optional->value == nullptr ? 1 : optional->value->CostSize();
  }
  return 1;
}

Value Equal(const Value& a, const Value& b) {
  if (a.IsError()) return a;
  if (b.IsError()) return b;
  if (a.IsNull() || b.IsNull()) return Value::Bool(a.IsNull() && b.IsNull());
  if (IsNumber(a)) return Value::Bool(IsNumber(b) && OrderNumbers(a, b) == 0);
  if (a.list() != nullptr) {
    return b.list() == nullptr ? a.list()->EqualToOther() : a.list()->EqualTo(*b.list());
  }
  if (a.map() != nullptr) {
    return b.map() == nullptr ? a.map()->EqualToOther() : a.map()->EqualTo(*b.map());
  }
  if (a.opaque() != nullptr) {
    // cel-go's types of Kubernetes' libraries refuse values of other types.
    if (b.opaque() == nullptr || a.TypeName() != b.TypeName() || b.opaque()->IsOnlyLeft()) {
      return NoSuchOverload();
    }
    return Value::Bool(a.opaque()->Equals(*b.opaque()));
  }
  if (const auto* const optional = a.Get<Optional>()) {
    const auto* const other = b.Get<Optional>();
    return other == nullptr ? Value::Bool(false) : EqualOptionals(*optional, *other);
  }
  if (const Type* const type = a.Get<Type>()) {
    const Type* const other = b.Get<Type>();
    if (other == nullptr || (*type)->kind != (*other)->kind) return Value::Bool(false);
    return Value::Bool((*type)->name == (*other)->name);
  }
  const Value order = Compare(a, b);
  return Value::Bool(!order.IsError() && *order.Get<std::int64_t>() == 0);
}

bool IsComparable(const Value& value) {
  return IsNumber(value) || value.Is<bool>() || value.Is<std::string>() || value.Is<Bytes>() ||
         value.Is<Timestamp>() || value.Is<Duration>();
}

Value Compare(const Value& a, const Value& b) {
  if (a.IsError()) return a;
  if (b.IsError()) return b;
  if (IsNumber(a) && IsNumber(b)) {
    const int order = OrderNumbers(a, b);
    return order == 2 ? Value::Failure("NaN values cannot be ordered") : Value::Int(order);
  }
  for (const auto& order :
       {OrderIfBoth<bool>(a, b), OrderIfBoth<std::string>(a, b), OrderIfBoth<Bytes>(a, b),
        OrderIfBoth<Timestamp>(a, b), OrderIfBoth<Duration>(a, b)}) {
    if (order) return Value::Int(*order);
  }
  return NoSuchOverload();
}

Value NewList(std::vector<Value> elements) {
  return Value::Of(std::make_shared<const SharedList>(std::move(elements)));
}

Value NewStringList(std::vector<std::string> elements) {
  std::vector<Value> values;
  values.reserve(elements.size());
  for (std::string& element : elements) values.push_back(Value::String(std::move(element)));
  return NewList(std::move(values));
}

bool IsHashable(const Value& value) {
  return !value.Is<Bytes>() && (value.opaque() == nullptr || value.opaque()->IsHashable());
}

Value Unhashable(const Value& value) {
  return Value::Failure(std::string(kPanic) + "hash of unhashable type " +
                        (value.Is<Bytes>() ? "types.Bytes" : std::string(value.TypeName())));
}

Value MapBuilder::Insert(const Value& key, Value value) {
  if (!IsHashable(key)) return Unhashable(key);
  if (const auto [at, found] = Locate(members_, key); found) {
    members_[static_cast<std::size_t>(at - members_.begin())].second = std::move(value);
  } else {
    members_.insert(at, {key, std::move(value)});
  }
  return {};
}

Value MapBuilder::Finish() {
  return Value::Of(std::make_shared<const SortedMap>(std::move(members_)));
}

Value InsertMember(const Value& map, const Value& key, Value value) {
  if (map.map() == nullptr) return NoSuchOverload();
  const auto found = map.map()->Find(key);
  if (found && found->IsError()) return *found;
  if (found) return Value::Failure("insert failed: key " + KeyText(key) + " already exists");
  MapBuilder builder;
  for (const Value& old : map.map()->Keys())
    builder.Insert(old, map.map()->Find(old).value_or(Value()));
  Value error = builder.Insert(key, std::move(value));
  return error.IsError() ? error : builder.Finish();
}

std::size_t CharacterCount(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // not inside a UTF-8 sequence
  }));
}

std::string KeyText(const Value& key) {
  if (const auto* const text = key.Get<std::string>()) return *text;
  if (const auto* const number = key.Get<std::int64_t>()) return std::to_string(*number);
  if (const auto* const number = key.Get<std::uint64_t>()) return std::to_string(*number);
  if (const auto* const flag = key.Get<bool>()) return *flag ? "true" : "false";
  return std::string(key.TypeName());
}

Value NoSuchOverload() { return Value::Failure("no such overload"); }

Value NoSuchOverload(std::string_view function, const Value* begin, const Value* end) {
  std::string types;
  for (const Value* value = begin; value != end; ++value) {
    if (value->IsError()) return *value;
    types.append(types.empty() ? "" : ", ").append(value->TypeName());
  }
  return Value::Failure("no such overload: " + std::string(function) + "(" + types + ")");
}

}  // namespace capstan::cel
