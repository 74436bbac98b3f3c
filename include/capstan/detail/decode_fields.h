// SPDX-License-Identifier: Apache-2.0
// Reads JSON into a struct whose fields are declared. Only the library uses this header.
//
// A value is read by its Codec, or it is a std::optional, std::vector, std::map or struct of such
// values.
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <utility>

#include "capstan/codec.h"
#include "capstan/field.h"
#include "capstan/runtime/json_value.h"

namespace capstan::detail {

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

}  // namespace capstan::detail
