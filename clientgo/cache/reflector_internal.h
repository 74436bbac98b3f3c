// SPDX-License-Identifier: Apache-2.0
// The implementation of Reflector, for its source files and tests only: the transitions of the
// state machine, the parts it consists of, and one function for each state.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/reflector.h"
#include "capstan/cache/store.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "capstan/runtime/decoder.h"
#include "capstan/token_bucket.h"

namespace capstan::cache {

// ReflectorOutcome is the result of a state. The next state depends only on the state and its
// outcome. Mirrors the control flow of client-go's Reflector.ListAndWatch, which has the same rules
// in nested loops and return values.
enum class ReflectorOutcome : std::uint8_t {
  kChoseList,
  kChoseWatchList,
  kDone,       // the state has reached its purpose
  kAgain,      // the WATCH-LIST failed and the next one may succeed: repeat it at once
  kFallBack,   // the WATCH-LIST failed and the next one would fail: LIST at once
  kClosed,     // the watch ended without a loss: resume at the last version, at once
  kExpired,    // the server no longer has the version: list at once
  kRefused,    // the server is unreachable or overloaded: wait, then resume
  kFailed,     // wait, then list
  kResume,     // the wait after kRefused is over
  kStartOver,  // the wait after kFailed is over
  kPaused,     // Advance returns, and the state goes on with the next call
  kStop,
};
std::string_view ToString(ReflectorOutcome outcome);

// Returns the next state. REQUIRES: the state can have this outcome. Otherwise the process ends,
// because that is a bug in the Reflector. Pure function.
ReflectorState Transition(ReflectorState state, ReflectorOutcome outcome);

// AdaptiveTimeout is the time within which a server must begin its response. After that the request
// is repeated on another connection, which a load balancer may send to another server. Not
// thread-safe. There is no upstream counterpart: client-go detects a hung server only with HTTP/2's
// ping, which a proxy may answer.
class AdaptiveTimeout {
 public:
  using Duration = Clock::Duration;

  // Starts at `shortest` and doubles after each request without a response, up to `longest`. So a
  // slow server or proxy gets the time that it needs.
  AdaptiveTimeout(Duration shortest, Duration longest) : shortest_(shortest), longest_(longest) {}

  std::chrono::milliseconds current() const {
    const Duration doubled = shortest_ * (1 << doublings_);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::min(doubled, longest_));
  }
  void OnUnanswered() {
    if (doublings_ < kDoublingsMax) ++doublings_;
  }
  // A slow response does not reset the timeout, because the next one will be slow, too.
  void OnAnswered(Duration took) {
    if (took <= shortest_) doublings_ = 0;
  }

 private:
  static constexpr int kDoublingsMax = 10;

  const Duration shortest_;
  const Duration longest_;
  int doublings_ = 0;
};

// BookmarkMonitor decides when a watch has been silent for so long that the server must be gone.
//
// An API server sends a bookmark about once a minute to a watch that allows it. A server that
// hangs, or is dead behind a proxy, leaves the connection open and silent, and TCP keepalive only
// reaches the proxy or the kernel. After two bookmarks on one watch, the watch counts as dead when
// two more are missing. Servers that never send bookmarks are not affected. HTTP/2's ping does not
// replace this: HTTP/1.1 has none, and a proxy may answer it. Not thread-safe.
class BookmarkMonitor {
 public:
  using Duration = Clock::Duration;
  using TimePoint = Clock::TimePoint;

  // The API server's interval, and the time added to twice the interval.
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr Duration kMargin = std::chrono::seconds(10);

  // Call when a watch begins. The known interval of the server is kept.
  void OnOpened(TimePoint now) {
    heard_ = now;
    last_bookmark_.reset();
  }
  void OnEvent(TimePoint now, bool is_bookmark) {
    heard_ = now;
    if (!is_bookmark) return;
    if (last_bookmark_) {
      interval_ = std::max(interval_, std::min(now - *last_bookmark_, kLongestInterval));
    }
    last_bookmark_ = now;
    silent_ = 0;
  }
  // Call when a silent watch was closed. If the server accepts the next watch but sends no
  // bookmarks, the allowed time doubles each time.
  void OnSilent() { silent_ = std::min(silent_ + 1, kDoublingsMax); }

  // Returns for how much longer the watch may be silent. max(): without limit.
  Duration Allowed(TimePoint now) const {
    if (interval_ == Duration::zero()) return Duration::max();
    const Duration allowed = (2 * std::max(interval_, kInterval) + kMargin) * (1 << silent_);
    return std::max(heard_ + allowed - now, Duration::zero());
  }

