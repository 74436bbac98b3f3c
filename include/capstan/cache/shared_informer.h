// SPDX-License-Identifier: Apache-2.0
// SharedInformer has one Reflector, one Indexer and any number of handlers. The store is updated
// before a handler gets the event. Each handler has its own queue and thread: its events are in
// order, handlers are independent of each other, and a slow handler does not delay others.
//
// Mirrors client-go's tools/cache/shared_informer.go (v0.36). All methods are thread-safe. Differs:
//  - There is no DeltaFIFO. The reflector's thread applies one change to the store and adds it to
//    the handlers' queues, then the next (docs/decisions). It wakes the handlers once for all
//    events that have arrived together.
//  - There is no transform. A ResourceType's decode runs exactly once for each object, before any
//    reader gets it.
//  - An unchanged object that is received again (equal uid and resourceVersion, from a relist or a
//    repeated watch event) reaches no handler. client-go calls OnUpdate(same, same) for it. Use
//    resync_period to get every object from time to time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/cache/lister_watcher.h"
#include "capstan/cache/reflector.h"
#include "capstan/cache/store.h"
#include "capstan/export.h"

namespace capstan::cache {

// Predicate returns false for a change that a handler does not need. It runs on the reflector's
// thread with the informer locked, after the store has changed. So it must be fast, and must not
// wait or call the informer. It may read any store. Mirrors controller-runtime's predicates.
using Predicate = std::function<bool(const Change&)>;

// EventHandler has the callbacks of a handler. Each may be empty. They run on the handler's own
// thread.
struct CAPSTAN_EXPORT EventHandler {
  std::function<void(const runtime::ObjectPtr& object, bool is_in_initial_list)> on_add = {};
  std::function<void(const runtime::ObjectPtr& old_object, const runtime::ObjectPtr& new_object)>
      on_update = {};
  // `final_state_unknown`: a relist found the deletion, and the object is the last known version.
  // Mirrors DeletedFinalStateUnknown.
  std::function<void(const runtime::ObjectPtr& object, bool final_state_unknown)> on_delete = {};
  // A watch event for which this returns false is not queued. The changes of a list are not
  // checked. Empty: all changes are needed.
  Predicate predicate = {};
};

class CAPSTAN_EXPORT HandlerRegistration {
 public:
  virtual ~HandlerRegistration() = default;
  // Returns true when the informer has synced and this handler has returned from on_add for every
  // initial object.
  virtual bool HasSynced() const = 0;
};

class CAPSTAN_EXPORT SharedInformer {
 public:
  // `type` must outlive the informer: a temporary does not compile. An empty name in `options`
  // becomes the plural of the type.
  SharedInformer(const runtime::ResourceType& type, std::unique_ptr<ListerWatcher> source,
                 ReflectorOptions options);
  SharedInformer(const runtime::ResourceType&& type, std::unique_ptr<ListerWatcher> source,
                 ReflectorOptions options) = delete;
  ~SharedInformer();

  const runtime::ResourceType& type() const;
  // Adds a handler before or during Run. A late handler first gets the whole store as adds, then
  // each change once. Every resync_period (at least 1 s; 0: never) it gets on_update(obj, obj) for
  // every object, after the queued notifications. Fails after stop.
  Expected<std::shared_ptr<HandlerRegistration>> AddEventHandler(
      EventHandler handler, std::chrono::milliseconds resync_period = {});
  // Removes a handler. After it returns, no callback runs (unless a callback called it). It waits
  // for a running callback, so two handlers must not remove each other from their callbacks.
  void RemoveEventHandler(const std::shared_ptr<HandlerRegistration>& registration);
  // Adds an index at any time before stop. It covers the objects already in the store. Fails if the
  // name is in use.
  Expected<void> AddIndex(std::string name, IndexFunc func);

  // Blocks until `stop`; call once. Then it drops undelivered notifications and returns when no
  // callback runs.
  void Run(std::stop_token stop);
  bool HasSynced() const;
  // Blocks until synced (true) or stopped (false).
  bool WaitForSync(std::stop_token stop) const;
  // Calls `notify` each time the informer or one of its handlers has synced, and at the end of Run,
  // until the caller drops the result. `notify` runs on threads of the informer, without its locks.
  // One call may still run then, so `notify` must own what it uses. It must not wait.
  [[nodiscard]] std::shared_ptr<void> OnSync(std::function<void()> notify) const;
  // Blocks until the store has all changes up to `resource_version`, normally that of an object
  // that was just written. So the next read of the store finds this write or a newer one. A write
  // that another namespace or selector excludes counts as soon as a later event or bookmark
  // arrives. Fails with kDeadlineExceeded, with kCanceled after a stop of the caller or of this
  // informer, and with kInvalidArgument for a version that cannot be compared
  // (CompareResourceVersion). Mirrors the read-your-own-writes consistency of controller-runtime's
  // cache, where reads wait instead.
  Expected<void> WaitForVersion(const rest::CallOptions& call,
                                std::string_view resource_version) const;
  // Blocks until the store has no object `key` with this uid, after a Delete of it.
  // `seen_version` is a resourceVersion of the object before the Delete. The store must have all
  // changes up to it, so that an object that the store does not have yet is not taken for a deleted
  // one. Without it, or if it cannot be compared, call WaitForVersion before the Delete. An object
  // with finalizers stays; for it, WaitForVersion waits for the deletionTimestamp. Errors as above.
  Expected<void> WaitForDeletion(const rest::CallOptions& call, std::string_view key,
                                 std::string_view uid, std::string_view seen_version = {}) const;
  const StoreReader& store() const;
  ReflectorStatus Status() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::cache
