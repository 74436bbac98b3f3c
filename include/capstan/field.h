// SPDX-License-Identifier: Apache-2.0
// Field declares one member of a struct: its name in JSON, and what the API server checks.
//
//   Field("replicas", &Spec::replicas).Minimum(0).Maximum(10).Default(1)
//   Field("template", &Spec::pod_template, Field("name", &PodTemplate::name), ...)  // a struct
//
// The member may be a std::optional, std::vector or std::map<std::string, ...> of what Codec
// supports. The fields of a struct follow the member, also for a vector or map of structs. A struct
// that is used more than once declares its fields once:
//   template <> inline constexpr auto capstan::kFields<Volume> =
//       capstan::Fields(capstan::Field("name", &Volume::name).Required(), ...);
// A struct that contains itself is not supported; keep it as RawJson.
//
// JSON: an empty text, list, map or struct is omitted, unless the field is required or has a
// default. A std::optional without a value is always omitted. Numbers and booleans are always
// written; use std::optional where zero and missing differ. null is read like a missing field.
// The attributes describe the schema of a CustomResourceDefinition, which the API server checks.
// Reading an object checks only the types of its fields.
// Reading an object also sets a missing field to its default, as the API server does when it reads
// an object from etcd. If the parent of the field is missing too, the C++ initializer is kept.
// A struct is required if one of its fields is required and has no default. This includes `spec`.
// A struct in a std::optional, a list or a map is never required.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/codec.h"
#include "capstan/export.h"

namespace capstan {

// FixedList is a list of at most N values that a constant can hold.
template <class T, std::size_t N>
class FixedList {
 public:
  // Fails to compile in a constant when the list is full.
  constexpr void Add(const T& value) { values_.at(size_++) = value; }
  constexpr const T* begin() const { return values_.data(); }
  constexpr const T* end() const { return values_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  std::array<T, N> values_ = {};
  std::size_t size_ = 0;
};

// Literal is a constant in a schema.
struct CAPSTAN_EXPORT Literal {
  enum class Type { kNone, kBool, kInteger, kNumber, kString };
  Type type = Type::kNone;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text = {};

  constexpr explicit operator bool() const { return type != Type::kNone; }
};

// ValidationRule is a rule in CEL. Mirrors apiextensions.ValidationRule.
struct CAPSTAN_EXPORT ValidationRule {
  std::string_view rule = {};
  std::string_view message = {};
};

// FieldAttributes mirror the members of apiextensions.JSONSchemaProps.
struct CAPSTAN_EXPORT FieldAttributes {
  static constexpr std::int64_t kNoLimit = -1;

  bool required = false;
  Literal minimum = {};
  Literal maximum = {};
  Literal default_value = {};
  std::int64_t min_length = kNoLimit;
  std::int64_t max_length = kNoLimit;
  std::int64_t min_items = kNoLimit;
  std::int64_t max_items = kNoLimit;
  std::string_view pattern = {};
  std::string_view description = {};
  std::string_view list_type = {};
  FixedList<std::string_view, 4> list_keys = {};
  FixedList<std::string_view, 16> allowed = {};
  FixedList<ValidationRule, 4> rules = {};
};

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T, class A>
inline constexpr bool kIsVector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T, class C, class A>
inline constexpr bool kIsMap<std::map<std::string, T, C, A>> = true;

template <class T>
struct WithoutOptional {
  using type = T;
};
template <class T>
struct WithoutOptional<std::optional<T>> {
  using type = T;
};

// Returns the type of a value: kOther for lists, maps and structs.
template <class T>
constexpr ValueType ValueTypeOf() {
  using Value = typename WithoutOptional<T>::type;
  if constexpr (HasCodec<Value>) {
    return Codec<Value>::kType;
  } else {
    return ValueType::kOther;
  }
}

template <class T>
inline constexpr bool kIsField = false;

template <class T>
constexpr Literal LiteralOf(T value) {
  if constexpr (std::same_as<T, bool>) {
    return {.type = Literal::Type::kBool, .boolean = value};
  } else if constexpr (std::integral<T>) {
    return {.type = Literal::Type::kInteger, .integer = static_cast<std::int64_t>(value)};
  } else if constexpr (std::floating_point<T>) {
    return {.type = Literal::Type::kNumber, .number = value};
  } else {
    return {.type = Literal::Type::kString, .text = value};
  }
}

// Reports whether a literal of type L is a value of this type.
template <class L>
constexpr bool Fits(ValueType type) {
  switch (type) {
    case ValueType::kBool:
      return std::same_as<L, bool>;
    case ValueType::kInteger:
      return std::integral<L> && !std::same_as<L, bool>;
    case ValueType::kNumber:
      return std::floating_point<L> || (std::integral<L> && !std::same_as<L, bool>);
    case ValueType::kString:
      return std::convertible_to<L, std::string_view>;
    case ValueType::kOther:
      break;
  }
  return false;
}

}  // namespace detail

template <class Owner, class Member, class... Children>
class Field {
  static_assert(!std::is_function_v<Member>, "Field() needs a data member, not a function");
  static_assert((detail::kIsField<Children> && ...),
                "after the name and the member, Field() takes only the fields of that member");

