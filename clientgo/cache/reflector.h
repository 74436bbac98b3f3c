// SPDX-License-Identifier: Apache-2.0
// Reflector: keeps a ReflectorStore equal to what the API server holds, by LIST then WATCH, or by
// WATCH-LIST. One thread runs it; an explicit state machine, one function a state.
//
// Mirrors client-go's tools/cache/reflector.go (v0.36). Differs on purpose:
//  - WATCH-LIST that is refused as unknown, falls silent for `watch_list_timeout` before its
//    initial-events-end bookmark, or is closed before it twice in a row, falls back to LIST, and
//    that is remembered for this Reflector's life (client-go waits for ever). Any other error falls
//    back to LIST for once, as in client-go.
//  - "too large resourceVersion" is answered by asking without a version, at once.
//  - an object that did not change keeps its identity over a relist.
//  - a connection that breaks while a watch is being opened counts as refused: the watch is resumed
//    after a backoff, without a LIST (client-go's REST layer hides such a break from its
//    reflector).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/cache/lister_watcher.h"
#include "clientgo/cache/metrics.h"
#include "clientgo/cache/reflector_state.h"
#include "clientgo/util/backoff.h"
#include "clientgo/util/clock.h"

namespace clientgo::cache {

// Where a Reflector writes. Called from the reflector's thread only.
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;
  virtual void Upsert(runtime::ObjectPtr object) = 0;  // ADDED or MODIFIED
  virtual void Delete(runtime::ObjectPtr final_state) = 0;
  virtual void Replace(std::vector<runtime::ObjectPtr> items, std::string resource_version) = 0;
  virtual void Bookmark(std::string resource_version) = 0;
  // What is held now; lets an unchanged object be shared by old and new state during a relist.
  virtual runtime::ObjectPtr GetByKey(std::string_view key) const = 0;
};

struct ReflectorOptions {
  std::string name = {};   // for logs and metrics: the plural, "secrets"
  bool watch_list = true;  // the WatchListClient gate
  std::chrono::seconds watch_list_timeout{20};
  std::chrono::seconds watch_timeout_min{300};  // timeoutSeconds is uniform in [min, 2*min)
  std::int64_t page_size = 500;
  util::BackoffOptions backoff = {};
  util::Clock& clock = util::Clock::Real();
  std::function<double()> random = {};
  MetricsProvider* metrics = nullptr;
};

// A snapshot for /readyz, /statusz and metrics.
struct ReflectorStatus {
  ReflectorState state = ReflectorState::kEmpty;
  std::string list_way;                // "WATCH-LIST", "LIST" or "LIST (WATCH-LIST: Invalid)"
  std::string resource_version;        // the last one seen
  std::uint64_t objects_received = 0;  // grows with every object or event: progress
  util::Clock::TimePoint last_progress = {};
  std::optional<util::Error> last_error;  // of the last failed attempt; cleared by success
};

class Reflector {
 public:
  // References outlive the Reflector.
  Reflector(ListerWatcher& source, ReflectorStore& store, ReflectorOptions options);
  ~Reflector();
  // Blocks until `stop`. Never gives up. Call once.
  void Run(std::stop_token stop);
  ReflectorStatus Status() const;  // thread-safe

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace clientgo::cache
