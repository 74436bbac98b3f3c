// SPDX-License-Identifier: Apache-2.0
// Reflector: keeps a ReflectorStore equal to what the API server holds, by LIST then WATCH, or by
// WATCH-LIST. One thread runs it; an explicit state machine, one function a state.
//
// Mirrors client-go's tools/cache/reflector.go (v0.36). Differs on purpose (docs/conformance.md):
//  - WATCH-LIST has a deadline. Refused as unknown, silent for `watch_list_timeout`, or closed
//    twice in a row before its end bookmark, it gives way to LIST for `watch_list_retry`.
//  - a too large resourceVersion is answered by asking without one, at once.
//  - a watch without an answer for 30 s, and a list without one for 65 s, is repeated on another
//    connection, with twice the time (AnswerLimit); client-go relies on HTTP/2's ping.
//  - a watch that misses two bookmarks is reopened at its last version (BookmarkMonitor).
//  - Retry-After (up to a minute), and a watch that nobody answers, are dealt with here, not hidden
//    in the REST layer: wait, then watch again without a LIST.
//  - an object that its type cannot decode fails neither a list nor a watch. The store keeps the
//    last version that could be decoded (UndecodableObjects).
//  - an object that did not change keeps its identity over a relist.
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

#include "clientgo/cache/lister_watcher.h"
#include "clientgo/util/backoff.h"
#include "clientgo/util/clock.h"

namespace clientgo::cache {

// METRICS
class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // `resource` is the plural name, "secrets", everywhere: a series is a resource, however many
  // informers (one a namespace, one a name) have a share in it. Here by how much a share changed.
  virtual void AddObjects(std::string_view resource, std::ptrdiff_t objects,
                          std::ptrdiff_t bytes) = 0;
  // Objects of which the cache lacks the newest version, since it cannot be decoded. By how much
  // the number changed, as above.
  virtual void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) = 0;
  virtual void OnWatchListFallback(std::string_view resource, std::string_view reason) = 0;
  virtual void OnList(std::string_view resource, bool success) = 0;
  virtual void OnWatchStarted(std::string_view resource) = 0;
  virtual void OnWatchError(std::string_view resource, std::string_view reason) = 0;
};

// STATE
// kube-rs's states, by their names there.
enum class ReflectorState : std::uint8_t {
  kEmpty,             // nothing known: choose LIST or WATCH-LIST
  kInitialList,       // paging through a LIST
  kInitialWatchList,  // a WATCH-LIST before its initial-events-end bookmark
  kInitialListed,     // the store is replaced: open a watch
  kWatching,          // events are applied
  kBackoff,           // an attempt failed
  kStopped,
};
std::string_view ToString(ReflectorState state);

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
  virtual std::vector<runtime::ObjectPtr> List() const = 0;
};

struct ReflectorOptions {
  std::string name = {};      // for logs: "secrets", "secrets/ns"
  std::string resource = {};  // for metrics: the plural, "secrets"; empty: the name
  bool watch_list = true;     // the WatchListClient gate
  std::chrono::seconds watch_list_timeout{20};
  std::chrono::seconds watch_list_retry{3600};
  std::chrono::seconds watch_timeout_min{300};  // timeoutSeconds is uniform in [min, 2*min)
  std::int64_t page_size = 500;
  util::BackoffOptions backoff = {};
  util::Clock& clock = util::Clock::Real();
  std::function<double()> random = {};
  MetricsProvider* metrics = nullptr;
};

// Objects whose newest version could not be decoded. The store has an older one, or none.
struct UndecodableStatus {
  std::size_t count = 0;
  std::string key = {};    // of one of them; empty: no name could be read
  std::string error = {};  // of the same one; without the object's content
};

// A snapshot for /readyz, /statusz and metrics.
struct ReflectorStatus {
  ReflectorState state = ReflectorState::kEmpty;
  std::string list_mode;               // "WATCH-LIST", "LIST" or "LIST (WATCH-LIST: Invalid)"
  std::string resource_version;        // the last one seen
  std::uint64_t objects_received = 0;  // grows with every object or event: progress
  util::Clock::TimePoint last_progress = {};
  std::optional<util::Error> last_error;  // of the last failed attempt; cleared by success
  UndecodableStatus undecodable = {};
};

// Reports whether the API server answered the last attempt, and its answer stays the same until
// somebody changes something: a right is missing (401, 403), the kind is not installed (404, 405),
// or the request is not valid. The Reflector keeps trying. False while it has never failed, and
// while the server is away or overloaded.
bool IsDenied(const ReflectorStatus& status);

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
