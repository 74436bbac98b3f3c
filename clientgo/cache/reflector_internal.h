// SPDX-License-Identifier: Apache-2.0
// The inside of Reflector, shared by its source files and nobody else: one function a state, each
// returning how it ended.
//
// Everything here belongs to the thread in Run, except what `mu` guards.
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

#include "clientgo/cache/reflector.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::cache {

// OUTCOME
// How a state ended.
enum class ReflectorOutcome : std::uint8_t {
  kChoseList,
  kChoseWatchList,
  kDone,       // the state's purpose is reached
  kAgain,      // the WATCH-LIST gave no list, and the next one may: ask again at once
  kFallBack,   // the WATCH-LIST gave no list, and will not: LIST at once
  kClosed,     // the watch ended and nothing is lost: resume at the last version, at once
  kExpired,    // the server no longer has the version: list at once
  kRefused,    // the server is away or overloaded: wait, then resume
  kFailed,     // wait, then list
  kResume,     // the wait after kRefused is over
  kStartOver,  // the wait after kFailed is over
  kStop,
};
std::string_view ToString(ReflectorOutcome outcome);

// REQUIRES: a state that can end so (else the process ends: that is a bug in the Reflector).
ReflectorState Transition(ReflectorState state, ReflectorOutcome outcome);

// ADAPTIVE
class AdaptiveTimeout {
 public:
  using Duration = util::Clock::Duration;

  // Begins with `shortest`, and doubles after each request without an answer, so that a server or a
  // proxy that needs longer gets it.
  AdaptiveTimeout(Duration shortest, Duration longest) : shortest_(shortest), longest_(longest) {}

  std::chrono::milliseconds current() const {
    const Duration doubled = shortest_ * (1 << doublings_);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::min(doubled, longest_));
  }
  void OnUnanswered() {
    if (doublings_ < kDoublingsMax) ++doublings_;
  }
  // What needed more than the shortest limit will need it again.
  void OnAnswered(Duration took) {
    if (took <= shortest_) doublings_ = 0;
  }

 private:
  static constexpr int kDoublingsMax = 10;

  const Duration shortest_;
  const Duration longest_;
  int doublings_ = 0;
};

// BOOKMARK
class BookmarkMonitor {
 public:
  using Duration = util::Clock::Duration;
  using TimePoint = util::Clock::TimePoint;

  // The API server's interval, and how much later than twice the interval a watch is given up.
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr Duration kMargin = std::chrono::seconds(10);

  // A watch begins; what is known about the server stays.
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
  // The watch was given up. A server that answers the next one, but sends no bookmarks any more,
  // gets twice the time each time.
  void OnSilent() { silent_ = std::min(silent_ + 1, kDoublingsMax); }

  // For how much longer the watch may be silent before it counts as dead; max(): for ever.
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
  Duration interval_{0};                    // the longest between two bookmarks; 0: not known
  int silent_ = 0;                          // watches given up since the last bookmark
};

// UNDECODABLE
class UndecodableObjects {
 public:
  void Add(runtime::UndecodableObject object);
  // The object was decoded or deleted. False: it was not here.
  bool Remove(std::string_view key);
  // Takes over what an event says about an object. False: nothing changed here.
  bool Update(const runtime::WatchEvent& event);

  std::size_t Size() const { return by_key_.size() + unnamed_; }
  UndecodableStatus Status() const;

  // Adds to `items`, which are all objects of a list that could be decoded, the objects of `store`
  // that these ones are newer versions of. An object of another uid is not an older version.
  void KeepKnown(const ReflectorStore& store, std::vector<runtime::ObjectPtr>& items) const;

 private:
  std::map<std::string, runtime::UndecodableObject, std::less<>> by_key_;
  std::size_t unnamed_ = 0;
  util::Error unnamed_error_ = {};  // of the last one
};

// One WATCH or WATCH-LIST. A WATCH-LIST goes on as the watch that follows it.
struct ReflectorStream {
  ReflectorStream(std::stop_token the_stop, util::Clock::TimePoint now)
      : stop(std::move(the_stop)), requested(now) {}

  const std::stop_token stop;
  // Before the request was sent: a proxy may hold the response back until the first event, and then
  // the time since the response says nothing about how long the stream lived.
  const util::Clock::TimePoint requested;
  std::uint64_t events = 0;
  // The watch began at no version: its first ADDED events are a list in key order, and none of
  // their versions is one to resume from.
  bool synthetic_adds = false;
  bool silent = false;  // it ended because nothing was heard for too long
  std::unique_ptr<rest::Watcher> watcher = {};
};

struct Reflector::Rep {
  Rep(ListerWatcher& source_in, ReflectorStore& store_in, ReflectorOptions options_in);
  ~Rep();

