// SPDX-License-Identifier: Apache-2.0
// CacheSync: a controller's wait for its caches, with a timeout that counts time without progress.
// Internal to Controller. Mirrors the waiting half of controller-runtime's source.Kind and
// Controller.Start, whose timeout counts from the start and ends the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/util/clock.h"

namespace controllers::runtime {

struct WatchedCache {
  clientgo::cache::SharedInformer* informer = nullptr;
  // The handler that queues keys; null: none, or not added yet.
  std::shared_ptr<clientgo::cache::HandlerRegistration> registration = {};
  bool optional = false;               // not waited for when denied (IsDenied), or timed out
  std::function<bool()> handled = {};  // somebody else's handler has queued keys; empty: none
};

// The cache holds everything, and the handler has queued everything; or nobody has to wait for it.
bool IsSynced(const WatchedCache& cache);
// "*v1.Secret": how controller-runtime names what a cache is for.
std::string KindOf(const clientgo::runtime::ResourceType& type);
// "cache of secrets is not synced: 120 objects received, state InitialList by LIST, no progress for
// 5s, last error: ...": all that is known about why.
std::string WhyNotSynced(const clientgo::cache::SharedInformer& informer,
                         clientgo::util::Clock::TimePoint now);
// The same of a cache called `name`: "configmaps/ns/c".
std::string WhyNotSynced(std::string_view name, const clientgo::cache::ReflectorStatus& status,
                         clientgo::util::Clock::TimePoint now);

// "cache of secrets may be behind: watch refused ...": why a cache that is synced does not follow
// its server just now, or in which objects it does not. Empty: it does, or it is not synced.
std::string WhyBehind(const clientgo::cache::SharedInformer& informer);
// "cache of secrets cannot decode the newest version of 2 objects, one of them ns/x: bad Secret
// ...". Empty: there are none.
std::string WhyOutdated(std::string_view cache, const clientgo::cache::UndecodableStatus& status);

class CacheSync {
 public:
  // Called on the waiting thread for a cache that made no progress for `timeout`, and again after
  // every further `timeout`; false ends the wait.
  using OnTimeout = std::function<bool(const clientgo::cache::SharedInformer& informer)>;

  // timeout 0: never.
  CacheSync(clientgo::util::Clock& clock, std::chrono::nanoseconds timeout, OnTimeout on_timeout)
      : clock_(clock), timeout_(timeout), on_timeout_(std::move(on_timeout)) {}

  // True when all are synced, false when stopped or told to end.
  bool Wait(std::stop_token stop, const std::vector<WatchedCache>& caches);

 private:
  struct Progress {
    std::uint64_t objects_received = 0;
    clientgo::util::Clock::TimePoint since;
    bool timed_out = false;  // at least once
  };
  // False: the wait is to end.
  bool Look(const clientgo::cache::SharedInformer& informer, Progress& progress);

  clientgo::util::Clock& clock_;
  const std::chrono::nanoseconds timeout_;
  const OnTimeout on_timeout_;
};

}  // namespace controllers::runtime