 public:
  using owner_type = Owner;
  using member_type = Member;
  static constexpr ValueType kType = detail::ValueTypeOf<Member>();

  // `name` must be a literal, as all texts of a declaration.
  constexpr Field(std::string_view name, Member Owner::*member, Children... children)
      : name_(name), member_(member), children_(children...) {}

  // The field must be in every object, also in an empty list or text.
  constexpr Field Required() const { return With(&FieldAttributes::required, true); }
  template <class L>
  constexpr Field Minimum(L limit) const {
    CheckLimit<L>();
    return With(&FieldAttributes::minimum, detail::LiteralOf(limit));
  }
  template <class L>
  constexpr Field Maximum(L limit) const {
    CheckLimit<L>();
    return With(&FieldAttributes::maximum, detail::LiteralOf(limit));
  }
  constexpr Field MinLength(std::int64_t characters) const {
    static_assert(kType == ValueType::kString, "MinLength() needs a member that is a std::string");
    return With(&FieldAttributes::min_length, characters);
  }
  constexpr Field MaxLength(std::int64_t characters) const {
    static_assert(kType == ValueType::kString, "MaxLength() needs a member that is a std::string");
    return With(&FieldAttributes::max_length, characters);
  }
  constexpr Field MinItems(std::int64_t items) const {
    CheckList();
    return With(&FieldAttributes::min_items, items);
  }
  constexpr Field MaxItems(std::int64_t items) const {
    CheckList();
    return With(&FieldAttributes::max_items, items);
  }
  // `regex` has RE2's syntax. It matches a part of the text, unless it has ^ and $.
  constexpr Field Pattern(std::string_view regex) const {
    static_assert(kType == ValueType::kString, "Pattern() needs a member that is a std::string");
    return With(&FieldAttributes::pattern, regex);
  }
  // Up to 16 texts.
  template <class... Texts>
  constexpr Field Enum(Texts... texts) const {
    static_assert(kType == ValueType::kString, "Enum() needs a member that is a std::string");
    static_assert(sizeof...(texts) > 0 && sizeof...(texts) <= 16, "Enum() takes 1 to 16 texts");
    Field copy = *this;
    (copy.attributes_.allowed.Add(texts), ...);
    return copy;
  }
  template <class L>
  constexpr Field Default(L value) const {
    static_assert(kType != ValueType::kOther,
                  "Default() needs a member that is a bool, a number or a std::string");
    static_assert(kType == ValueType::kOther || detail::Fits<L>(kType),
                  "the type of Default()'s value is not that of the member");
    return With(&FieldAttributes::default_value, detail::LiteralOf(value));
  }
  constexpr Field Description(std::string_view text) const {
    return With(&FieldAttributes::description, text);
  }
  // `cel` is an expression about `self`. Up to four rules.
  constexpr Field Rule(std::string_view cel, std::string_view message = {}) const {
    Field copy = *this;
    copy.attributes_.rules.Add({.rule = cel, .message = message});
    return copy;
  }
  // The elements of the list are unique texts or numbers; writers may own single elements.
  constexpr Field ListSet() const {
    CheckList();
    return With(&FieldAttributes::list_type, "set");
  }
  // The elements are structs, which these required fields identify.
  template <class... Keys>
  constexpr Field ListMap(Keys... keys) const {
    CheckList();
    static_assert(sizeof...(keys) > 0 && sizeof...(keys) <= 4, "ListMap() takes 1 to 4 keys");
    Field copy = *this;
    copy.attributes_.list_type = "map";
    (copy.attributes_.list_keys.Add(keys), ...);
    return copy;
  }