 private:
  static constexpr Duration kLongestInterval = std::chrono::minutes(5);
  static constexpr int kDoublingsMax = 4;

  TimePoint heard_ = {};
  std::optional<TimePoint> last_bookmark_;  // of this watch
  Duration interval_{0};                    // the longest time between two bookmarks; 0: unknown
  int silent_ = 0;                          // silent watches since the last bookmark
};

// UndecodableObjects holds the objects of a Reflector whose newest version cannot be decoded. The
// store keeps the last version of each that could be decoded. An object stays here until it is
// decoded or deleted.
//
// An object without a readable name may be any object that is missing from the list. It counts
// until the next list, and that list removes nothing from the store. Not thread-safe. In client-go,
// one such object fails the whole list.
class UndecodableObjects {
 public:
  void Add(runtime::UndecodableObject object);
  // Call when the object was decoded or deleted. Returns false if it was not here.
  bool Remove(std::string_view key);
  // Applies an event. Returns false if nothing changed here.
  bool Update(const runtime::WatchEvent& event);

  std::size_t Size() const { return by_key_.size() + unnamed_; }
  UndecodableStatus Status() const;

  // Adds to `items`, the decoded objects of a list, the older versions from `store` of the objects
  // that are here. An object with another uid is not an older version.
  void KeepKnown(const ReflectorStore& store, std::vector<runtime::ObjectPtr>& items) const;

 private:
  std::map<std::string, runtime::UndecodableObject, std::less<>> by_key_;
  std::size_t unnamed_ = 0;
  Error unnamed_error_ = {};  // the last one
};

// ReflectorStream is one WATCH or WATCH-LIST. A WATCH-LIST continues as a watch.
struct ReflectorStream {
  // A watch that receives more events is busy.
  static constexpr int kBusyEventsPerSecond = 500;
  static constexpr int kBusyBurst = 32;
  // Limits the events between two calls of ReflectorStore::Flush.
  static constexpr std::uint64_t kBatchMax = 128;

  ReflectorStream(std::stop_token the_stop, Clock::TimePoint now)
      : stop(std::move(the_stop)),
        requested(now),
        calm(TokenBucket::Interval(kBusyEventsPerSecond), kBusyBurst, now) {}

  const std::stop_token stop;
  // The time before the request was sent. A proxy may hold the response back until the first event,
  // so the time of the response does not show how long the stream existed.
  const Clock::TimePoint requested;
  std::uint64_t events = 0;
  // The watch began without a version. Its first ADDED events are a list in the order of keys, so
  // none of their versions can be used to resume.
  bool synthetic_adds = false;
  bool watching = false;        // in kWatching
  bool silent = false;          // it ended because of silence
  std::uint64_t unflushed = 0;  // events since the last Flush
  TokenBucket calm;             // each event takes a token; without one, the watch is busy
  bool busy = false;
  std::unique_ptr<rest::Watcher> watcher = {};
  // Only in kInitialWatchList: the last event, and the list so far. The old store keeps serving.
  Clock::TimePoint heard = {};
  TemporaryStore listed = {};
};

struct Reflector::Rep {
  Rep(ListerWatcher& source_in, ReflectorStore& store_in, ReflectorOptions options_in);
  ~Rep();

  // In reflector.cc.
  void Run(const std::stop_token& stop);
  ReflectorPause Advance(const std::stop_token& stop, transport::Waker& the_waker);
  // Performs the state and makes the transition. Returns false in kStopped.
  bool Step(const std::stop_token& stop);
  ReflectorOutcome Perform(const std::stop_token& stop);
  ReflectorOutcome Empty() const;
  // Waits after a failure: during an outage for the server, otherwise for the backoff.
  ReflectorOutcome BackOff(const std::stop_token& stop);
  // Returns when the backoff ends that BackOff waits for.
  Clock::TimePoint BackoffEnd();
  // Blocks while the server cannot be reached. Returns false after a stop.
  bool AwaitServer(const std::stop_token& stop);
  // `reason` is a metric label with few values.
  void CountError(std::string_view reason) const;
  // Records, logs and counts a failed attempt.
  void ReportFailure(const Error& error, std::string_view reason);
  void ReportFailure(const Error& error) { ReportFailure(error, ToString(error.reason)); }
  void ReportSuccess();
  void ReportObject();
  void SetVersion(std::string version);
  void SetListMode(std::string mode);
  // Returns the object in the store if it is the same version, and `object` otherwise. Counts the
  // others.
  runtime::ObjectPtr KeepKnown(runtime::ObjectPtr object);
  // Updates the status and the metric after a change of `undecodable`.
  void ReportUndecodable();
  // Replaces the store after a complete LIST or WATCH-LIST.
  void Commit(std::vector<runtime::ObjectPtr> items, std::string version);

