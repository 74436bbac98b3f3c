// SPDX-License-Identifier: Apache-2.0
// The inside of Reflector, shared by its source files and nobody else: one function a state, each
// returning how it ended.
//
// Everything here belongs to the thread in Run, except what `mu` guards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/answer_limit.h"
#include "clientgo/cache/bookmark_monitor.h"
#include "clientgo/cache/reflector.h"
#include "clientgo/cache/undecodable_objects.h"
#include "clientgo/util/mutex.h"

namespace clientgo::cache {

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

  // reflector.cc
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
  void SetListWay(std::string way);
  // The object, or the one in the store when that is the same version of it. Counts the others.
  runtime::ObjectPtr KeepKnown(runtime::ObjectPtr object);
  // `undecodable` changed: updates the status and the metric.
  void ReportUndecodable();
  // A LIST or WATCH-LIST is complete.
  void Commit(std::vector<runtime::ObjectPtr> items, std::string version);

  // reflector_list.cc
  ReflectorOutcome InitialList(const std::stop_token& stop);
  util::Expected<void> ListAt(const std::stop_token& stop, const std::string& version);
  util::Expected<runtime::ListMeta> ListPage(const std::stop_token& stop,
                                             const rest::ListOptions& options,
                                             std::vector<runtime::ObjectPtr>& items);

  // reflector_watch.cc
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

  // reflector_watch_list.cc
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
  AnswerLimit watch_answer{std::chrono::seconds(30), std::chrono::minutes(4)};
  AnswerLimit list_answer{std::chrono::seconds(65), std::chrono::minutes(20)};

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
