// SPDX-License-Identifier: Apache-2.0
// Reflector keeps a ReflectorStore equal to the objects in the API server, by LIST and WATCH, or by
// WATCH-LIST. It runs on one thread, as an explicit state machine with one function for each state.
//
// Mirrors client-go's tools/cache/reflector.go (v0.36). Differs on purpose (docs/conformance.md):
//  - WATCH-LIST has a deadline. If the server does not support it, is silent for
//    `watch_list_timeout`, or closes it twice in a row before its end bookmark, LIST is used for
//    `watch_list_retry`.
//  - After a "too large resourceVersion" error it lists without a version at once.
//  - A watch without a response for 30 s, and a list without one for 65 s, is repeated on another
//    connection with twice the time (AdaptiveTimeout). client-go has only HTTP/2's ping, which the
//    transport has, too.
//  - A watch that misses two bookmarks is reopened at its last version (BookmarkMonitor).
//  - Retry-After (up to a minute) and a failed watch request are handled here, not in the REST
//    layer: it waits, then watches again without a LIST.
//  - An object that cannot be decoded does not fail the list or watch. The store keeps the last
//    version that could be decoded (UndecodableObjects).
//  - An unchanged object keeps its identity over a relist.
//  - A busy watch is read in batches (ReflectorOptions::batch_wait).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/backoff.h"
#include "capstan/cache/lister_watcher.h"
#include "capstan/clock.h"
#include "capstan/export.h"

namespace capstan::cache {

// MetricsProvider receives the metrics of informers. It is an interface because clientgo does not
// depend on a metrics library. Implementations are thread-safe. Mirrors client-go's tools/cache
// metrics, with additions.
class CAPSTAN_EXPORT MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // Adds to the number and size of cached objects. `resource` is the plural, such as "secrets". All
  // informers of a resource (one for each namespace or name) share one series.
  virtual void AddObjects(std::string_view resource, std::ptrdiff_t objects,
                          std::ptrdiff_t bytes) = 0;
  // Adds to the number of objects whose newest version cannot be decoded.
  virtual void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) = 0;
  virtual void OnWatchListFallback(std::string_view resource, std::string_view reason) = 0;
  virtual void OnList(std::string_view resource, bool success) = 0;
  virtual void OnWatchStarted(std::string_view resource) = 0;
  virtual void OnWatchError(std::string_view resource, std::string_view reason) = 0;
  // AddPrefix announces informers whose resources begin with `prefix`, such as "east/".
  // RemovePrefix ends it, after the last of these informers was destroyed. After the same number of
  // both calls for a prefix, its series can be removed. By default they stay.
  virtual void AddPrefix(std::string_view /*prefix*/) {}
  virtual void RemovePrefix(std::string_view /*prefix*/) {}
};

// ReflectorState is a state of the Reflector. The names are those of kube-rs.
enum class ReflectorState : std::uint8_t {
  kEmpty,             // no data: choose LIST or WATCH-LIST
  kInitialList,       // reading the pages of a LIST
  kInitialWatchList,  // a WATCH-LIST before its initial-events-end bookmark
  kInitialListed,     // the store was replaced: open a watch
  kWatching,          // events are applied
  kBackoff,           // an attempt failed
  kStopped,
};
CAPSTAN_EXPORT std::string_view ToString(ReflectorState state);

// ReflectorStore is where a Reflector writes. It is called from the reflector's thread only.
class CAPSTAN_EXPORT ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;
  virtual void Upsert(runtime::ObjectPtr object) = 0;  // ADDED or MODIFIED
  virtual void Delete(runtime::ObjectPtr final_state) = 0;
  virtual void Replace(std::vector<runtime::ObjectPtr> items, std::string resource_version) = 0;
  // Ends a group of Upserts and Deletes: called before the reflector waits for more events. What is
  // cheaper once for many changes, such as waking threads, may be delayed until then.
  virtual void Flush() {}
  // Returns the current object. It lets a relist share an unchanged object.
  virtual runtime::ObjectPtr GetByKey(std::string_view key) const = 0;
  virtual std::vector<runtime::ObjectPtr> List() const = 0;
};

struct CAPSTAN_EXPORT ReflectorOptions {
  std::string name = {};      // for logs: "secrets", "secrets/ns"
  std::string resource = {};  // for metrics: the plural, "secrets"; empty: `name`
  bool watch_list = true;     // the WatchListClient gate
  std::chrono::seconds watch_list_timeout{20};
  std::chrono::seconds watch_list_retry{3600};
  std::chrono::seconds watch_timeout_min{300};  // timeoutSeconds is uniform in [min, 2*min)
  std::int64_t page_size = 500;
  // How long a busy watch waits before each read, so that one read returns many events. A watch is
  // busy while it receives more than 500 events a second, after the first 32. 0: it never waits.
  std::chrono::milliseconds batch_wait{5};
  BackoffOptions backoff = {};
  Clock& clock = Clock::Real();
  std::function<double()> random = {};
  MetricsProvider* metrics = nullptr;
};

// UndecodableStatus describes the objects whose newest version cannot be decoded. The store has an
// older version of each, or none.
struct CAPSTAN_EXPORT UndecodableStatus {
  std::size_t count = 0;
  std::string key = {};    // the key of one of them; empty: no name could be read
  std::string error = {};  // the error for that object, without its content
};

// ReflectorStatus is a snapshot for /readyz, /statusz and metrics.
struct CAPSTAN_EXPORT ReflectorStatus {
  ReflectorState state = ReflectorState::kEmpty;
  std::string list_mode;  // "WATCH-LIST", "LIST" or "LIST (WATCH-LIST: Invalid)"
  std::optional<rest::ContentType> content_type = {};  // of the last watch; nullopt: none yet
  std::string resource_version;        // the last version received; updated after each batch
  std::uint64_t objects_received = 0;  // grows with every object or event
  Clock::TimePoint last_progress = {};
  std::optional<Error> last_error;  // the last failure; cleared by success
  UndecodableStatus undecodable = {};
};

// Reports whether the API server denied the last attempt with an error that stays until someone
// fixes it: a missing permission (401, 403), a missing resource type (404, 405), or an invalid
// request. The Reflector keeps trying. False for an unreachable or overloaded server.
CAPSTAN_EXPORT bool IsDenied(const ReflectorStatus& status);

// ReflectorPause is why Reflector::Advance has returned.
struct CAPSTAN_EXPORT ReflectorPause {
  enum class Reason {
    kSuspended,    // it waits for an event or for the end of a backoff
    kNeedsThread,  // it waits for an event on a connection that cannot be suspended: call Run
    kStopped,
  };
  Reason reason = Reason::kStopped;
  Clock::TimePoint until = {};  // kSuspended: when to call Advance at the latest
};

class CAPSTAN_EXPORT Reflector {
 public:
  // `source` and `store` must outlive the Reflector.
  Reflector(ListerWatcher& source, ReflectorStore& store, ReflectorOptions options);
  ~Reflector();
  // Blocks until `stop` and retries all failures. Call once.
  void Run(std::stop_token stop);
  // Like Run, but returns instead of waiting for an event or the end of a backoff, so that a few
  // threads run many Reflectors (ReflectorPool). `waker` is notified once when Advance must be
  // called before `until`, and must outlive the Reflector. Not thread-safe: one thread at a time.
  ReflectorPause Advance(const std::stop_token& stop, transport::Waker& waker);
  ReflectorStatus Status() const;  // thread-safe

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::cache
