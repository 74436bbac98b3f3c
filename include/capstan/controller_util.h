// SPDX-License-Identifier: Apache-2.0
// Owner references and finalizers of an ObjectMeta. Pure functions. Mirrors controller-runtime's
// controllerutil and IsControlledBy and GetControllerOf of metav1.
//
//   Deployment deployment = NewDeployment(foo);
//   auto set = SetControllerReference(foo, deployment.metadata);
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "capstan/api/object_reference.h"
#include "capstan/detail/uses.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/typed_object.h"
#include "capstan/unstructured.h"

namespace capstan {

// Owner identifies an object that owns others.
struct CAPSTAN_EXPORT Owner {
  std::string api_version = {};
  std::string kind = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string uid = {};
};

// Return the Owner of an object: a declared kind with an ObjectMeta, any object of a cache, or an
// Unstructured.
template <WritableKind T>
Owner OwnerOf(const T& object);
template <DeclaredKind T>
Owner OwnerOf(const TypedObject<T>& object);
inline Owner OwnerOf(const Unstructured& object);

// Returns the reference to an object, for an Event about it or for a status. Mirrors
// reference.GetReference of client-go. Differs: it has no resourceVersion, so that equal Events are
// counted.
template <class T>
requires requires(const T& object) { OwnerOf(object); }
api::ObjectReference ReferenceTo(const T& object) {
  Owner owner = OwnerOf(object);
  return {.api_version = std::move(owner.api_version),
          .kind = std::move(owner.kind),
          .namespace_ = std::move(owner.namespace_),
          .name = std::move(owner.name),
          .uid = std::move(owner.uid)};
}

struct CAPSTAN_EXPORT OwnerReferenceOptions {
  // kYes: a foreground deletion of the owner waits for this object. The default is kYes for a
  // controller and kNo for other owners. Mirrors WithBlockOwnerDeletion.
  enum class Block { kDefault, kYes, kNo } block_owner_deletion = Block::kDefault;
};

// Makes `owner` the controller of an object, which is then deleted with its owner, and whose events
// reach the owner's Reconciler (Owns). It replaces an older reference to the same owner. Fails with
// kAlreadyExists if another object is the controller, and with kInvalidArgument if the owner is in
// another namespace or has no uid. The namespace of `controlled` must be set before.
CAPSTAN_EXPORT Expected<void> SetControllerReference(const Owner& owner, ObjectMeta& controlled,
                                                     const OwnerReferenceOptions& options = {});
// Adds an owner that is not the controller. An object may have several. Fails with kInvalidArgument
// as above.
CAPSTAN_EXPORT Expected<void> SetOwnerReference(const Owner& owner, ObjectMeta& object,
                                                const OwnerReferenceOptions& options = {});
// Removes the reference to `owner`. Returns whether there was one.
CAPSTAN_EXPORT bool RemoveOwnerReference(const Owner& owner, ObjectMeta& object);

// Returns the reference to the controller, nullptr: there is none. It points into `object`.
CAPSTAN_EXPORT const OwnerReference* GetControllerOf(const ObjectMeta& object);
// Reports whether the object has any controller.
CAPSTAN_EXPORT bool HasControllerReference(const ObjectMeta& object);
// Reports whether the object's controller is the one with this uid.
CAPSTAN_EXPORT bool IsControlledBy(const ObjectMeta& object, std::string_view owner_uid);

namespace detail {

template <class T>
struct KindOfObject {
  using Type = T;
};
template <class T>
struct KindOfObject<TypedObject<T>> {
  using Type = T;
};

}  // namespace detail

// The same for an object of a kind as the owner.
template <class T>
requires requires(const T& owner) { OwnerOf(owner); }
Expected<void> SetControllerReference(const T& owner, ObjectMeta& controlled,
                                      const OwnerReferenceOptions& options = {}) {
  // An API server that checks blockOwnerDeletion (OwnerReferencesPermissionEnforcement) asks for
  // it.
  detail::MarkRequest<typename detail::KindOfObject<T>::Type, "update", "finalizers">();
  return SetControllerReference(OwnerOf(owner), controlled, options);
}
template <class T>
requires requires(const T& owner) { OwnerOf(owner); }
Expected<void> SetOwnerReference(const T& owner, ObjectMeta& object,
                                 const OwnerReferenceOptions& options = {}) {
  return SetOwnerReference(OwnerOf(owner), object, options);
}
template <class T>
requires requires(const T& owner) { OwnerOf(owner); }
bool RemoveOwnerReference(const T& owner, ObjectMeta& object) {
  return RemoveOwnerReference(OwnerOf(owner), object);
}
template <class T>
requires requires(const T& owner) { OwnerOf(owner); }
bool IsControlledBy(const ObjectMeta& object, const T& owner) {
  return IsControlledBy(object, OwnerOf(owner).uid);
}

// A finalizer, "example.com/cleanup", keeps a deleted object until it is removed. AddFinalizer and
// RemoveFinalizer return whether they changed the object.
CAPSTAN_EXPORT bool AddFinalizer(ObjectMeta& object, std::string_view finalizer);
CAPSTAN_EXPORT bool RemoveFinalizer(ObjectMeta& object, std::string_view finalizer);
CAPSTAN_EXPORT bool ContainsFinalizer(const ObjectMeta& object, std::string_view finalizer);

// ---- Implementation

namespace detail {

CAPSTAN_EXPORT std::string ApiVersionOf(const KindInfo& info);

}  // namespace detail

template <WritableKind T>
Owner OwnerOf(const T& object) {
  return {.api_version = detail::ApiVersionOf(kKind<T>.info()),
          .kind = std::string(kKind<T>.info().kind),
          .namespace_ = object.metadata.namespace_,
          .name = object.metadata.name,
          .uid = object.metadata.uid};
}
template <DeclaredKind T>
Owner OwnerOf(const TypedObject<T>& object) {
  return {.api_version = detail::ApiVersionOf(kKind<T>.info()),
          .kind = std::string(kKind<T>.info().kind),
          .namespace_ = std::string(object.namespace_()),
          .name = std::string(object.name()),
          .uid = object.uid()};
}
inline Owner OwnerOf(const Unstructured& object) {
  return {.api_version = object.api_version(),
          .kind = object.kind(),
          .namespace_ = object.metadata.namespace_,
          .name = object.metadata.name,
          .uid = object.metadata.uid};
}

}  // namespace capstan
