// SPDX-License-Identifier: Apache-2.0
// SharedHandler is one event handler, and so one thread, for all Controllers that watch one
// informer. The first Controller that starts adds it; the last one that stops removes it.
//
// A Controller that starts gets every object of the cache, however often it starts and whatever
// the others do. Thread-safe, except for Subscribe. Has no upstream counterpart: in
// controller-runtime each Controller has a handler of its own, and none starts twice.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan {

class CAPSTAN_EXPORT SharedHandler {
 public:
  // `informer` outlives it. `predicate` must accept a change that any Controller maps to a key. An
  // empty one accepts all.
  explicit SharedHandler(cache::SharedInformer& informer, cache::Predicate predicate = {});
  ~SharedHandler();
  SharedHandler(const SharedHandler&) = delete;
  SharedHandler& operator=(const SharedHandler&) = delete;

  cache::SharedInformer& informer() const { return informer_; }

 private:
  friend class Controller;
  friend class EngagedClusters;
  struct Subscriber;

  // Adds the callbacks of one Controller. Before the first Acquire.
  Subscriber& Subscribe(cache::EventHandler handler);
  // Delivers events to the subscriber until Release. It first gets every object of the cache, on
  // this thread if another Controller uses the handler, else on that of the handler.
  Expected<void> Acquire(Subscriber& subscriber);
  void Release(Subscriber& subscriber);
  // True when the initial objects were delivered, and while no Controller uses the handler.
  bool HasSynced() const;
  cache::EventHandler ForAllSubscribers();

  cache::SharedInformer& informer_;
  const cache::Predicate predicate_;
  std::vector<std::unique_ptr<Subscriber>> subscribers_;
  mutable Mutex mu_;
  int users_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::shared_ptr<cache::HandlerRegistration> registration_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan
