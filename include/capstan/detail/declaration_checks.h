// SPDX-License-Identifier: Apache-2.0
// Checks the declarations of fields at compile time: types, names, defaults and the keys of lists.
// Only the library uses this header.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "capstan/codec.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/field.h"

#define CAPSTAN_UNDECLARED_MEMBER                                                     \
  "a member of a struct is not declared, so it is neither read nor written: add its " \
  "Field(), or set capstan::kOtherMembers of the struct"

namespace capstan::detail {

// AnyMember is what any member can be initialized with; AnyOptional is for a std::optional, whose
// constructors would take an AnyMember as well.
struct CAPSTAN_EXPORT AnyMember {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): its purpose
};
struct CAPSTAN_EXPORT AnyOptional {
  template <class T>
  operator std::optional<T>() const;  // NOLINT(google-explicit-constructor): its purpose
};

// Returns the number of members of an aggregate; of another class, 0.
template <class T, class... Members>
constexpr std::size_t CountMembers() {
  if constexpr (!std::is_aggregate_v<T>) {
    return 0;
  } else if constexpr (requires { T{Members()..., AnyMember()}; }) {
    return CountMembers<T, Members..., AnyMember>();
  } else if constexpr (requires { T{Members()..., AnyOptional()}; }) {
    return CountMembers<T, Members..., AnyOptional>();
  } else {
    return sizeof...(Members);
  }
}

// Reports whether all members of the struct T are among its `declared` fields. Inherited members
// are not counted.
template <class T>
constexpr bool DeclaresMembers(std::size_t declared) {
  return CountMembers<T>() <= declared + kOtherMembers<T>;
}

template <class F, class T>
constexpr bool CheckField();

template <class Tuple, class T>
struct FieldsCheck;
template <class T, class... F>
struct FieldsCheck<std::tuple<F...>, T> {
  static constexpr bool kOk = (CheckField<F, T>() && ...);
};

template <class T, class Children>
constexpr bool CheckValue() {
  using Inner = Innermost<T>;
  if constexpr (HasCodec<Inner>) {
    static_assert(std::tuple_size_v<Children> == 0,
                  "only a member that is a struct has fields of its own");
    return true;
  } else {
    static_assert(std::is_class_v<Inner>, "this type of member is not supported");
    if constexpr (std::tuple_size_v < Children >> 0) {
      static_assert(DeclaresMembers<Inner>(std::tuple_size_v<Children>), CAPSTAN_UNDECLARED_MEMBER);
      return FieldsCheck<Children, Inner>::kOk;
    } else {
      if constexpr (HasFields<Inner>) {
        using Fields = std::remove_cvref_t<decltype(kFields<Inner>.tuple())>;
        static_assert(DeclaresMembers<Inner>(std::tuple_size_v<Fields>), CAPSTAN_UNDECLARED_MEMBER);
      }
      static_assert(!std::is_class_v<Inner> || HasFields<Inner> || HasLayout<Inner>,
                    "this member is a struct whose fields are not declared: give them to its "
                    "Field(), or specialize capstan::kFields for it");
      return true;
    }
  }
}

template <class F, class T>
constexpr bool CheckField() {
  static_assert(std::is_base_of_v<typename F::owner_type, T>,
                "a field's member is not in the struct that it is declared for");
  using Children = std::remove_cvref_t<decltype(std::declval<F>().children())>;
  return CheckValue<typename F::member_type, Children>();
}

template <class... F>
constexpr bool NamesAreUnique(const std::tuple<F...>& fields) {
  if constexpr (sizeof...(F) > 1) {
    const std::array<std::string_view, sizeof...(F)> names = std::apply(
        [](const auto&... field) {
          return std::array<std::string_view, sizeof...(F)>{field.name()...};
        },
        fields);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (names[i] == names[j]) return false;
      }
    }
  }
  return std::apply([](const auto&... field) { return (NamesAreUnique(field.children()) && ...); },
                    fields);
}

template <class... F>
constexpr bool NamesAreSet(const std::tuple<F...>& fields) {
  return std::apply(
      [](const auto&... field) {
        return ((!field.name().empty() && NamesAreSet(field.children())) && ...);
      },
      fields);
}

constexpr double NumberOf(const Literal& literal) {
  return literal.type == Literal::Type::kNumber ? literal.number
                                                : static_cast<double>(literal.integer);
}

// The characters of a text in UTF-8, which minLength and maxLength count.
constexpr std::int64_t CountCharacters(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
  }
  return count;
}

