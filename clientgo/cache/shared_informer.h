// SPDX-License-Identifier: Apache-2.0
// SharedInformer: one Reflector, one Indexer, any number of handlers. The store is updated before a
// handler sees the event. Each handler has its own queue and thread: strict order within one, none
// between two, and a slow one delays nobody.
//
// Mirrors client-go's tools/cache/shared_informer.go (v0.36). All methods are thread-safe. Differs:
//  - no DeltaFIFO and no batches: the reflector's thread applies one change to the store and hands
//    it to the handlers' queues, then the next (docs/decisions).
//  - no transform: a ResourceType's decode runs exactly once an object, before anybody sees it.
//  - an object that comes again unchanged (equal uid and resourceVersion: a relist, a watch that
//    repeats itself) reaches no handler. client-go calls OnUpdate(same, same) for it as long as
//    nobody resyncs. Who wants to see every object now and then asks for a resync_period.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "clientgo/cache/lister_watcher.h"
#include "clientgo/cache/reflector.h"
#include "clientgo/cache/store.h"

namespace clientgo::cache {

// Any may be empty. Called on the handler's own thread.
struct EventHandler {
  std::function<void(const runtime::ObjectPtr& object, bool is_in_initial_list)> on_add = {};
  std::function<void(const runtime::ObjectPtr& old_object, const runtime::ObjectPtr& new_object)>
      on_update = {};
  // `final_state_unknown`: the deletion was found by a relist; the object is the last one seen.
  // Mirrors DeletedFinalStateUnknown.
  std::function<void(const runtime::ObjectPtr& object, bool final_state_unknown)> on_delete = {};
};

class HandlerRegistration {
 public:
  virtual ~HandlerRegistration() = default;
  // The informer is synced and this handler has returned from OnAdd of every initial object.
  virtual bool HasSynced() const = 0;
};

struct SharedInformerOptions {
  ReflectorOptions reflector = {};  // an empty `name` becomes the type's plural
};

class SharedInformer {
 public:
  // `type` outlives the informer: a temporary does not compile.
  SharedInformer(const runtime::ResourceType& type, std::unique_ptr<ListerWatcher> source,
                 SharedInformerOptions options);
  SharedInformer(const runtime::ResourceType&& type, std::unique_ptr<ListerWatcher> source,
                 SharedInformerOptions options) = delete;
  ~SharedInformer();

  const runtime::ResourceType& type() const;
  // Before or while running; a late handler first gets the whole store as adds, and then each
  // change once. resync_period: OnUpdate(obj, obj) for every object that often, once what was
  // queued is delivered; at least 1 s; 0: never. An error after stop.
  util::Expected<std::shared_ptr<HandlerRegistration>> AddEventHandler(
      EventHandler handler, std::chrono::milliseconds resync_period = {});
  // No callback of it is running or comes after this returned (unless called from that callback).
  // It waits for a running one: two handlers must not remove each other from their callbacks.
  void RemoveEventHandler(const std::shared_ptr<HandlerRegistration>& registration);
  // At any time before stop, also over what is already held; an error when the name is taken.
  util::Expected<void> AddIndex(std::string name, IndexFunc func);

  // Blocks until `stop`; call once. Undelivered notifications are dropped then, and it returns when
  // no callback runs any more.
  void Run(std::stop_token stop);
  bool HasSynced() const;
  // Blocks until synced (true) or stopped (false).
  bool WaitForSync(std::stop_token stop) const;
  const StoreReader& store() const;
  ReflectorStatus Status() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace clientgo::cache
