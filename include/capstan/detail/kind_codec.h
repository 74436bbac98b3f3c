// SPDX-License-Identifier: Apache-2.0
// KindCodec and its parts are what typed_object.h and crd.h make of a declared kind. Only the
// library uses this header.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/detail/declaration_checks.h"
#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"
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
  static_assert(HoldsForParts<T>(DefaultsFit<>()),
                "the value of a Default() is outside of the field's limits or its Enum()");
  static_assert(HoldsForParts<T>(ListKeysFit<false>()),
                "a key of a ListMap() is not the name of a field of the list's elements");
  static_assert(!HoldsForParts<T>(ListKeysFit<false>()) || HoldsForParts<T>(ListKeysFit<true>()),
                "a key of a ListMap() is a field that is Required() or has a Default()");
  static_assert(HaveNames(kInfo), "a Column() needs a name");
  static_assert(HaveKnownTypes(kInfo),
                "the type of a Column() is integer, number, string, boolean or date");
  static_assert(HavePaths(kInfo), "the json_path of a Column() starts with a dot: .spec.replicas");
  return true;
}

// The groups whose kinds are built into the API server.
constexpr bool IsOfKubernetes(std::string_view group) {
  for (const std::string_view known : {"",
                                       "apps",
                                       "autoscaling",
                                       "batch",
                                       "extensions",
                                       "policy",
                                       "admissionregistration.k8s.io",
                                       "apiextensions.k8s.io",
                                       "apiregistration.k8s.io",
                                       "authentication.k8s.io",
                                       "authorization.k8s.io",
                                       "certificates.k8s.io",
                                       "coordination.k8s.io",
                                       "discovery.k8s.io",
                                       "events.k8s.io",
                                       "flowcontrol.apiserver.k8s.io",
                                       "internal.apiserver.k8s.io",
                                       "networking.k8s.io",
                                       "node.k8s.io",
                                       "rbac.authorization.k8s.io",
                                       "resource.k8s.io",
                                       "scheduling.k8s.io",
                                       "storage.k8s.io",
                                       "storagemigration.k8s.io"}) {
    if (group == known) return true;
  }
  return false;
}

// Returns the number of members that the declaration of the kind names.
template <DeclaredKind T>
constexpr std::size_t CountParts() {
  return std::tuple_size_v<typename KindOf<T>::fields_type> +
         (HasObjectMeta<T> || kHasMetadataFields<T>)+kHasSpec<T> + kHasStatus<T>;
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
  static_assert(!IsOfKubernetes(kInfo.group) || kInfo.partial || kInfo.whole,
                "a kind of Kubernetes' own groups is .Partial(), so that fields which it does not "
                "declare stay on the server, or .Whole(); capstan/api has them whole");
  static_assert(FieldsCheck<typename KindOf<T>::fields_type, T>::kOk);
  static_assert(HasLayout<T> || DeclaresMembers<T>(CountParts<T>()), CAPSTAN_UNDECLARED_MEMBER);
  static_assert(NamesAreUnique(kDeclared.fields()), "two fields have the same name");
  static_assert(NamesAreSet(kDeclared.fields()), "a field has an empty name");
  if constexpr (kHasSpec<T>) {
    static_assert(
        requires { &T::spec; }, "a kind with Spec() needs a member `spec`");
    static_assert(FieldsCheck<typename KindOf<T>::spec_type, decltype(T::spec)>::kOk);
    static_assert(CheckValue<decltype(T::spec), typename KindOf<T>::spec_type>());
    static_assert(NamesAreUnique(kDeclared.spec()), "two fields of the spec have the same name");
    static_assert(NamesAreSet(kDeclared.spec()), "a field has an empty name");
  }
  if constexpr (kHasStatus<T>) {
    static_assert(
        requires { &T::status; }, "a kind with Status() needs a member `status`");
    static_assert(FieldsCheck<typename KindOf<T>::status_type, decltype(T::status)>::kOk);
    static_assert(CheckValue<decltype(T::status), typename KindOf<T>::status_type>());
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

// Returns the layout of the object: metadata if it has that member, its other fields, spec and
// status.
template <DeclaredKind T>
const StructLayout& MakeLayoutOfKind() {
  static const StructLayout& layout = *new StructLayout([] {
    using Part = FieldLayout::Part;
    const T object;
    std::vector<FieldLayout> fields;
    const auto add = [&](std::string_view name, auto member, const auto& children, Part part) {
      using Member = std::remove_cvref_t<decltype(object.*member)>;
      fields.push_back({.name = name,
                        .value = MakeLayoutWith<Member>(children),
                        .offset = OffsetOf(object, member),
                        .part = part});
    };
    if constexpr (HasObjectMeta<T>) add("metadata", &T::metadata, std::tuple<>(), Part::kMetadata);
    if constexpr (kHasMetadataFields<T>) {
      add("metadata", &T::metadata, kKind<T>.metadata(), Part::kMetadata);
    }
    AddFields(object, kKind<T>.fields(), fields);
    if constexpr (kHasSpec<T>) add("spec", &T::spec, kKind<T>.spec(), Part::kSpec);
    if constexpr (kHasStatus<T>) add("status", &T::status, kKind<T>.status(), Part::kStatus);
    return fields;
  }());
  return layout;
}

template <DeclaredKind T>
const StructLayout& LayoutOfKind() {
  if constexpr (HasLayout<T>) {
    return LayoutOf(static_cast<const T*>(nullptr));
  } else {
    return MakeLayoutOfKind<T>();
  }
}

// Returns null for a kind without the member.
CAPSTAN_EXPORT const FieldLayout* FindPart(const StructLayout& layout, FieldLayout::Part part);

// Reads the member metadata, if there is one.
CAPSTAN_EXPORT bool DecodeMetadata(const runtime::JsonValue& json, ObjectMeta& to,
                                   DecodeProblem& problem);

template <DeclaredKind T>
bool DecodeKind(const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
  return DecodeStruct(LayoutOfKind<T>(), json, &to, problem);
}

template <class T>
std::size_t HeapBytesOfKind(const T& object) {
  if constexpr (DeclaredKind<T>) {
    return HeapBytesOfStruct(LayoutOfKind<T>(), &object);
  } else {
    return object.HeapBytes();
  }
}

// Returns the paths that are read of the kind's objects. Ends the program if the kind does not have
// one of KindInfo::kept.
CAPSTAN_EXPORT std::vector<Path> PathsOfKind(const KindInfo& info, const StructLayout& layout);

// Writes the member status, which is {} if all its fields are omitted.
CAPSTAN_EXPORT void EncodeStatus(const StructLayout& layout, runtime::JsonWriter& writer,
                                 const void* object);
// Writes the members beside metadata.
CAPSTAN_EXPORT void EncodeParts(const StructLayout& layout, runtime::JsonWriter& writer,
                                const void* object, Purpose purpose = Purpose::kObject);

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