// Returns nullopt if the field does not have the attribute. With UBSan, the address of a part of a
// declaration is not constant for GCC.
constexpr std::optional<Literal> FindAttribute(std::span<const Attribute> attributes,
                                               Attribute::Key key) {
  for (const Attribute& attribute : attributes) {
    if (attribute.key == key && attribute.depth == 0) return attribute.value;
  }
  return std::nullopt;
}

// Reports whether the field has no default, or one that its limits allow. It does not check a
// pattern.
constexpr bool DefaultFits(std::span<const Attribute> attributes) {
  const std::optional<Literal> value = FindAttribute(attributes, Attribute::Key::kDefault);
  if (!value) return true;
  bool has_enum = false;
  bool is_allowed = false;
  for (const auto& [key, limit, depth] : attributes) {
    if (depth > 0) continue;
    switch (key) {
      case Attribute::Key::kMinimum:
        if (NumberOf(*value) < NumberOf(limit)) return false;
        break;
      case Attribute::Key::kMaximum:
        if (NumberOf(*value) > NumberOf(limit)) return false;
        break;
      case Attribute::Key::kMinLength:
        if (CountCharacters(value->text) < limit.integer) return false;
        break;
      case Attribute::Key::kMaxLength:
        if (CountCharacters(value->text) > limit.integer) return false;
        break;
      case Attribute::Key::kEnum:
        has_enum = true;
        is_allowed = is_allowed || limit.text == value->text;
        break;
      default:
        break;
    }
  }
  return !has_enum || is_allowed;
}

// Calls `check` with the tuple of fields of the struct inside of a value, unless it is one of
// `Seen`, inside of which it lies. Returns whether it was true.
template <class T, class... Seen, class Children, class Check>
constexpr bool CheckStruct(const Children& children, const Check& check) {
  using Inner = Innermost<T>;
  if constexpr (HasCodec<Inner> || HasLayout<Inner> || (std::same_as<Inner, Seen> || ...)) {
    return true;
  } else {
    return WithFields<Inner>(children, [&](const auto& fields) { return check(fields); });
  }
}

// Returns whether all fields, and those of structs inside of them, have a default that fits.
template <class... Seen>
struct DefaultsFit {
  template <class... F>
  constexpr bool operator()(const std::tuple<F...>& fields) const {
    const auto fits = []<class F1>(const F1& field) {
      using Member = typename F1::member_type;
      return DefaultFits(field.attributes()) &&
             CheckStruct<Member, Seen...>(field.children(),
                                          DefaultsFit<Seen..., Innermost<Member>>());
    };
    return std::apply([&](const auto&... field) { return (fits(field) && ...); }, fields);
  }
};

// Reports whether a struct has a field of this name.
template <class... F>
constexpr bool HasFieldNamed(const std::tuple<F...>& fields, std::string_view name) {
  return std::apply([&](const auto&... field) { return ((field.name() == name) || ...); }, fields);
}

// Reports whether a struct has a field of this name that is required or has a default.
template <class... F>
constexpr bool HasKeyNamed(const std::tuple<F...>& fields, std::string_view name) {
  const auto is_key = [&](const auto& field) {
    return field.name() == name && (FindAttribute(field.attributes(), Attribute::Key::kRequired) ||
                                    FindAttribute(field.attributes(), Attribute::Key::kDefault));
  };
  return std::apply([&](const auto&... field) { return (is_key(field) || ...); }, fields);
}

// Returns whether the keys of all ListMaps are fields of the elements; if `Settable`, also whether
// they are required or have a default.
template <bool Settable, class... Seen>
struct ListKeysFit {
  template <class... F>
  constexpr bool operator()(const std::tuple<F...>& fields) const {
    const auto fits = []<class F1>(const F1& field) {
      using Member = typename F1::member_type;
      bool has_keys = false;
      const auto keys_fit = [&](const auto& element) {
        for (const Attribute& attribute : field.attributes()) {
          if (attribute.key != Attribute::Key::kListKey) continue;
          const std::string_view name = attribute.value.text;
          if (Settable ? !HasKeyNamed(element, name) : !HasFieldNamed(element, name)) return false;
        }
        return true;
      };
      for (const Attribute& attribute : field.attributes()) {
        has_keys = has_keys || attribute.key == Attribute::Key::kListKey;
      }
      if (HasCodec<Innermost<Member>> && has_keys) return false;
      return CheckStruct<Member>(field.children(), keys_fit) &&
             CheckStruct<Member, Seen...>(field.children(),
                                          ListKeysFit<Settable, Seen..., Innermost<Member>>());
    };
    return std::apply([&](const auto&... field) { return (fits(field) && ...); }, fields);
  }
};

}  // namespace capstan::detail
