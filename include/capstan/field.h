// SPDX-License-Identifier: Apache-2.0
// Field declares one member of a struct: its name in JSON, and what the API server checks.
//
//   Field("replicas", &Spec::replicas).Minimum(0).Maximum(10).Default(1)
//   Field("template", &Spec::pod_template, Field("name", &PodTemplate::name), ...)  // a struct
//
// The member may be a std::optional, Boxed, std::vector or std::map<std::string, ...> of what Codec
// supports. The fields of a struct follow the member, also for a vector or map of structs. A struct
// that is used more than once declares its fields once:
//   template <> inline constexpr auto capstan::kFields<Volume> =
//       capstan::Fields(capstan::Field("name", &Volume::name).Required(), ...);
// A struct may contain itself in a Boxed, a vector or a map (boxed.h).
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

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/codec.h"
#include "capstan/export.h"
#include "capstan/list.h"

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
  std::string_view reason = {};              // "FieldValueForbidden"
  std::string_view field_path = {};          // ".spec.replicas": where the error is reported
  std::string_view message_expression = {};  // CEL that returns the message
  bool optional_old_self = false;            // the rule also runs when an object is created
};

// Attribute is a member of a field's schema. Mirrors a member of apiextensions.JSONSchemaProps. One
// that has several values, such as an enum, is several attributes.
struct CAPSTAN_EXPORT Attribute {
  enum class Key : std::uint8_t {
    kRequired,
    kMinimum,
    kMaximum,
    kMinLength,
    kMaxLength,
    kMinItems,
    kMaxItems,
    kMinProperties,
    kMaxProperties,
    kMultipleOf,
    kPattern,
    kFormat,
    kNullable,
    kEnum,
    kDefault,
    kDefaultJson,
    kDescription,
    kListType,
    kListKey,
    kMapType,
    kRule,
    kRuleMessage,  // this and the next ones are of the rule before them
    kRuleReason,
    kRuleFieldPath,
    kRuleMessageExpression,
    kRuleOptionalOldSelf
  };
  Key key = Key::kRequired;
  Literal value = {};
  // 0: of the field; 1: of the elements of its list or map; 2: of their elements.
  std::uint8_t depth = 0;
};

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsOptional<Boxed<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T, class A>
inline constexpr bool kIsVector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool kIsVector<List<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T, class C, class A>
inline constexpr bool kIsMap<std::map<std::string, T, C, A>> = true;

