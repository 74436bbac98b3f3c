// SPDX-License-Identifier: Apache-2.0
// Checks the declarations of fields at compile time: types, names, defaults and the keys of lists.
// Only the library uses this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "capstan/codec.h"
#include "capstan/export.h"
#include "capstan/field.h"

namespace capstan::detail {

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
      return FieldsCheck<Children, Inner>::kOk;
    } else {
      static_assert(HasFields<Inner>,
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

// Reports whether the field has no default, or one that its limits allow. It does not check a
// pattern.
constexpr bool DefaultFits(const FieldAttributes& attributes) {
  const Literal& value = attributes.default_value;
  if (!value) return true;
  if (attributes.minimum && NumberOf(value) < NumberOf(attributes.minimum)) return false;
  if (attributes.maximum && NumberOf(value) > NumberOf(attributes.maximum)) return false;
  if (value.type != Literal::Type::kString) return true;
  const std::int64_t size = CountCharacters(value.text);
  if (attributes.min_length != FieldAttributes::kNoLimit && size < attributes.min_length) {
    return false;
  }
  if (attributes.max_length != FieldAttributes::kNoLimit && size > attributes.max_length) {
    return false;
  }
  if (attributes.allowed.empty()) return true;
  for (const std::string_view allowed : attributes.allowed) {
    if (allowed == value.text) return true;
  }
  return false;
}

// Calls `check` with the tuple of fields of each struct inside of a value. Returns
// whether it was true for all of them.
template <class T, class Children, class Check>
constexpr bool CheckStructs(const Children& children, const Check& check) {
  using Inner = Innermost<T>;
  if constexpr (HasCodec<Inner>) {
    return true;
  } else {
    return WithFields<Inner>(children, [&](const auto& fields) { return check(fields); });
  }
}

// Returns whether all fields, and those of structs inside of them, have a default that fits.
struct CAPSTAN_EXPORT DefaultsFit {
  template <class... F>
  constexpr bool operator()(const std::tuple<F...>& fields) const {
    const auto fits =
        [this]<class Owner, class Member, class... C>(const Field<Owner, Member, C...>& field) {
          return DefaultFits(field.attributes()) && CheckStructs<Member>(field.children(), *this);
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
    return field.name() == name &&
           (field.attributes().required || field.attributes().default_value);
  };
  return std::apply([&](const auto&... field) { return (is_key(field) || ...); }, fields);
}

// Returns whether the keys of all ListMaps are fields of the elements; if `settable`, also whether
// they are required or have a default.
struct CAPSTAN_EXPORT ListKeysFit {
  bool settable = false;

  template <class... F>
  constexpr bool operator()(const std::tuple<F...>& fields) const {
    const auto fits =
        [this]<class Owner, class Member, class... C>(const Field<Owner, Member, C...>& field) {
          const auto keys_fit = [&](const auto& element) {
            for (const std::string_view key : field.attributes().list_keys) {
              if (settable ? !HasKeyNamed(element, key) : !HasFieldNamed(element, key))
                return false;
            }
            return (*this)(element);
          };
          if (HasCodec<Innermost<Member>> && !field.attributes().list_keys.empty()) return false;
          return CheckStructs<Member>(field.children(), keys_fit);
        };
    return std::apply([&](const auto&... field) { return (fits(field) && ...); }, fields);
  }
};

}  // namespace capstan::detail
