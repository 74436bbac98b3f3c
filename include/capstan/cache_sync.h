// SPDX-License-Identifier: Apache-2.0
// CacheSync reports whether a cache is synced, and why not. WaitForSync waits for the caches of a
// Controller, with a timeout that counts only time without progress.
//
// Mirrors the waiting half of controller-runtime's source.Kind and Controller.Start. Differs: their
// timeout counts from the start and ends the process.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"

namespace capstan {

struct CAPSTAN_EXPORT WatchedCache {
  const cache::SharedInformer* informer = nullptr;
  bool optional = false;  // there is no wait for it when it is denied (IsDenied) or timed out
  // Returns true when the keys of the initial objects are queued. Empty: no keys are queued.
  std::function<bool()> handled = {};
};

// Returns true when the cache and its handler are synced, or when there is no wait for it.
CAPSTAN_EXPORT bool IsSynced(const WatchedCache& cache);
// Returns why a cache is not synced: "cache of secrets is not synced: 120 objects received, state
// InitialList by LIST, no progress for 5s, last error: ...".
CAPSTAN_EXPORT std::string WhyNotSynced(const cache::SharedInformer& informer,
                                        Clock::TimePoint now);
// Returns the same for a cache called `name`, such as "configmaps/ns/c".
CAPSTAN_EXPORT std::string WhyNotSynced(std::string_view name, const cache::ReflectorStatus& status,
                                        Clock::TimePoint now);

// Returns why a synced cache may not hold the newest objects: "cache of secrets may be behind:
// watch refused ...". Empty when it follows its server, or is not synced.
CAPSTAN_EXPORT std::string WhyBehind(const cache::SharedInformer& informer);
// Returns which objects could not be decoded: "cache of secrets cannot decode the newest version of
// 2 objects, one of them ns/x: bad Secret ...". Empty when there are none.
CAPSTAN_EXPORT std::string WhyOutdated(std::string_view cache,
                                       const cache::UndecodableStatus& status);

struct CAPSTAN_EXPORT SyncOptions {
  Clock& clock;
  std::chrono::nanoseconds timeout;  // 0: it never expires
  // Called on the waiting thread when a cache made no progress for `timeout`, and again after every
  // further `timeout`. Returning false ends the wait.
  std::function<bool(const cache::SharedInformer& informer)> on_timeout;
};
// Returns true when all are synced, false when stopped or ended by on_timeout. It ends at once when
// the last cache syncs, also on a FakeClock that stands still. The timeout is on `clock`.
CAPSTAN_EXPORT bool WaitForSync(std::stop_token stop, const std::vector<WatchedCache>& caches,
                                const SyncOptions& options);
// Returns when all informers are synced, or at the end of `call`, which is on `clock`. The error
// says why an informer is not synced.
CAPSTAN_EXPORT Expected<void> WaitForSync(const rest::CallOptions& call,
                                          const std::vector<cache::SharedInformer*>& informers,
                                          Clock& clock);

}  // namespace capstan