template <class T>
struct WithoutOptional {
  using type = T;
};
template <class T>
requires kIsOptional<T>
struct WithoutOptional<T> {
  using type = typename T::value_type;
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

template <class L>
constexpr Attribute MakeAttribute(Attribute::Key key, L value) {
  return {.key = key, .value = LiteralOf(value)};
}

template <std::size_t N, std::size_t M>
constexpr std::array<Attribute, N + M> Joined(const std::array<Attribute, N>& first,
                                              const std::array<Attribute, M>& second) {
  std::array<Attribute, N + M> all{};
  std::copy(first.begin(), first.end(), all.begin());
  std::copy(second.begin(), second.end(), all.begin() + N);
  return all;
}

// Empty texts are left out of the schema.
constexpr std::array<Attribute, 6> AttributesOf(const ValidationRule& rule) {
  using Key = Attribute::Key;
  return {MakeAttribute(Key::kRule, rule.rule),
          MakeAttribute(Key::kRuleMessage, rule.message),
          MakeAttribute(Key::kRuleReason, rule.reason),
          MakeAttribute(Key::kRuleFieldPath, rule.field_path),
          MakeAttribute(Key::kRuleMessageExpression, rule.message_expression),
          MakeAttribute(Key::kRuleOptionalOldSelf, rule.optional_old_self)};
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

// ElementAttributes are those of the elements of a list or a map, for Field::Each. Elements() makes
// them. Mirrors +kubebuilder:validation:items.
template <std::size_t N>
class ElementAttributes {
 public:
  using Key = Attribute::Key;

  constexpr ElementAttributes() requires(N == 0) = default;
  constexpr explicit ElementAttributes(const std::array<Attribute, N>& attributes)
      : attributes_(attributes) {}

  template <class L>
  constexpr auto Minimum(L limit) const {
    return With(Key::kMinimum, limit);
  }
  template <class L>
  constexpr auto Maximum(L limit) const {
    return With(Key::kMaximum, limit);
  }
  constexpr auto MinLength(std::int64_t characters) const {
    return With(Key::kMinLength, characters);
  }
  constexpr auto MaxLength(std::int64_t characters) const {
    return With(Key::kMaxLength, characters);
  }
  constexpr auto MinItems(std::int64_t items) const { return With(Key::kMinItems, items); }
  constexpr auto MaxItems(std::int64_t items) const { return With(Key::kMaxItems, items); }
  constexpr auto Pattern(std::string_view regex) const { return With(Key::kPattern, regex); }
  constexpr auto Format(std::string_view name) const { return With(Key::kFormat, name); }
  template <class... Texts>
  constexpr auto Enum(Texts... texts) const {
    return WithAll(std::array{detail::MakeAttribute(Key::kEnum, texts)...});
  }
  constexpr auto Rule(const ValidationRule& rule) const {
    return WithAll(detail::AttributesOf(rule));
  }
  constexpr auto Rule(std::string_view cel, std::string_view message = {}) const {
    return Rule(ValidationRule{.rule = cel, .message = message});
  }
  // Of the elements of the elements.
  template <std::size_t K>
  constexpr auto Each(const ElementAttributes<K>& elements) const {
    return WithAll(elements.attributes());
  }

  // Each is one level deeper than in the elements themselves.
  constexpr std::array<Attribute, N> attributes() const {
    auto deeper = attributes_;
    for (Attribute& attribute : deeper) ++attribute.depth;
    return deeper;
  }

 private:
  template <class L>
  constexpr auto With(Key key, L value) const {
    return WithAll(std::array{detail::MakeAttribute(key, value)});
  }
  template <std::size_t K>
  constexpr auto WithAll(const std::array<Attribute, K>& more) const {
    return ElementAttributes<N + K>(detail::Joined(attributes_, more));
  }

  std::array<Attribute, N> attributes_ = {};
};

constexpr ElementAttributes<0> Elements() { return {}; }

// N is the number of attributes.
template <class Owner, class Member, std::size_t N, class... Children>
class Field {
  static_assert(!std::is_function_v<Member>, "Field() needs a data member, not a function");
  static_assert((detail::kIsField<Children> && ...),
                "after the name and the member, Field() takes only the fields of that member");

 public:
  using owner_type = Owner;
  using member_type = Member;
  using Key = Attribute::Key;
  static constexpr ValueType kType = detail::ValueTypeOf<Member>();

  // `name` must be a literal, as all texts of a declaration.
  constexpr Field(std::string_view name, Member Owner::*member,
                  Children... children) requires(N == 0)
      : name_(name), member_(member), children_(children...) {}

  // The field must be in every object, also in an empty list or text.
  constexpr auto Required() const { return With(Key::kRequired, true); }
  template <class L>
  constexpr auto Minimum(L limit) const {
    CheckLimit<L>();
    return With(Key::kMinimum, limit);
  }
  template <class L>
  constexpr auto Maximum(L limit) const {
    CheckLimit<L>();
    return With(Key::kMaximum, limit);
  }
  constexpr auto MinLength(std::int64_t characters) const {
    static_assert(kType == ValueType::kString, "MinLength() needs a member that is a std::string");
    return With(Key::kMinLength, characters);
  }
  constexpr auto MaxLength(std::int64_t characters) const {
    static_assert(kType == ValueType::kString, "MaxLength() needs a member that is a std::string");
    return With(Key::kMaxLength, characters);
  }
  constexpr auto MinItems(std::int64_t items) const {
    CheckList();
    return With(Key::kMinItems, items);
  }
  constexpr auto MaxItems(std::int64_t items) const {
    CheckList();
    return With(Key::kMaxItems, items);
  }
  // `regex` has RE2's syntax. It matches a part of the text, unless it has ^ and $.
  constexpr auto Pattern(std::string_view regex) const {
    static_assert(kType == ValueType::kString, "Pattern() needs a member that is a std::string");
    return With(Key::kPattern, regex);
  }
  template <class... Texts>
  constexpr auto Enum(Texts... texts) const {
    static_assert(kType == ValueType::kString, "Enum() needs a member that is a std::string");
    static_assert(sizeof...(texts) > 0, "Enum() takes the allowed texts");
    return WithAll(std::array{detail::MakeAttribute(Key::kEnum, texts)...});
  }
  template <class L>
  constexpr auto Default(L value) const {
    static_assert(kType != ValueType::kOther,
                  "Default() needs a member that is a bool, a number or a std::string");
    static_assert(kType == ValueType::kOther || detail::Fits<L>(kType),
                  "the type of Default()'s value is not that of the member");
    return With(Key::kDefault, value);
  }
  constexpr auto Description(std::string_view text) const { return With(Key::kDescription, text); }
  // `cel` is an expression about `self`.
  constexpr auto Rule(std::string_view cel, std::string_view message = {}) const {
    return Rule(ValidationRule{.rule = cel, .message = message});
  }
  constexpr auto Rule(const ValidationRule& rule) const {
    return WithAll(detail::AttributesOf(rule));
  }
  // A default as JSON: for a list, a map, a struct, a Quantity, a Duration or an IntOrString.
  constexpr auto DefaultJson(std::string_view json) const { return With(Key::kDefaultJson, json); }
  constexpr auto MultipleOf(std::int64_t divisor) const {
    CheckLimit<std::int64_t>();
    return With(Key::kMultipleOf, divisor);
  }
  // The API server checks "date-time", "uuid", "ipv4", "cidr", "email" and others, and ignores what
  // it does not know.
  constexpr auto Format(std::string_view name) const { return With(Key::kFormat, name); }
  // null is kept, and not read as a missing field by the API server.
  constexpr auto Nullable() const { return With(Key::kNullable, true); }
  constexpr auto MinProperties(std::int64_t members) const {
    return With(Key::kMinProperties, members);
  }
  constexpr auto MaxProperties(std::int64_t members) const {
    return With(Key::kMaxProperties, members);
  }
  // Writers own the map or struct as a whole.
  constexpr auto AtomicMap() const { return With(Key::kMapType, "atomic"); }
  // Attributes of the elements of a list or a map: Elements().MaxLength(63).Pattern("^[a-z]+$").
  template <std::size_t K>
  constexpr auto Each(const ElementAttributes<K>& elements) const {
    static_assert(detail::kIsVector<typename detail::WithoutOptional<Member>::type> ||
                      detail::kIsMap<typename detail::WithoutOptional<Member>::type>,
                  "Each() needs a std::vector or a std::map");
    return WithAll(elements.attributes());
  }
  // The elements of the list are unique texts or numbers; writers may own single elements.
  constexpr auto ListSet() const {
    CheckList();
    return With(Key::kListType, "set");
  }
  // The elements are structs, which these required fields identify.
  template <class... Keys>
  constexpr auto ListMap(Keys... keys) const {
    CheckList();
    static_assert(sizeof...(keys) > 0, "ListMap() takes the keys of the list");
    return WithAll(std::array{detail::MakeAttribute(Key::kListType, "map"),
                              detail::MakeAttribute(Key::kListKey, keys)...});
  }

  constexpr std::string_view name() const { return name_; }
  constexpr Member Owner::*member() const { return member_; }
  constexpr const std::tuple<Children...>& children() const { return children_; }
  constexpr std::span<const Attribute> attributes() const { return attributes_; }

 private:
  template <class O, class M, std::size_t K, class... C>
  friend class Field;

  template <std::size_t M, std::size_t K>
  constexpr Field(const Field<Owner, Member, M, Children...>& other,
                  const std::array<Attribute, K>& more)
      : name_(other.name_),
        member_(other.member_),
        children_(other.children_),
        attributes_(detail::Joined(other.attributes_, more)) {}

  template <class L>
  constexpr auto With(Key key, L value) const {
    return WithAll(std::array{detail::MakeAttribute(key, value)});
  }
  template <std::size_t K>
  constexpr auto WithAll(const std::array<Attribute, K>& more) const {
    return Field<Owner, Member, N + K, Children...>(*this, more);
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
  std::array<Attribute, N> attributes_ = {};
};

template <class Owner, class Member, class... Children>
Field(std::string_view, Member Owner::*, Children...) -> Field<Owner, Member, 0, Children...>;

namespace detail {

template <class Owner, class Member, std::size_t N, class... Children>
inline constexpr bool kIsField<Field<Owner, Member, N, Children...>> = true;

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

// How many members of a struct are not in JSON. Every other member is declared; a forgotten one is
// an error of the compiler.
template <class T>
inline constexpr std::size_t kOtherMembers = 0;

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
template <class T>
struct InnermostOf<Boxed<T>> : InnermostOf<T> {};
template <class T, class A>
struct InnermostOf<std::vector<T, A>> : InnermostOf<T> {};
template <class T>
struct InnermostOf<List<T>> : InnermostOf<T> {};
template <class K, class T, class C, class A>
struct InnermostOf<std::map<K, T, C, A>> : InnermostOf<T> {};
template <class T>
using Innermost = typename InnermostOf<T>::type;

// Calls `call` with the fields of the struct T. CheckKind() reports a struct without fields.
template <class T, class Children, class Call>
constexpr decltype(auto) WithFields(const Children& children, Call&& call) {
  if constexpr (std::tuple_size_v < Children >> 0) {
    return call(children);
  } else if constexpr (HasFields<T>) {
    return call(kFields<T>.tuple());
  } else {
    return call(std::tuple<>());
  }
}

}  // namespace detail

}  // namespace capstan
