// SPDX-License-Identifier: Apache-2.0
// What the sources of generated types consist of: for each struct the table by which it is read and
// written. hack/api_kinds.py and `capstan generate types` write them.
//
// CAPSTAN_LAYOUT(Port, CAPSTAN_REQUIRED(Port, "containerPort", container_port)) defines the two
// functions that the header of Port declares: operator== and LayoutOf(const Port*).
#pragma once

#include <cstddef>

#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"

// offsetof of a struct that has a std::map is conditionally supported. GCC and clang support it.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
// A definition can be longer than the 65,536 characters that every compiler must take.
#pragma GCC diagnostic ignored "-Woverlength-strings"

// NOLINTBEGIN(bugprone-macro-parentheses): Struct and member are names
#define CAPSTAN_ROW(Struct, json_name, member, ...)                                  \
  capstan::detail::FieldLayout {                                                     \
    .name = json_name, .value = &capstan::detail::kLayout<decltype(Struct::member)>, \
    .offset = offsetof(Struct, member) __VA_OPT__(, ) __VA_ARGS__                    \
  }

// An empty text, list, map or struct is not written; nor is an optional or a Boxed without a value.
#define CAPSTAN_FIELD(Struct, json_name, member) CAPSTAN_ROW(Struct, json_name, member)
// It is always written.
#define CAPSTAN_REQUIRED(Struct, json_name, member) \
  CAPSTAN_ROW(Struct, json_name, member, .required = true)
// A number or boolean that is not written if it is 0 or false.
#define CAPSTAN_NUMBER(Struct, json_name, member) \
  CAPSTAN_ROW(Struct, json_name, member, .omit_zero = true)
// kMetadata, kSpec or kStatus of a kind.
#define CAPSTAN_PART(Struct, json_name, member, name) \
  CAPSTAN_ROW(Struct, json_name, member, .part = capstan::detail::FieldLayout::Part::name)

// The rows follow the name of the struct.
#define CAPSTAN_LAYOUT(Struct, ...)                                        \
  const capstan::detail::StructLayout& LayoutOf(const Struct*) {           \
    static constexpr capstan::detail::FieldLayout kRows[] = {__VA_ARGS__}; \
    static const capstan::detail::StructLayout layout{                     \
        capstan::detail::StructLayout::Fields(kRows)};                     \
    return layout;                                                         \
  }                                                                        \
  bool operator==(const Struct& a, const Struct& b) {                      \
    return capstan::detail::AreEqual(LayoutOf(&a), &a, &b);                \
  }
// Of a struct without fields.
#define CAPSTAN_EMPTY_LAYOUT(Struct)                             \
  const capstan::detail::StructLayout& LayoutOf(const Struct*) { \
    static const capstan::detail::StructLayout layout;           \
    return layout;                                               \
  }                                                              \
  bool operator==(const Struct&, const Struct&) { return true; }
// NOLINTEND(bugprone-macro-parentheses)
