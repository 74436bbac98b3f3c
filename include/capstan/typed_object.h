// SPDX-License-Identifier: Apache-2.0
// TypedObject<T> is an object of a declared kind (kind.h) in a cache or a response. It is
// immutable, and threads share it as Ptr<T>. To change an object, copy its T:
//
//   Foo foo = *pointer;
//   foo.status.available_replicas = 3;
//   auto updated = client.UpdateStatus(call, foo);
//
// The functions here are pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "capstan/detail/kind_codec.h"
#include "capstan/error.h"
#include "capstan/kind.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan {

// The object has the members of T beside key(), name(), namespace_(), uid() and
// resource_version(), which every Object has.
template <class T>
class TypedObject final : public runtime::Object, public T {
 public:
  // MakeObject calls these two. For an object in a test, use MakeTypedObject.
  TypedObject(const runtime::ObjectIdentity& identity, T value)
      : Object(identity), T(std::move(value)) {}
  TypedObject(const runtime::ObjectIdentity& identity, const runtime::JsonValue& json,
              DecodeProblem& problem)
      : Object(identity) {
    detail::DecodeKind<T>(json, *this, problem);
  }

  std::size_t ByteSize() const override { return BlockBytes() + detail::HeapBytesOfKind<T>(*this); }
};

template <class T>
using Ptr = runtime::ObjectPtrTo<TypedObject<T>>;

namespace detail {

template <DeclaredKind T>
const runtime::ResourceType& DeclaredType() {
  static_assert(CheckKind<T>());
  static_assert(sizeof(TypedObject<T>) <= runtime::ObjectBlock::kTypeBytesMax,
                "the struct of the kind is too large; move rare members into a capstan::Boxed");
  static const runtime::ResourceType type =
      MakeType(kKind<T>.info(), PathsOfKind(kKind<T>.info(), LayoutOfKind<T>()),
               [](const runtime::ObjectIdentity& identity,
                  const runtime::JsonValue& json) -> Expected<runtime::ObjectPtr> {
                 DecodeProblem problem;
                 auto made = runtime::MakeObject<TypedObject<T>>(identity, json, problem);
                 if (problem) {
                   return Err(ErrorReason::kDecode, problem.message());
                 }
                 return made;
               });
  return type;
}

}  // namespace detail

// Returns the type of the kind, for informers, rest::Client and Listers. Its objects are
// TypedObject<T>. Only the declared fields are kept. An object with a value of the wrong type is
// not decoded; the error names the path, as "spec.replicas: not an integer", and not the value.
template <class T>
const runtime::ResourceType& TypeOf() {
  static_assert(DeclaredKind<T>,
                "declare the kind first: template <> inline constexpr auto capstan::kKind<T> = "
                "capstan::Kind(group, version, kind, plural)");
  if constexpr (DeclaredKind<T>) return detail::DeclaredType<T>();
  std::abort();
}

namespace detail {

template <WritableKind T>
std::string ToJsonFor(Purpose purpose, const T& object) {
  static_assert(CheckKind<T>());
  runtime::JsonWriter writer;
  BeginObject(writer, kKind<T>.info());
  writer.Key("metadata");
  EncodeObjectMeta(writer, object.metadata);
  EncodeParts(LayoutOfKind<T>(), writer, &object, purpose);
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace detail

// Returns the whole object as JSON, for create and update. The status is included; the API server
// ignores it there if the kind has the subresource "status".
template <WritableKind T>
std::string ToJson(const T& object) {
  return detail::ToJsonFor(detail::Purpose::kObject, object);
}

// Returns what server-side apply sends: the object without its status, and without empty texts,
// lists, maps and structs, also where they are required. So the applier does not own them.
template <WritableKind T>
std::string ToApplyJson(const T& object) {
  return detail::ToJsonFor(detail::Purpose::kApply, object);
}

// Returns the apiVersion, kind, identity and status as JSON, for writes to the subresource
// "status". The identity has the resourceVersion if the object has one, so that a conflict is
// reported.
template <WritableKind T>
std::string StatusToJson(const T& object) {
  static_assert(detail::CheckKind<T>());
  static_assert(kHasStatus<T>, "the kind declares no Status()");
  runtime::JsonWriter writer;
  detail::BeginObject(writer, kKind<T>.info());
  detail::WriteIdentity(writer, object.metadata);
  detail::EncodeStatus(detail::LayoutOfKind<T>(), writer, &object);
  writer.EndObject();
  return std::move(writer).Take();
}

template <class T>
requires detail::HasObjectMeta<T> runtime::ObjectKey KeyOf(const T& object) {
  return {.namespace_ = object.metadata.namespace_, .name = object.metadata.name};
}

// The same for an object of a cache.
template <WritableKind T>
std::string ToJson(const TypedObject<T>& object) {
  return ToJson(static_cast<const T&>(object));
}
template <WritableKind T>
std::string StatusToJson(const TypedObject<T>& object) {
  return StatusToJson(static_cast<const T&>(object));
}
template <class T>
runtime::ObjectKey KeyOf(const TypedObject<T>& object) {
  return {.namespace_ = std::string(object.namespace_()), .name = std::string(object.name())};
}

// Makes a shared object from a value. Its identity is that of the metadata. REQUIRES: the name is
// not empty, and the four texts of the identity have less than 4096 bytes each.
template <class T>
requires detail::HasObjectMeta<T> Ptr<T> MakeTypedObject(T object) {
  const ObjectMeta metadata = object.metadata;
  return runtime::MakeObject<TypedObject<T>>(
      runtime::ObjectIdentity{.namespace_ = metadata.namespace_,
                              .name = metadata.name,
                              .uid = metadata.uid,
                              .resource_version = metadata.resource_version},
      std::move(object));
}

// Reads a whole object, such as one from a file. Fails with kDecode if `json` is of another kind or
// has a value of the wrong type.
template <DeclaredKind T>
Expected<Ptr<T>> FromJson(std::string_view json) {
  auto object = detail::DecodeText(TypeOf<T>(), json);
  if (!object) return Err(std::move(object.error()));
  return runtime::StaticObjectCast<TypedObject<T>>(std::move(*object));
}

}  // namespace capstan
