// SPDX-License-Identifier: Apache-2.0
// Patch is the body of a PATCH and its type. MergeFrom makes one from two states of an object.
//
//   Foo foo = *pointer;
//   AddFinalizer(foo.metadata, "example.com/cleanup");
//   auto patched = foos.Patch(call, KeyOf(foo), MergeFrom(*pointer, foo));
//
// Mirrors controller-runtime's client.Patch.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/util/error.h"
#include "capstan/export.h"
#include "capstan/kind/typed_object.h"
#include "capstan/kind/unstructured.h"

namespace capstan {

// A kind whose objects can be written: a declared one with an ObjectMeta, or Unstructured.
template <class T>
concept WritableObject = WritableKind<T> || std::same_as<T, Unstructured>;

class CAPSTAN_EXPORT Patch {
 public:
  // `body` is a list of operations: [{"op":"remove","path":"/spec/paused"}] (RFC 6902).
  static Patch Json(std::string body) {
    return {clientgo::rest::PatchType::kJson, std::move(body)};
  }
  // `body` is an object with the fields to set, and null for those to remove (RFC 7396).
  static Patch Merge(std::string body) {
    return {clientgo::rest::PatchType::kMerge, std::move(body)};
  }
  // Like Merge, but merges lists by their keys. Not for custom resources (kUnsupportedMediaType).
  static Patch StrategicMerge(std::string body) {
    return {clientgo::rest::PatchType::kStrategicMerge, std::move(body)};
  }

  clientgo::rest::PatchType type() const { return type_; }
  const std::string& body() const { return body_; }
  // Reports whether the patch changes nothing: MergeFrom found no difference. The server accepts
  // it.
  bool IsEmpty() const { return body_ == "{}" || body_ == "[]"; }

 private:
  Patch(clientgo::rest::PatchType type, std::string body) : type_(type), body_(std::move(body)) {}

  clientgo::rest::PatchType type_;
  std::string body_;
};

struct CAPSTAN_EXPORT MergeFromOptions {
  // Makes the server reject the patch (kConflict) if the object is not at the resourceVersion of
  // the original any more. Necessary if the patch changes a list, because it replaces the whole
  // list. Mirrors MergeFromWithOptimisticLock.
  bool optimistic_lock = false;
};

namespace detail {

// Returns the JSON merge patch that changes one JSON object into the other. REQUIRES: both texts
// are JSON objects.
CAPSTAN_EXPORT std::string CreateMergePatch(std::string_view original, std::string_view modified);

}  // namespace detail

// Returns the merge patch that changes `original`, as it was read, into `modified`. Only declared
// fields that differ are in it, so other fields of the object stay. Pure function.
template <WritableObject T>
Patch MergeFrom(const std::type_identity_t<T>& original, const T& modified,
                const MergeFromOptions& options = {}) {
  if (!options.optimistic_lock) {
    return Patch::Merge(detail::CreateMergePatch(ToJson(original), ToJson(modified)));
  }
  // A version that was added is a difference, and a precondition for the server.
  T from = original;
  T to = modified;
  to.metadata.resource_version = std::exchange(from.metadata.resource_version, {});
  return Patch::Merge(detail::CreateMergePatch(ToJson(from), ToJson(to)));
}

}  // namespace capstan
