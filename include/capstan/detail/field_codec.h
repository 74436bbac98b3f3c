// SPDX-License-Identifier: Apache-2.0
// The code that the headers of this folder make from fields: reading, writing, heap bytes and paths
// of a value. It is not API.
//
// A value is read and written by its Codec, or it is a std::optional, std::vector, std::map or
// struct of such values. The fields of a struct come with the Field, or else from kFields.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "capstan/codec.h"
#include "capstan/export.h"
#include "capstan/field.h"
#include "capstan/heap.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/projection.h"

namespace capstan::detail {

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

// ---- Checks of a declaration

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

// Calls `check` with the tuple of fields of each struct inside of a value; true: all are.
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

// ---- Reading

template <class... F, class T>
bool DecodeFields(const std::tuple<F...>& fields, const runtime::JsonValue& json, T& to,
                  DecodeProblem& problem);

template <class Children, class T>
bool DecodeValue(const Children& children, const runtime::JsonValue& json, T& to,
                 DecodeProblem& problem) {
  if constexpr (HasCodec<T>) {
    return Codec<T>::Decode(json, to, problem);
  } else if constexpr (kIsOptional<T>) {
    return DecodeValue(children, json, to.emplace(), problem);
  } else if constexpr (kIsVector<T>) {
    if (!runtime::IsJsonArray(json)) return problem.Set("not an array");
    const runtime::JsonElements elements(json);
    to.clear();
    to.reserve(elements.size());
    for (const runtime::JsonValue& element : elements) {
      if (runtime::TypeOfJson(element) == runtime::JsonType::kNull) {
        to.emplace_back();
        continue;
      }
      typename T::value_type value{};
      if (!DecodeValue(children, element, value, problem)) return problem.At(to.size());
      to.push_back(std::move(value));
    }
    return true;
  } else if constexpr (kIsMap<T>) {
    if (!runtime::IsJsonObject(json)) return problem.Set("not an object");
    to.clear();
    for (const auto& [name, member] : runtime::JsonMembers(json)) {
      auto& value = to.try_emplace(std::string(name)).first->second;
      if (runtime::TypeOfJson(member) == runtime::JsonType::kNull) continue;
      if (!DecodeValue(children, member, value, problem)) return problem.At(name);
    }
    return true;
  } else {
    return WithFields<T>(
        children, [&](const auto& fields) { return DecodeFields(fields, json, to, problem); });
  }
}

template <class T>
void SetLiteral(const Literal& literal, T& to) {
  if constexpr (kIsOptional<T>) {
    SetLiteral(literal, to.emplace());
  } else if constexpr (std::same_as<T, bool>) {
    to = literal.boolean;
  } else if constexpr (std::integral<T>) {
    to = static_cast<T>(literal.integer);
  } else if constexpr (std::floating_point<T>) {
    to = literal.type == Literal::Type::kNumber ? static_cast<T>(literal.number)
                                                : static_cast<T>(literal.integer);
  } else if constexpr (std::same_as<T, std::string>) {
    to = literal.text;
  }
}

template <class F, class T>
bool DecodeField(const F& field, const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
  auto& member = to.*field.member();
  const runtime::JsonValue* value = runtime::FindNonNull(json, field.name());
  if (value == nullptr) {
    if (field.attributes().default_value) SetLiteral(field.attributes().default_value, member);
    return true;
  }
  return DecodeValue(field.children(), *value, member, problem) || problem.At(field.name());
}

template <class... F, class T>
bool DecodeFields(const std::tuple<F...>& fields, const runtime::JsonValue& json, T& to,
                  DecodeProblem& problem) {
  if (!runtime::IsJsonObject(json)) return problem.Set("not an object");
  if (!problem.Enter()) return false;
  const bool decoded = std::apply(
      [&](const auto&... field) { return (DecodeField(field, json, to, problem) && ...); }, fields);
  problem.Leave();
  return decoded;
}

// ---- Writing

template <class Children, class T>
bool IsEmptyValue(const Children& children, const T& value);

// Reports whether the field is left out of the JSON of its object.
template <class F, class T>
bool IsOmitted(const F& field, const T& object) {
  const auto& value = object.*field.member();
  if constexpr (kIsOptional<typename F::member_type>) {
    return !value.has_value();
  } else {
    if (field.attributes().required || field.attributes().default_value) return false;
    return IsEmptyValue(field.children(), value);
  }
}

template <class Children, class T>
bool IsEmptyValue(const Children& children, const T& value) {
  if constexpr (HasCodec<T>) {
    return Codec<T>::IsEmpty(value);
  } else if constexpr (kIsOptional<T>) {
    return !value.has_value();
  } else if constexpr (kIsVector<T> || kIsMap<T>) {
    return value.empty();
  } else {
    return WithFields<T>(children, [&](const auto& fields) {
      return std::apply([&](const auto&... field) { return (IsOmitted(field, value) && ...); },
                        fields);
    });
  }
}

template <class... F, class T>
void EncodeMembers(const std::tuple<F...>& fields, runtime::JsonWriter& writer, const T& from);

template <class Children, class T>
void EncodeValue(const Children& children, runtime::JsonWriter& writer, const T& from) {
  if constexpr (HasCodec<T>) {
    Codec<T>::Encode(writer, from);
  } else if constexpr (kIsOptional<T>) {
    if (from) {
      EncodeValue(children, writer, *from);
    } else {
      writer.Null();
    }
  } else if constexpr (kIsVector<T>) {
    writer.StartArray();
    for (const typename T::value_type& element : from) EncodeValue(children, writer, element);
    writer.EndArray();
  } else if constexpr (kIsMap<T>) {
    writer.StartObject();
    for (const auto& [key, value] : from) {
      writer.Key(key);
      EncodeValue(children, writer, value);
    }
    writer.EndObject();
  } else {
    writer.StartObject();
    WithFields<T>(children, [&](const auto& fields) { EncodeMembers(fields, writer, from); });
    writer.EndObject();
  }
}

template <class F, class T>
void EncodeField(const F& field, runtime::JsonWriter& writer, const T& from) {
  if (IsOmitted(field, from)) return;
  writer.Key(field.name());
  EncodeValue(field.children(), writer, from.*field.member());
}

template <class... F, class T>
void EncodeMembers(const std::tuple<F...>& fields, runtime::JsonWriter& writer, const T& from) {
  std::apply([&](const auto&... field) { (EncodeField(field, writer, from), ...); }, fields);
}

// ---- Memory

template <class... F, class T>
std::size_t HeapBytesOfFields(const std::tuple<F...>& fields, const T& value);

template <class Children, class T>
std::size_t HeapBytesOfValue(const Children& children, const T& value) {
  if constexpr (HasCodec<T>) {
    return Codec<T>::HeapBytes(value);
  } else if constexpr (kIsOptional<T>) {
    return value ? HeapBytesOfValue(children, *value) : 0;
  } else if constexpr (kIsVector<T>) {
    if (value.capacity() == 0) return 0;
    std::size_t bytes = HeapBlockBytes(value.capacity() * sizeof(typename T::value_type));
    for (const typename T::value_type& element : value)
      bytes += HeapBytesOfValue(children, element);
    return bytes;
  } else if constexpr (kIsMap<T>) {
    constexpr std::size_t kNodeBytes =
        HeapBlockBytes(sizeof(typename T::value_type) + 4 * sizeof(void*));
    std::size_t bytes = 0;
    for (const auto& [key, element] : value) {
      bytes += kNodeBytes + HeapBytesOf(key) + HeapBytesOfValue(children, element);
    }
    return bytes;
  } else {
    return WithFields<T>(children,
                         [&](const auto& fields) { return HeapBytesOfFields(fields, value); });
  }
}

template <class... F, class T>
std::size_t HeapBytesOfFields(const std::tuple<F...>& fields, const T& value) {
  return std::apply(
      [&](const auto&... field) {
        return (std::size_t{0} + ... + HeapBytesOfValue(field.children(), value.*field.member()));
      },
      fields);
}

// ---- Paths

using Path = runtime::Projection::Path;

template <class... F>
void AddPaths(const std::tuple<F...>& fields, const Path& prefix, std::vector<Path>& paths);

// Adds the paths of a value at `path`. Lists have no step of their own, and "*" is any key of a
// map.
template <class T, class Children>
void AddPathsOfValue(const Children& children, Path path, std::vector<Path>& paths) {
  if constexpr (std::same_as<T, ObjectMeta>) {
    for (const Path& below : ObjectMetaPaths()) {
      Path whole = path;
      whole.insert(whole.end(), below.begin(), below.end());
      paths.push_back(std::move(whole));
    }
  } else if constexpr (HasCodec<Innermost<T>> && !std::same_as<Innermost<T>, ObjectMeta>) {
    paths.push_back(std::move(path));
  } else if constexpr (kIsOptional<T> || kIsVector<T>) {
    AddPathsOfValue<typename T::value_type>(children, std::move(path), paths);
  } else if constexpr (kIsMap<T>) {
    path.emplace_back("*");
    AddPathsOfValue<typename T::mapped_type>(children, std::move(path), paths);
  } else {
    WithFields<T>(children, [&](const auto& fields) { AddPaths(fields, path, paths); });
  }
}

template <class... F>
void AddPaths(const std::tuple<F...>& fields, const Path& prefix, std::vector<Path>& paths) {
  const auto add =
      [&]<class Owner, class Member, class... C>(const Field<Owner, Member, C...>& field) {
        Path path = prefix;
        path.emplace_back(field.name());
        AddPathsOfValue<Member>(field.children(), std::move(path), paths);
      };
  std::apply([&](const auto&... field) { (add(field), ...); }, fields);
}

}  // namespace capstan::detail
