// SPDX-License-Identifier: Apache-2.0
// Makes and checks the OpenAPI schema of a declared kind, for crd.h. Only the library uses this
// header.
#pragma once

#include <string_view>
#include <tuple>

#include "capstan/detail/declaration_checks.h"
#include "capstan/detail/kind_codec.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/runtime/json_writer.h"

namespace capstan::detail {

// Each of these writes members of the schema that is open.
CAPSTAN_EXPORT void WriteAttributes(runtime::JsonWriter& writer, const FieldAttributes& attributes);
CAPSTAN_EXPORT void WriteRules(runtime::JsonWriter& writer, const ValidationRule* begin,
                               const ValidationRule* end);
CAPSTAN_EXPORT void WriteType(runtime::JsonWriter& writer, std::string_view type);

// Writes the manifest up to the value of openAPIV3Schema, and the rest behind it.
CAPSTAN_EXPORT void BeginDefinition(runtime::JsonWriter& writer, const KindInfo& info);
CAPSTAN_EXPORT void EndDefinition(runtime::JsonWriter& writer, const KindInfo& info,
                                  bool has_status);
// Writes the head of the schema of an object up to the open object "properties".
CAPSTAN_EXPORT void BeginKindSchema(runtime::JsonWriter& writer, const KindInfo& info);

template <class... F>
void WriteProperties(runtime::JsonWriter& writer, const std::tuple<F...>& fields);

template <class... F>
constexpr bool HasRequiredField(const std::tuple<F...>& fields);

// Reports whether every object must have the field. A struct that always exists in C++ is required
// if one of its own fields is required and has no default.
template <class Owner, class Member, class... Children>
constexpr bool IsRequired(const Field<Owner, Member, Children...>& field) {
  if (field.attributes().required) return true;
  if constexpr (HasCodec<Member> || kIsOptional<Member> || kIsVector<Member> || kIsMap<Member>) {
    return false;
  } else {
    return WithFields<Member>(field.children(),
                              [](const auto& fields) { return HasRequiredField(fields); });
  }
}

// Reports whether any of the fields is required and has no default.
template <class... F>
constexpr bool HasRequiredField(const std::tuple<F...>& fields) {
  return std::apply(
      [](const auto&... field) {
        return ((IsRequired(field) && !field.attributes().default_value) || ...);
      },
      fields);
}

// Writes the names of the required fields, and of the spec if `with_spec`.
template <class... F>
void WriteRequired(runtime::JsonWriter& writer, const std::tuple<F...>& fields,
                   bool with_spec = false) {
  const auto required = [](const auto&... field) { return (IsRequired(field) || ...); };
  if (!with_spec && !std::apply(required, fields)) return;
  writer.Key("required");
  writer.StartArray();
  const auto write = [&](const auto& field) {
    if (IsRequired(field)) writer.String(field.name());
  };
  std::apply([&](const auto&... field) { (write(field), ...); }, fields);
  if (with_spec) writer.String("spec");
  writer.EndArray();
}

template <class... F>
void WriteStructSchema(runtime::JsonWriter& writer, const std::tuple<F...>& fields) {
  WriteType(writer, "object");
  WriteRequired(writer, fields);
  writer.Key("properties");
  writer.StartObject();
  WriteProperties(writer, fields);
  writer.EndObject();
}

template <class T, class Children>
void WriteValueSchema(runtime::JsonWriter& writer, const Children& children) {
  if constexpr (HasCodec<T>) {
    Codec<T>::WriteSchema(writer);
  } else if constexpr (kIsOptional<T>) {
    WriteValueSchema<typename T::value_type>(writer, children);
  } else if constexpr (kIsVector<T>) {
    WriteType(writer, "array");
    writer.Key("items");
    writer.StartObject();
    WriteValueSchema<typename T::value_type>(writer, children);
    writer.EndObject();
  } else if constexpr (kIsMap<T>) {
    WriteType(writer, "object");
    writer.Key("additionalProperties");
    writer.StartObject();
    WriteValueSchema<typename T::mapped_type>(writer, children);
    writer.EndObject();
  } else {
    WithFields<T>(children, [&](const auto& fields) { WriteStructSchema(writer, fields); });
  }
}

template <class... F>
void WriteProperties(runtime::JsonWriter& writer, const std::tuple<F...>& fields) {
  const auto write =
      [&]<class Owner, class Member, class... C>(const Field<Owner, Member, C...>& field) {
        writer.Key(field.name());
        writer.StartObject();
        WriteValueSchema<Member>(writer, field.children());
        WriteAttributes(writer, field.attributes());
        writer.EndObject();
      };
  std::apply([&](const auto&... field) { (write(field), ...); }, fields);
}

// Reports what every API server would reject in the definition, as errors of the compiler.
template <DeclaredKind T>
consteval bool CheckDefinition() {
  constexpr const KindInfo& kInfo = kKind<T>.info();
  static_assert(!kInfo.partial,
                "a Partial() kind is defined by others: its CustomResourceDefinition is theirs");
  static_assert(!kInfo.group.empty(), "a custom resource needs a group");
  static_assert(kInfo.group.empty() || kInfo.group.find('.') != std::string_view::npos,
                "the group of a custom resource is a domain with at least one dot: example.com");
  static_assert(IsVersionName(kInfo.version),
                "the version of a custom resource is written v1, v1beta1 or v1alpha1");
  return true;
}

// Writes the schema of the whole object.
template <DeclaredKind T>
void WriteKindSchema(runtime::JsonWriter& writer) {
  writer.StartObject();
  bool spec_required = false;
  if constexpr (kHasSpec<T>) spec_required = HasRequiredField(kKind<T>.spec());
  WriteRequired(writer, kKind<T>.fields(), spec_required);
  BeginKindSchema(writer, kKind<T>.info());
  WriteProperties(writer, kKind<T>.fields());
  if constexpr (kHasSpec<T>) {
    writer.Key("spec");
    writer.StartObject();
    WriteStructSchema(writer, kKind<T>.spec());
    writer.EndObject();
  }
  if constexpr (kHasStatus<T>) {
    writer.Key("status");
    writer.StartObject();
    WriteStructSchema(writer, kKind<T>.status());
    writer.EndObject();
  }
  writer.EndObject();
  writer.EndObject();
}

}  // namespace capstan::detail
