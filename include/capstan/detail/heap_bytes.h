// SPDX-License-Identifier: Apache-2.0
// Returns the heap bytes of the values in a struct whose fields are declared. Only the library uses
// this header.
#pragma once

#include <cstddef>
#include <tuple>

#include "capstan/codec.h"
#include "capstan/field.h"
#include "capstan/heap.h"

namespace capstan::detail {

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

}  // namespace capstan::detail
