// SPDX-License-Identifier: Apache-2.0
// Writes a struct whose fields are declared as JSON, without the fields that are omitted. Only the
// library uses this header.
#pragma once

#include <tuple>

#include "capstan/codec.h"
#include "capstan/field.h"
#include "capstan/runtime/json_writer.h"

namespace capstan::detail {

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

}  // namespace capstan::detail