  constexpr std::string_view name() const { return name_; }
  constexpr Member Owner::*member() const { return member_; }
  constexpr const std::tuple<Children...>& children() const { return children_; }
  constexpr const FieldAttributes& attributes() const { return attributes_; }

 private:
  template <class T>
  constexpr Field With(T FieldAttributes::*attribute, std::type_identity_t<T> value) const {
    Field copy = *this;
    copy.attributes_.*attribute = value;
    return copy;
  }
  template <class L>
  static constexpr void CheckLimit() {
    static_assert(kType == ValueType::kInteger || kType == ValueType::kNumber,
                  "Minimum() and Maximum() need a member that is a number");
    static_assert(kType == ValueType::kOther || kType == ValueType::kString ||
                      kType == ValueType::kBool || detail::Fits<L>(kType),
                  "the limit of an integer must be an integer");
  }
  static constexpr void CheckList() {
    static_assert(detail::kIsVector<typename detail::WithoutOptional<Member>::type>,
                  "MinItems(), MaxItems(), ListSet() and ListMap() need a std::vector");
  }

  std::string_view name_;
  Member Owner::*member_;
  std::tuple<Children...> children_;
  FieldAttributes attributes_ = {};
};

namespace detail {

template <class Owner, class Member, class... Children>
inline constexpr bool kIsField<Field<Owner, Member, Children...>> = true;

struct CAPSTAN_EXPORT Undeclared {};

}  // namespace detail

// Fields is the value of kFields.
template <class... F>
class Fields {
  static_assert((detail::kIsField<F> && ...), "Fields() takes only fields");

 public:
  constexpr explicit Fields(F... fields) : fields_(fields...) {}
  constexpr const std::tuple<F...>& tuple() const { return fields_; }

 private:
  std::tuple<F...> fields_;
};

// Specialize it for a struct that several fields use.
template <class T>
inline constexpr detail::Undeclared kFields = {};

namespace detail {

template <class T>
concept HasFields = !std::same_as<std::remove_cvref_t<decltype(kFields<T>)>, Undeclared>;

// The struct inside of optionals, lists and maps.
template <class T>
struct InnermostOf {
  using type = T;
};
template <class T>
struct InnermostOf<std::optional<T>> : InnermostOf<T> {};
template <class T, class A>
struct InnermostOf<std::vector<T, A>> : InnermostOf<T> {};
template <class K, class T, class C, class A>
struct InnermostOf<std::map<K, T, C, A>> : InnermostOf<T> {};
template <class T>
using Innermost = typename InnermostOf<T>::type;

// Calls `call` with the fields of the struct T.
template <class T, class Children, class Call>
constexpr decltype(auto) WithFields(const Children& children, Call&& call) {
  if constexpr (std::tuple_size_v < Children >> 0) {
    return call(children);
  } else {
    static_assert(
        HasFields<T>,
        "this member is a struct whose fields are not declared: give them to its Field(), "
        "or specialize capstan::kFields for it");
    return call(kFields<T>.tuple());
  }
}

}  // namespace detail

}  // namespace capstan
