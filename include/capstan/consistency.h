// SPDX-License-Identifier: Apache-2.0
// Read your own writes: after a write, wait until an informer's cache has it, so that a decision is
// not made from the state before.
//
//   auto updated = foos.Update(call, foo);
//   if (updated) auto waited = WaitForCacheVersion(call, informer, **updated);
//
// The wait compares versions as numbers, which Kubernetes 1.35 and later guarantee for one resource
// (runtime::CompareResourceVersion). controller-runtime 0.25 has the client option
// EnableReadYourWritesConsistency, which makes the reads wait. Here the writer waits, with the
// deadline of `call`, because a Lister never waits.
#pragma once

#include <string_view>

#include "capstan/cache/shared_informer.h"
#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"

namespace capstan {

// Waits until the cache of `informer` has `object`, which a write has returned, or a newer state.
// Errors as for SharedInformer::WaitForVersion. Do not call it on an informer's handler thread
// without a deadline. Thread-safe.
inline Expected<void> WaitForCacheVersion(const rest::CallOptions& call,
                                          const cache::SharedInformer& informer,
                                          const runtime::Object& object) {
  return informer.WaitForVersion(call, object.resource_version());
}

// Waits until the cache does not have `object` any more, after a Delete of it. `object` is a state
// from before the Delete: if the cache has not seen it yet, the wait goes on until it has. An
// object with finalizers stays longer.
inline Expected<void> WaitForCacheDeletion(const rest::CallOptions& call,
                                           const cache::SharedInformer& informer,
                                           const runtime::Object& object) {
  return informer.WaitForDeletion(call, object.key(), object.uid(), object.resource_version());
}

}  // namespace capstan
