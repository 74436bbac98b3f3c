// SPDX-License-Identifier: Apache-2.0
// Makes the layouts (layout.h) of C++ types and of declared fields. Only the library and generated
// types use this header.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/codec.h"
#include "capstan/detail/layout.h"
#include "capstan/field.h"
#include "capstan/heap.h"
#include "capstan/object_meta.h"

namespace capstan::detail {

template <class T>
void SetLiteral(const Literal& literal, void* to) {
  T& value = *static_cast<T*>(to);
  if constexpr (std::same_as<T, bool>) {
    value = literal.boolean;
  } else if constexpr (std::integral<T>) {
    value = static_cast<T>(literal.integer);
  } else if constexpr (std::floating_point<T>) {
    value = literal.type == Literal::Type::kNumber ? static_cast<T>(literal.number)
                                                   : static_cast<T>(literal.integer);
  } else {
    value = std::string(literal.text);
  }
}

template <class T>
constexpr ScalarLayout MakeScalar() {
  ScalarLayout scalar{
      .decode = [](const runtime::JsonValue& json, void* to, DecodeProblem& problem) -> bool {
        return Codec<T>::Decode(json, *static_cast<T*>(to), problem);
      },
      .encode = [](runtime::JsonWriter& writer,
                   const void* from) { Codec<T>::Encode(writer, *static_cast<const T*>(from)); },
      .is_empty = [](const void* value) -> bool {
        return Codec<T>::IsEmpty(*static_cast<const T*>(value));
      },
      .is_zero = nullptr,
      .equal = nullptr,
      .heap_bytes = [](const void* value) -> std::size_t {
        return Codec<T>::HeapBytes(*static_cast<const T*>(value));
      },
      .write_schema = [](runtime::JsonWriter& writer) { Codec<T>::WriteSchema(writer); },
      .set = nullptr,
      .paths = nullptr};
  if constexpr (std::is_arithmetic_v<T>) {
    scalar.is_zero = [](const void* value) { return *static_cast<const T*>(value) == T(); };
  }
  if constexpr (std::equality_comparable<T>) {
    scalar.equal = [](const void* a, const void* b) -> bool {
      return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    };
  }
  if constexpr (Codec<T>::kType != ValueType::kOther) scalar.set = &SetLiteral<T>;
  if constexpr (std::same_as<T, ObjectMeta>) scalar.paths = &ObjectMetaPaths;
  return scalar;
}
template <class T>
inline constexpr ScalarLayout kScalar = MakeScalar<T>();

template <class T>
inline constexpr std::size_t kBoxBytes = 0;
template <class T>
inline constexpr std::size_t kBoxBytes<Boxed<T>> = HeapBlockBytes(sizeof(T));

template <class T>
inline constexpr OptionalLayout kOptional = {.emplace = [](void* optional) -> void* {
                                               T& value = *static_cast<T*>(optional);
                                               // For clang, an optional of a struct inside of its
                                               // struct has no emplace() without arguments.
                                               value = typename T::value_type();
                                               return std::addressof(*value);
                                             },
                                             .get = [](const void* optional) -> const void* {
                                               const T& value = *static_cast<const T*>(optional);
                                               return value ? std::addressof(*value) : nullptr;
                                             },
                                             .heap_bytes = kBoxBytes<T>};

template <class T>
inline constexpr ListLayout kList = {
    .reset =
        [](void* list, std::size_t capacity) {
          static_cast<T*>(list)->clear();
          static_cast<T*>(list)->reserve(capacity);
        },
    .append = [](void* list) -> void* {
      return std::addressof(static_cast<T*>(list)->emplace_back());
    },
    .elements = [](const void* list) -> ListLayout::Elements {
      const T& value = *static_cast<const T*>(list);
      return {.first = value.data(), .size = value.size(), .capacity = value.capacity()};
    }};

template <class T>
inline constexpr MapLayout kMap = {
    .clear = [](void* map) { static_cast<T*>(map)->clear(); },
    .insert = [](void* map, std::string_view key) -> void* {
      return std::addressof(static_cast<T*>(map)->try_emplace(std::string(key)).first->second);
    },
    .find = [](const void* map, const std::string& key) -> const void* {
      const auto found = static_cast<const T*>(map)->find(key);
      return found == static_cast<const T*>(map)->end() ? nullptr : &found->second;
    },
    .visit =
        [](const void* map, MapLayout::Visit visit, void* context) {
          for (const auto& [key, value] : *static_cast<const T*>(map)) visit(context, key, &value);
        },
    .size = [](const void* map) -> std::size_t { return static_cast<const T*>(map)->size(); },
    // A node of a red-black tree has a colour and three pointers.
    .node_bytes = HeapBlockBytes(sizeof(typename T::value_type) + 4 * sizeof(void*))};

template <class T>
const StructLayout& StructLayoutOf();

template <class T>
constexpr ValueLayout MakeLayout();

// The layout of a type whose structs declare their fields themselves.
template <class T>
inline constexpr ValueLayout kLayout = MakeLayout<T>();

template <class T>
constexpr ValueLayout MakeLayout() {
  using Form = ValueLayout::Form;
  if constexpr (HasCodec<T>) {
    return {.form = Form::kScalar, .size = sizeof(T), .scalar = &kScalar<T>};
  } else if constexpr (kIsOptional<T>) {
    return {.form = Form::kOptional,
            .size = sizeof(T),
            .optional = &kOptional<T>,
            .element = &kLayout<typename T::value_type>};
  } else if constexpr (kIsVector<T>) {
    return {.form = Form::kList,
            .size = sizeof(T),
            .list = &kList<T>,
            .element = &kLayout<typename T::value_type>};
  } else if constexpr (kIsMap<T>) {
    return {.form = Form::kMap,
            .size = sizeof(T),
            .map = &kMap<T>,
            .element = &kLayout<typename T::mapped_type>};
  } else if constexpr (HasFields<T> || HasLayout<T>) {
    constexpr bool kIsUnion = requires { T::kIsUnion; };
    return {.form = kIsUnion ? Form::kUnion : Form::kStruct,
            .size = sizeof(T),
            .fields = &StructLayoutOf<T>};
  } else {
    return {};  // CheckKind() reports it
  }
}

// Returns the layout of the struct T with these fields.
template <class T, class... F>
StructLayout MakeStructLayout(const std::tuple<F...>& fields);

// Returns the layout of the type T whose innermost struct has these fields.
template <class T, class... F>
const ValueLayout* MakeLayoutWith(const std::tuple<F...>& fields) {
  if constexpr (sizeof...(F) == 0) {
    return &kLayout<T>;
  } else {
    auto* layout = new ValueLayout();  // as long as the program, like the declaration
    layout->size = sizeof(T);
    if constexpr (kIsOptional<T>) {
      layout->form = ValueLayout::Form::kOptional;
      layout->optional = &kOptional<T>;
      layout->element = MakeLayoutWith<typename T::value_type>(fields);
    } else if constexpr (kIsVector<T>) {
      layout->form = ValueLayout::Form::kList;
      layout->list = &kList<T>;
      layout->element = MakeLayoutWith<typename T::value_type>(fields);
    } else if constexpr (kIsMap<T>) {
      layout->form = ValueLayout::Form::kMap;
      layout->map = &kMap<T>;
      layout->element = MakeLayoutWith<typename T::mapped_type>(fields);
    } else {
      layout->form = ValueLayout::Form::kStruct;
      layout->own_fields = new StructLayout(MakeStructLayout<T>(fields));
    }
    return layout;
  }
}

// Returns the offset of a member in T, which has it or inherits it.
template <class T, class Owner, class Member>
std::size_t OffsetOf(const T& object, Member Owner::*member) {
  if constexpr (std::is_base_of_v<Owner, T>) {
    const auto* const address = reinterpret_cast<const char*>(std::addressof(object.*member));
    return static_cast<std::size_t>(address -
                                    reinterpret_cast<const char*>(std::addressof(object)));
  } else {
    return 0;  // CheckKind() reports it
  }
}

template <class T, class Owner, class Member, std::size_t N, class... C>
FieldLayout MakeField(const T& object, const Field<Owner, Member, N, C...>& field) {
  FieldLayout layout{.name = field.name(),
                     .value = MakeLayoutWith<Member>(field.children()),
                     .offset = OffsetOf(object, field.member()),
                     .attributes = field.attributes()};
  for (const Attribute& attribute : layout.attributes) {
    if (attribute.depth > 0) continue;
    if (attribute.key == Attribute::Key::kRequired) layout.required = true;
    if (attribute.key == Attribute::Key::kDefault ||
        attribute.key == Attribute::Key::kDefaultJson) {
      layout.default_value = &attribute;
    }
  }
  return layout;
}

template <class T, class... F>
void AddFields(const T& object, const std::tuple<F...>& fields, std::vector<FieldLayout>& to) {
  std::apply([&](const auto&... field) { (to.push_back(MakeField(object, field)), ...); }, fields);
}

template <class T, class... F>
StructLayout MakeStructLayout(const std::tuple<F...>& fields) {
  std::vector<FieldLayout> made;
  made.reserve(sizeof...(F));
  AddFields(T(), fields, made);
  return StructLayout(std::move(made));
}

// A layout that is made stays as long as the program, so that it may be used while the program
// ends.
template <class T>
const StructLayout& LayoutOfFields() {
  static const StructLayout& layout = *new StructLayout(MakeStructLayout<T>(kFields<T>.tuple()));
  return layout;
}

template <class T>
const StructLayout& StructLayoutOf() {
  if constexpr (HasLayout<T>) {
    return LayoutOf(static_cast<const T*>(nullptr));
  } else {
    return LayoutOfFields<T>();
  }
}

}  // namespace capstan::detail