  ReflectorOutcome InitialList(const std::stop_token& stop);
  Expected<void> ListAt(const std::stop_token& stop, const std::string& version);
  Expected<runtime::ListMeta> ListPage(const std::stop_token& stop,
                                       const rest::ListOptions& options,
                                       std::vector<runtime::ObjectPtr>& items);

  // In reflector_watch.cc.
  ReflectorOutcome InitialListed(const std::stop_token& stop);
  ReflectorOutcome Watching(const std::stop_token& stop);
  // Applies events until the watch ends.
  ReflectorOutcome ApplyEvents(const std::stop_token& stop);
  // Flushes the store and updates the status, once for all events since the last call.
  void EndBatch();
  // Waits if the watch is busy, while nothing is left to read.
  void AwaitBatch(const std::stop_token& stop);
  // Reports whether Advance is to return instead of waiting `max_silence` for an event.
  bool PausesWatch(Clock::Duration max_silence);
  ReflectorOutcome WatchRefused(const Error& error);
  ReflectorOutcome VersionExpired(const Error& error);
  // Reports whether the server is overloaded: 5xx with Retry-After, unless there were too many in a
  // row.
  bool IsOverload(const Error& error);
  ReflectorOutcome WatchClosed();
  ReflectorOutcome WatchSilent();
  void Apply(runtime::WatchEvent event);
  rest::ListOptions WatchOptions(std::string version);
  Expected<void> Open(const rest::ListOptions& options, std::chrono::milliseconds answer_timeout);
  // Reads the next event. Returns nullopt if the stream ended or broke. Fails for an ERROR event
  // and for bytes that are not an event.
  Expected<std::optional<runtime::WatchEvent>> ReadEvent(Clock::Duration max_silence);
  bool IsVeryShort() const;
  // Returns false, with a log line and a metric, for an event without an object to apply.
  bool IsUsable(const runtime::WatchEvent& event);

  ReflectorOutcome InitialWatchList(const std::stop_token& stop);
  void AddToList(runtime::WatchEvent event);
  ReflectorOutcome WatchListFailed(const Error& error, const std::string& version);
  ReflectorOutcome WatchListClosed();
  // `remember`: use no WATCH-LIST before options.watch_list_retry has passed.
  ReflectorOutcome FallBack(std::string_view reason, bool remember);

  ListerWatcher& source;
  ReflectorStore& store;
  const ReflectorOptions options;
  const std::function<double()> random;
  Backoff backoff;

  ReflectorState state = ReflectorState::kEmpty;
  transport::Waker* waker = nullptr;    // during Advance
  std::optional<ReflectorPause> pause;  // of the last kPaused

  std::string version;  // the last version received; empty before the first list
  // The server does not have `version`: list without a version.
  bool version_unavailable = false;
  // A list at version "0" had several pages, so the server's watch cache is off and pages are
  // useful.
  bool paginated = false;
  bool resume = false;                          // after the backoff: watch again without a list
  std::optional<Clock::TimePoint> backoff_end;  // in kBackoff, once it has begun
  std::chrono::seconds retry_after{0};          // the last Retry-After of the server
  int overloads = 0;        // consecutive 5xx responses with Retry-After to a watch
  int expirations = 0;      // consecutive expirations, without an event or an outage between them
  bool recovering = false;  // no request has succeeded since an outage
  std::size_t fresh_objects = 0;            // new or changed objects in the current list
  std::unique_ptr<ReflectorStream> stream;  // only in kInitialWatchList and kWatching
  BookmarkMonitor bookmarks;
  // An API server responds to a watch at once, and by default ends a list that takes longer than 60
  // s.
  AdaptiveTimeout watch_answer{std::chrono::seconds(30), std::chrono::minutes(4)};
  AdaptiveTimeout list_answer{std::chrono::seconds(65), std::chrono::minutes(20)};

  UndecodableObjects undecodable;        // the current ones
  UndecodableObjects found_undecodable;  // those in the current list
  std::size_t reported_undecodable = 0;  // the last value in the metric

  Clock::TimePoint watch_list_from;  // the next WATCH-LIST is allowed from this time
  int watch_lists_closed = 0;  // consecutive WATCH-LISTs that closed before their end bookmark
  std::string fall_back_reason = {};  // since the last successful WATCH-LIST

  mutable Mutex mu;
  ReflectorStatus status CAPSTAN_GUARDED_BY(mu);
};

// Reports whether there was no response from the server, so that the error is not about the request
// or the version.
bool IsUnanswered(const Error& error);

}  // namespace capstan::cache
