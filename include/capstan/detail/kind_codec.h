// SPDX-License-Identifier: Apache-2.0
// KindCodec and its parts are what typed_object.h and crd.h make of a declared kind. Only the
// library uses this header.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "capstan/detail/declaration_checks.h"
#include "capstan/detail/decode_fields.h"
#include "capstan/detail/encode_members.h"
#include "capstan/detail/field_paths.h"
#include "capstan/detail/heap_bytes.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::detail {

template <class T>
using KindOf = std::remove_cvref_t<decltype(kKind<T>)>;
template <class T>
inline constexpr bool kHasSpec = !std::same_as<typename KindOf<T>::spec_type, Undeclared>;
template <class T>
inline constexpr bool kHasMetadataFields =
    !std::same_as<typename KindOf<T>::metadata_type, Undeclared>;

// Returns whether `check` is true for the fields of the object, of its spec and of its status.
template <DeclaredKind T, class Check>
constexpr bool HoldsForParts(const Check& check) {
  bool holds = check(kKind<T>.fields());
  if constexpr (kHasSpec<T>) holds = holds && check(kKind<T>.spec());
  if constexpr (kHasStatus<T>) holds = holds && check(kKind<T>.status());
  return holds;
}

constexpr bool HaveKnownTypes(const KindInfo& info) {
  for (const PrinterColumn& column : info.columns) {
    if (column.type != "integer" && column.type != "number" && column.type != "string" &&
        column.type != "boolean" && column.type != "date") {
      return false;
    }
  }
  return true;
}

constexpr bool HavePaths(const KindInfo& info) {
  for (const PrinterColumn& column : info.columns) {
    if (!column.json_path.starts_with('.')) return false;
  }
  return true;
}

constexpr bool HaveNames(const KindInfo& info) {
  for (const PrinterColumn& column : info.columns) {
    if (column.name.empty()) return false;
  }
  return true;
}

// Reports mistakes in the attributes, which every API server would reject in a definition. The
// other fields of a Partial() kind are not known.
template <DeclaredKind T>
consteval bool CheckAttributes() {
  constexpr const KindInfo& kInfo = kKind<T>.info();
  static_assert(HoldsForParts<T>(DefaultsFit()),
                "the value of a Default() is outside of the field's limits or its Enum()");
  static_assert(HoldsForParts<T>(ListKeysFit()),
                "a key of a ListMap() is not the name of a field of the list's elements");
  static_assert(!HoldsForParts<T>(ListKeysFit()) || HoldsForParts<T>(ListKeysFit{.settable = true}),
                "a key of a ListMap() is a field that is Required() or has a Default()");
  static_assert(HaveNames(kInfo), "a Column() needs a name");
  static_assert(HaveKnownTypes(kInfo),
                "the type of a Column() is integer, number, string, boolean or date");
  static_assert(HavePaths(kInfo), "the json_path of a Column() starts with a dot: .spec.replicas");
  return true;
}

// Reports mistakes in a declaration as errors of the compiler.
template <DeclaredKind T>
consteval bool CheckKind() {
  constexpr const auto& kDeclared = kKind<T>;
  constexpr const KindInfo& kInfo = kDeclared.info();
  static_assert(std::is_default_constructible_v<T>,
                "the struct of a kind must be default-constructible");
  static_assert(kInfo.scope != KindInfo::Scope::kUndeclared,
                "a kind is .Namespaced() or .ClusterScoped()");
  static_assert(!kInfo.version.empty() && !kInfo.kind.empty() && !kInfo.plural.empty(),
                "a kind has a version, a kind and a plural name");
  static_assert(FieldsCheck<typename KindOf<T>::fields_type, T>::kOk);
  static_assert(NamesAreUnique(kDeclared.fields()), "two fields have the same name");
  static_assert(NamesAreSet(kDeclared.fields()), "a field has an empty name");
  if constexpr (kHasSpec<T>) {
    static_assert(
        requires { &T::spec; }, "a kind with Spec() needs a member `spec`");
    static_assert(FieldsCheck<typename KindOf<T>::spec_type, decltype(T::spec)>::kOk);
    static_assert(NamesAreUnique(kDeclared.spec()), "two fields of the spec have the same name");
    static_assert(NamesAreSet(kDeclared.spec()), "a field has an empty name");
  }
  if constexpr (kHasStatus<T>) {
    static_assert(
        requires { &T::status; }, "a kind with Status() needs a member `status`");
    static_assert(FieldsCheck<typename KindOf<T>::status_type, decltype(T::status)>::kOk);
    static_assert(NamesAreUnique(kDeclared.status()),
                  "two fields of the status have the same name");
    static_assert(NamesAreSet(kDeclared.status()), "a field has an empty name");
  }
  if constexpr (kHasMetadataFields<T>) {
    static_assert(
        requires { &T::metadata; }, "a kind with Metadata() needs a member `metadata`");
    static_assert(!HasObjectMeta<T>,
                  "a member `ObjectMeta metadata` needs no Metadata(): all its fields are known");
    static_assert(FieldsCheck<typename KindOf<T>::metadata_type, decltype(T::metadata)>::kOk);
    static_assert(NamesAreUnique(kDeclared.metadata()),
                  "two fields of metadata have the same name");
  } else {
    static_assert(
        HasObjectMeta<T> || !requires { &T::metadata; },
        "the member `metadata` must be a capstan::ObjectMeta, or declared by Metadata()");
  }
  if constexpr (!kInfo.partial) static_assert(CheckAttributes<T>());
  return true;
}