  void Run(const std::stop_token& stop);
  ReflectorOutcome Perform(ReflectorState state, const std::stop_token& stop);
  ReflectorOutcome Empty() const;
  // Waits after a failure: in an outage for the server, otherwise for the backoff.
  ReflectorOutcome BackOff(const std::stop_token& stop);
  // Blocks while the server cannot be reached. False: stopped.
  bool AwaitServer(const std::stop_token& stop);
  // `reason` is a metric label: one of a few words.
  void CountError(std::string_view reason) const;
  // Records, logs and counts a failed attempt.
  void ReportFailure(const util::Error& error, std::string_view reason);
  void ReportFailure(const util::Error& error) { ReportFailure(error, ToString(error.reason)); }
  void ReportSuccess();
  void ReportObject();
  void SetVersion(std::string version);
  void SetListMode(std::string mode);
  // The object, or the one in the store when that is the same version of it. Counts the others.
  runtime::ObjectPtr KeepKnown(runtime::ObjectPtr object);
  // `undecodable` changed: updates the status and the metric.
  void ReportUndecodable();
  // A LIST or WATCH-LIST is complete.
  void Commit(std::vector<runtime::ObjectPtr> items, std::string version);

  ReflectorOutcome InitialList(const std::stop_token& stop);
  util::Expected<void> ListAt(const std::stop_token& stop, const std::string& version);
  util::Expected<runtime::ListMeta> ListPage(const std::stop_token& stop,
                                             const rest::ListOptions& options,
                                             std::vector<runtime::ObjectPtr>& items);

  ReflectorOutcome InitialListed(const std::stop_token& stop);
  ReflectorOutcome Watching(const std::stop_token& stop);
  ReflectorOutcome WatchRefused(const util::Error& error);
  ReflectorOutcome VersionExpired(const util::Error& error);
  // A server's wish to be asked again later, unless it has expressed it too often in a row.
  bool IsOverload(const util::Error& error);
  ReflectorOutcome WatchClosed();
  ReflectorOutcome WatchSilent();
  void Apply(runtime::WatchEvent event);
  rest::ListOptions WatchOptions(std::string version);
  util::Expected<void> Open(const rest::ListOptions& options,
                            std::chrono::milliseconds answer_timeout);
  // nullopt: the stream ended, well or not. An error: an ERROR event, or bytes that are no event.
  util::Expected<std::optional<runtime::WatchEvent>> ReadEvent(util::Clock::Duration max_silence);
  bool IsVeryShort() const;
  // False, logged and counted, for an event that carries nothing to apply.
  bool IsUsable(const runtime::WatchEvent& event);

  ReflectorOutcome InitialWatchList(const std::stop_token& stop);
  ReflectorOutcome WatchListFailed(const util::Error& error, const std::string& version);
  ReflectorOutcome WatchListClosed();
  // `remember`: do not ask for a WATCH-LIST again before options.watch_list_retry has passed.
  ReflectorOutcome FallBack(std::string_view reason, bool remember);

  ListerWatcher& source;
  ReflectorStore& store;
  const ReflectorOptions options;
  const std::function<double()> random;
  util::Backoff backoff;

  std::string version;  // the last one seen; empty before the first list
  // The server said that it does not have `version`, or has it no more: list without one.
  bool version_unavailable = false;
  // A list at version "0" came in pages, so the watch cache is off and pages are worth asking for.
  bool paginated = false;
  bool resume = false;                  // after the backoff: watch again, do not list
  std::chrono::seconds retry_after{0};  // what the server that refused last asked for
  int overloads = 0;                    // in a row: a watch was answered 5xx with Retry-After
  int expirations = 0;                  // of the version, without an event or an outage in between
  bool recovering = false;              // from an outage: no request has succeeded since
  std::size_t fresh_objects = 0;        // received by the current list, and not known before
  std::unique_ptr<ReflectorStream> stream;  // in kInitialWatchList and kWatching
  BookmarkMonitor bookmarks;
  // An API server answers a watch at once, and ends a list that takes it longer than 60 s, unless
  // it was configured otherwise.
  AdaptiveTimeout watch_answer{std::chrono::seconds(30), std::chrono::minutes(4)};
  AdaptiveTimeout list_answer{std::chrono::seconds(65), std::chrono::minutes(20)};

  UndecodableObjects undecodable;        // now
  UndecodableObjects found_undecodable;  // by the current list
  std::size_t reported_undecodable = 0;  // what the metric counts

  util::Clock::TimePoint watch_list_from;  // when it may be asked for (again)
  int watch_lists_closed = 0;              // in a row, before their end bookmark; also over a retry
  std::string fall_back_reason = {};       // since the last WATCH-LIST that worked

  mutable util::Mutex mu;
  ReflectorStatus status GUARDED_BY(mu);
};

// Whether the server did not answer: an error that says nothing about the request or the version.
bool IsUnanswered(const util::Error& error);

}  // namespace clientgo::cache
