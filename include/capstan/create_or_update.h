// SPDX-License-Identifier: Apache-2.0
// CreateOrUpdate creates an object, or changes the one that the API server has. A function sets the
// fields that the caller decides, and all others stay.
//
//   ConfigMap map;
//   map.metadata = {.name = "settings", .namespace_ = "default"};
//   auto result = CreateOrUpdate(stop, config_maps, map, [](ConfigMap& object) {
//     object.data["color"] = "red";
//   });
//
// It costs a GET, and a write only if the function changed something. Client::Apply needs no GET,
// but always writes. Mirrors CreateOrUpdate of controller-runtime's controllerutil. Differs: the
// GET goes to the API server and not to a cache, so it is never stale.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/client.h"
#include "capstan/error.h"
#include "capstan/patch.h"
#include "capstan/runtime/object.h"
#include "capstan/typed_object.h"

namespace capstan {

// OperationResult is what CreateOrUpdate has done.
enum class OperationResult { kNone, kCreated, kUpdated };

// Returns "unchanged", "created" or "updated", for a log line.
constexpr std::string_view ToString(OperationResult result) {
  if (result == OperationResult::kCreated) return "created";
  return result == OperationResult::kUpdated ? "updated" : "unchanged";
}

namespace detail {

template <class T, class F>
Expected<void> Mutate(F& mutate, T& object) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, T&>>) {
    mutate(object);
    return {};
  } else {
    return mutate(object);
  }
}

}  // namespace detail

// Reads the object with the namespace and name of `object`, calls `mutate` with it, and writes it
// if it is new or differs. A missing object is created from `object` after `mutate`. Then `object`
// is what the server returned. After an error, `object` is unchanged, so that it can be used again.
//
// `mutate` is a function of (T&) that returns nothing or an Expected<void>, whose error is returned
// without a write. It changes its argument, which is a copy, and not `object`. It must not change
// the namespace and the name (kInvalidArgument). Fails with kConflict, kNotFound or kAlreadyExists
// if the object changes, is deleted or is created between the GET and the write: try again. A
// status that is a subresource is not written: use UpdateStatus.
template <UpdatableObject T, class F>
Expected<OperationResult> CreateOrUpdate(const rest::CallOptions& call, const Client<T>& client,
                                         T& object, F mutate,
                                         const rest::WriteOptions& options = {}) {
  const runtime::ObjectKey key = KeyOf(object);
  const Expected<Ptr<T>> found = client.Get(call, key);
  if (!found && !IsNotFound(found.error())) return Err(found.error());
  T wanted = object;
  if (found) wanted = **found;
  if (auto mutated = detail::Mutate<T>(mutate, wanted); !mutated) {
    return Err(std::move(mutated.error()));
  }
  if (KeyOf(wanted) != key) {
    return Err(ErrorReason::kInvalidArgument,
               "CreateOrUpdate of " + key.String() +
                   ": the function must not change the namespace or the name; it made them " +
                   KeyOf(wanted).String());
  }
  if (found) {
    const Patch difference = MergeFrom(**found, wanted);
    if (difference.error()) return Err(*difference.error());
    if (difference.IsEmpty()) {
      object = std::move(wanted);
      return OperationResult::kNone;
    }
  }
  const Expected<Ptr<T>> written =
      found ? client.Update(call, wanted, options) : client.Create(call, wanted, options);
  if (!written) return Err(written.error());
  object = **written;
  return found ? OperationResult::kUpdated : OperationResult::kCreated;
}

}  // namespace capstan