// Reads the member metadata, if there is one.
CAPSTAN_EXPORT bool DecodeMetadata(const runtime::JsonValue& json, ObjectMeta& to,
                                   DecodeProblem& problem);

// Reads one of metadata, spec and status. A missing part keeps its initial value.
template <class Tuple, class Part>
bool DecodePart(const runtime::JsonValue& json, std::string_view name, const Tuple& fields,
                Part& to, DecodeProblem& problem) {
  const runtime::JsonValue* part = runtime::FindNonNull(json, name);
  return part == nullptr || DecodeFields(fields, *part, to, problem) || problem.At(name);
}

template <DeclaredKind T>
bool DecodeKind(const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
  if constexpr (HasObjectMeta<T>) {
    if (!DecodeMetadata(json, to.metadata, problem)) return false;
  } else if constexpr (kHasMetadataFields<T>) {
    if (!DecodePart(json, "metadata", kKind<T>.metadata(), to.metadata, problem)) return false;
  }
  if constexpr (kHasSpec<T>) {
    if (!DecodePart(json, "spec", kKind<T>.spec(), to.spec, problem)) return false;
  }
  if constexpr (kHasStatus<T>) {
    if (!DecodePart(json, "status", kKind<T>.status(), to.status, problem)) return false;
  }
  return DecodeFields(kKind<T>.fields(), json, to, problem);
}

template <class T>
std::size_t HeapBytesOfKind(const T& object) {
  if constexpr (DeclaredKind<T>) {
    std::size_t bytes = HeapBytesOfFields(kKind<T>.fields(), object);
    if constexpr (HasObjectMeta<T>) bytes += HeapBytesOf(object.metadata);
    if constexpr (kHasMetadataFields<T>) {
      bytes += HeapBytesOfFields(kKind<T>.metadata(), object.metadata);
    }
    if constexpr (kHasSpec<T>) bytes += HeapBytesOfFields(kKind<T>.spec(), object.spec);
    if constexpr (kHasStatus<T>) bytes += HeapBytesOfFields(kKind<T>.status(), object.status);
    return bytes;
  } else {
    return object.HeapBytes();
  }
}

template <DeclaredKind T>
std::vector<Path> PathsOfKind() {
  std::vector<Path> paths;
  AddPaths(kKind<T>.fields(), {}, paths);
  if constexpr (HasObjectMeta<T>) AddPathsOfValue<ObjectMeta>(std::tuple<>(), {"metadata"}, paths);
  if constexpr (kHasMetadataFields<T>) AddPaths(kKind<T>.metadata(), {"metadata"}, paths);
  if constexpr (kHasSpec<T>) AddPaths(kKind<T>.spec(), {"spec"}, paths);
  if constexpr (kHasStatus<T>) AddPaths(kKind<T>.status(), {"status"}, paths);
  return paths;
}

// Writes the member status, which is {} if all its fields are omitted.
template <DeclaredKind T>
void EncodeStatus(runtime::JsonWriter& writer, const T& object) {
  writer.Key("status");
  writer.StartObject();
  EncodeMembers(kKind<T>.status(), writer, object.status);
  writer.EndObject();
}

template <DeclaredKind T>
void EncodeParts(runtime::JsonWriter& writer, const T& object) {
  EncodeMembers(kKind<T>.fields(), writer, object);
  if constexpr (kHasSpec<T>) {
    writer.Key("spec");
    writer.StartObject();
    EncodeMembers(kKind<T>.spec(), writer, object.spec);
    writer.EndObject();
  }
  if constexpr (kHasStatus<T>) {
    const auto omitted = [&](const auto&... field) {
      return (IsOmitted(field, object.status) && ...);
    };
    if (!std::apply(omitted, kKind<T>.status())) EncodeStatus<T>(writer, object);
  }
}

using DecodeFunction = std::function<Expected<runtime::ObjectPtr>(
    const runtime::ObjectIdentity& identity, const runtime::JsonValue& json)>;

CAPSTAN_EXPORT runtime::ResourceType MakeType(const KindInfo& info, const std::vector<Path>& paths,
                                              DecodeFunction decode);

// Reads a whole object that is the whole text.
CAPSTAN_EXPORT Expected<runtime::ObjectPtr> DecodeText(const runtime::ResourceType& type,
                                                       std::string_view json);

// Writes "{", the apiVersion and the kind.
CAPSTAN_EXPORT void BeginObject(runtime::JsonWriter& writer, const KindInfo& info);

// Writes the member metadata with the fields that identify the object.
CAPSTAN_EXPORT void WriteIdentity(runtime::JsonWriter& writer, const ObjectMeta& metadata);

}  // namespace capstan::detail
