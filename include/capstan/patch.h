// SPDX-License-Identifier: Apache-2.0
// Patch is the body of a PATCH and its type. MergeFrom makes one from two states of an object.
//
//   Foo foo = *pointer;
//   AddFinalizer(foo.metadata, "example.com/cleanup");
//   const Patch patch = MergeFrom(*pointer, foo, {.optimistic_lock = true});
//   auto patched = foos.Patch(call, KeyOf(foo), patch);
//
// A merge patch replaces whole lists. With the lock, a finalizer that somebody else has added since
// the read is not lost: the patch fails with kConflict.
//
// Mirrors controller-runtime's client.Patch. Differs: a patch may be invalid, see error().
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/typed_object.h"
#include "capstan/unstructured.h"

namespace capstan {

// A kind whose objects can be written: a declared one with an ObjectMeta, or Unstructured.
template <class T>
concept WritableObject = WritableKind<T> || std::same_as<T, Unstructured>;

class CAPSTAN_EXPORT Patch {
 public:
  // `body` is a list of operations: [{"op":"remove","path":"/spec/paused"}] (RFC 6902).
  static Patch Json(std::string body) { return {rest::PatchType::kJson, std::move(body)}; }
  // `body` is an object with the fields to set, and null for those to remove (RFC 7396).
  static Patch Merge(std::string body) { return {rest::PatchType::kMerge, std::move(body)}; }
  // Like Merge, but merges lists by their keys. Not for custom resources (kUnsupportedMediaType).
  static Patch StrategicMerge(std::string body) {
    return {rest::PatchType::kStrategicMerge, std::move(body)};
  }
  // A patch that cannot be made. Client<T> does not send it, and returns the error.
  static Patch Invalid(Error error) {
    Patch patch(rest::PatchType::kMerge, {});
    patch.error_ = std::move(error);
    return patch;
  }

  rest::PatchType type() const { return type_; }
  const std::string& body() const { return body_; }
  // The reason why the patch is invalid. Its body is empty then.
  const std::optional<Error>& error() const { return error_; }
  // Reports whether the patch changes nothing: MergeFrom found no difference. The server accepts
  // it.
  bool IsEmpty() const { return body_ == "{}" || body_ == "[]"; }

 private:
  Patch(rest::PatchType type, std::string body) : type_(type), body_(std::move(body)) {}

  rest::PatchType type_;
  std::string body_;
  std::optional<Error> error_;
};

struct CAPSTAN_EXPORT MergeFromOptions {
  // Makes the server reject the patch (kConflict) if the object is not at the resourceVersion of
  // the original any more. Necessary if the patch changes a list, because it replaces the whole
  // list. The patch is invalid if the original has no resourceVersion, because it was not read. A
  // patch that changes nothing is empty, without a precondition.
  // Mirrors MergeFromWithOptimisticLock.
  bool optimistic_lock = false;
};

namespace detail {

// Returns the fields of a Partial() kind, whose objects on the server may have more; null: a whole
// one.
template <class T>
const StructLayout* PartialLayoutOf() {
  if constexpr (DeclaredKind<T> && !kIsWholeKind<T>) {
    return &LayoutOfKind<T>();
  } else {
    return nullptr;
  }
}

// Returns the merge patch that changes one JSON object into the other. It is invalid if a text is
// not JSON.
CAPSTAN_EXPORT Patch CreateMergePatch(std::string_view original, std::string_view modified,
                                      const StructLayout* partial);
// Returns the same for objects of which only `modified` has a resourceVersion: `version`, which is
// a precondition for the server. It is empty if nothing else differs, and invalid without a
// version.
CAPSTAN_EXPORT Patch CreateLockedMergePatch(std::string_view original, std::string_view modified,
                                            std::string_view version, const StructLayout* partial);

}  // namespace detail

// Returns the merge patch that changes `original`, as it was read, into `modified`. Only declared
// fields that differ are in it, so other fields of the object stay. The patch is invalid if an
// object has text that is not UTF-8, or a RawJson that is not JSON. Pure function.
//
// A merge patch can only replace a list. In a kind that is declared Partial(), that would remove
// the undeclared fields of the list's elements. So the patch is invalid if it changes a list of
// structs of such a kind, unless the list was empty or becomes empty. Client<T>::Patch returns the
// error, which names the field. Use Apply, Patch::Json or Patch::StrategicMerge instead.
template <WritableObject T>
Patch MergeFrom(const std::type_identity_t<T>& original, const T& modified,
                const MergeFromOptions& options = {}) {
  const detail::StructLayout* const partial = detail::PartialLayoutOf<T>();
  if (!options.optimistic_lock) {
    return detail::CreateMergePatch(ToJson(original), ToJson(modified), partial);
  }
  T from = original;
  T to = modified;
  to.metadata.resource_version = std::exchange(from.metadata.resource_version, {});
  return detail::CreateLockedMergePatch(ToJson(from), ToJson(to), to.metadata.resource_version,
                                        partial);
}

}  // namespace capstan
