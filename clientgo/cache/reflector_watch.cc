// SPDX-License-Identifier: Apache-2.0
// Opens and reads WATCH and WATCH-LIST, and decides what follows their end. A WATCH-LIST sends the
// list as a stream of ADDED events. A bookmark marks the end of the list, and the stream continues
// as the watch. Mirrors Reflector.watch, handleAnyWatch and Reflector.watchList. Differs: the rules
// for falling back to LIST.
#include <algorithm>
#include <utility>

#include "capstan/cache/store.h"
#include "capstan/log.h"
#include "clientgo/cache/reflector_internal.h"

namespace capstan::cache {

constexpr int kOverloadsMax = 10;  // as many retries as client-go's REST layer

rest::ListOptions Reflector::Rep::WatchOptions(std::string from) {
  // The duration is random, so the watches of many clients do not end at the same moment.
  const double seconds = static_cast<double>(options.watch_timeout_min.count()) * (1.0 + random());
  rest::ListOptions watch;
  watch.resource_version = std::move(from);
  watch.allow_watch_bookmarks = true;
  watch.timeout = std::chrono::seconds(static_cast<std::int64_t>(seconds));
  return watch;
}

Expected<void> Reflector::Rep::Open(const rest::ListOptions& watch,
                                    std::chrono::milliseconds answer_timeout) {
  rest::CallOptions call(stream->stop);
  call.answer_timeout = answer_timeout;
  auto watcher = source.Watch(call, watch);
  if (!watcher) return Err(std::move(watcher.error()));
  stream->watcher = std::move(*watcher);
  {
    MutexLock lock(mu);
    status.content_type = stream->watcher->content_type();
  }
  if (options.metrics != nullptr) options.metrics->OnWatchStarted(options.resource);
  return {};
}

ReflectorOutcome Reflector::Rep::InitialListed(const std::stop_token& stop) {
  stream = std::make_unique<ReflectorStream>(stop, options.clock.Now());
  stream->synthetic_adds = version.empty() || version == "0";
  const auto opened = Open(WatchOptions(version), watch_answer.current());
  if (stop.stop_requested()) return ReflectorOutcome::kStop;
  if (!opened) return WatchRefused(opened.error());
  watch_answer.OnAnswered(options.clock.Now() - stream->requested);
  overloads = 0;
  ReportSuccess();
  return ReflectorOutcome::kDone;
}

ReflectorOutcome Reflector::Rep::WatchRefused(const Error& error) {
  if (IsExpired(error)) return VersionExpired(error);
  ReportFailure(error);
  if (error.reason == ErrorReason::kDeadlineExceeded) watch_answer.OnUnanswered();
  // A missing response and an overloaded server do not affect the version, so the watch is resumed.
  if (IsUnanswered(error) || IsTooManyRequests(error) || IsOverload(error)) {
    return ReflectorOutcome::kRefused;
  }
  return ReflectorOutcome::kFailed;
}

bool Reflector::Rep::IsOverload(const Error& error) {
  const bool overload =
      error.http_code >= 500 && error.retry_after && !error.resource_version_too_large;
  // A proxy may return such errors forever, so the number of retries is limited.
  if (overload && ++overloads <= kOverloadsMax) return true;
  overloads = 0;
  return false;
}

// The first expiration causes no wait, because every restart of a server expires versions. The
// second one in a row causes a wait: such a server may expire the version of its own list at once.
ReflectorOutcome Reflector::Rep::VersionExpired(const Error& error) {
  ReportFailure(error);
  return ++expirations <= 1 ? ReflectorOutcome::kExpired : ReflectorOutcome::kFailed;
}

ReflectorOutcome Reflector::Rep::Watching(const std::stop_token& stop) {
  if (!std::exchange(stream->watching, true)) bookmarks.OnOpened(options.clock.Now());
  const ReflectorOutcome outcome = ApplyEvents(stop);
  EndBatch();
  return outcome;
}

ReflectorOutcome Reflector::Rep::ApplyEvents(const std::stop_token& stop) {
  using Backlog = rest::Watcher::Backlog;
  for (;;) {
    const Clock::Duration max_silence = bookmarks.Allowed(options.clock.Now());
    if (PausesWatch(max_silence)) return ReflectorOutcome::kPaused;
    auto event = ReadEvent(max_silence);
    if (stop.stop_requested()) return ReflectorOutcome::kStop;
    if (!event && IsExpired(event.error())) return VersionExpired(event.error());
    if (!event) {
      ReportFailure(event.error());
      return IsTooManyRequests(event.error()) ? ReflectorOutcome::kRefused
                                              : ReflectorOutcome::kFailed;
    }
    if (!*event) return stream->silent ? WatchSilent() : WatchClosed();
    expirations = 0;
    const Clock::TimePoint now = options.clock.Now();
    bookmarks.OnEvent(now, (*event)->type == runtime::EventType::kBookmark);
    if (!stream->calm.Reserve(now, Clock::Duration::zero())) stream->busy = true;
    Apply(std::move(**event));
    const Backlog backlog = stream->watcher->CheckBacklog();
    if (++stream->unflushed < ReflectorStream::kBatchMax && backlog == Backlog::kReceived) continue;
    EndBatch();
    if (backlog == Backlog::kNone) AwaitBatch(stop);
  }
}

void Reflector::Rep::EndBatch() {
  const std::uint64_t events = std::exchange(stream->unflushed, 0);
  if (events == 0) return;
  {
    MutexLock lock(mu);
    status.objects_received += events;
    status.last_progress = options.clock.Now();
    status.resource_version = version;
  }
  store.Flush();  // last: a thread that Flush wakes must find the new version
}

// Without the wait, each event of a busy watch costs wake-ups and several system calls. The kernel
// buffers the events that arrive meanwhile. A thread that other reflectors need does not wait.
void Reflector::Rep::AwaitBatch(const std::stop_token& stop) {
  const bool busy = std::exchange(stream->busy, false);
  if (busy && waker == nullptr) options.clock.SleepFor(stop, options.batch_wait);
}

bool Reflector::Rep::PausesWatch(Clock::Duration max_silence) {
  if (waker == nullptr || max_silence == Clock::Duration::zero()) return false;
  if (!stream->watcher->CanSuspend()) {
    pause = {.reason = ReflectorPause::Reason::kNeedsThread};
    return true;
  }
  const auto until = stream->watcher->Suspend(*waker);
  if (!until) return false;
  pause = {.reason = ReflectorPause::Reason::kSuspended,
           .until = std::min(*until, options.clock.After(max_silence))};
  return true;
}

Expected<std::optional<runtime::WatchEvent>> Reflector::Rep::ReadEvent(
    Clock::Duration max_silence) {
  auto next = stream->watcher->Next(max_silence);
  if (!next && next.error().reason == ErrorReason::kDecode) {
    return Err(next.error().Wrap("unable to decode an event from the watch stream"));
  }
  if (!next) {
    // All applied events are complete and the version is known, so a broken connection loses
    // nothing. It is handled like a clean end. Cancellation by a stop is normal: it is neither
    // logged nor counted.
    if (IsCanceled(next.error())) return std::optional<runtime::WatchEvent>();
    V(1).InfoS("Watch closed unexpectedly", "reflector", options.name, "err", next.error());
    stream->silent = next.error().reason == ErrorReason::kDeadlineExceeded;
    CountError(stream->silent ? "Silent" : ToString(next.error().reason));
    return std::optional<runtime::WatchEvent>();
  }
  if (!*next) return std::optional<runtime::WatchEvent>();
  if ((*next)->type == runtime::EventType::kError) return Err(std::move((*next)->error));
  ++stream->events;
  return next;
}

bool Reflector::Rep::IsVeryShort() const {
  return stream->events == 0 && options.clock.Now() - stream->requested < std::chrono::seconds(1);
}

ReflectorOutcome Reflector::Rep::WatchClosed() {
  if (!IsVeryShort()) {
    V(4).InfoS("Watch closed", "reflector", options.name, "events", stream->events);
    return ReflectorOutcome::kClosed;
  }
  // Some servers close the watch instead of returning 410. Only a list recovers from that.
  const Error error{.message = "very short watch: " + options.name +
                               ": Unexpected watch close - watch lasted less than a second "
                               "and no items received"};
  ReportFailure(error, "VeryShortWatch");
  return ReflectorOutcome::kFailed;
}

// All applied events are valid, so the watch continues at the same version on another connection.
ReflectorOutcome Reflector::Rep::WatchSilent() {
  InfoS("Watch was silent for too long, reopening it", "reflector", options.name, "resourceVersion",
        version);
  bookmarks.OnSilent();
  return ReflectorOutcome::kClosed;
}

bool Reflector::Rep::IsUsable(const runtime::WatchEvent& event) {
  std::string_view reason;
  switch (event.type) {
    case runtime::EventType::kAdded:
    case runtime::EventType::kModified:
    case runtime::EventType::kDeleted:
      if (event.object) return true;
      reason = "Decode";
      WarningS("Failed to decode object, keeping its last version", "reflector", options.name,
               "object", event.key, "resourceVersion", event.resource_version, "err", event.error);
      break;
    case runtime::EventType::kBookmark:
      return true;
    case runtime::EventType::kError:
    case runtime::EventType::kUnknown:
      reason = "UnknownEventType";
      WarningS("Unable to understand watch event, skipping it", "reflector", options.name,
               "resourceVersion", event.resource_version);
      break;
  }
  CountError(reason);
  return false;
}

void Reflector::Rep::Apply(runtime::WatchEvent event) {
  if (undecodable.Update(event)) ReportUndecodable();
  // A deleted object must be removed even if its final state cannot be decoded. The last decoded
  // state is reported.
  if (event.type == runtime::EventType::kDeleted && !event.object)
    event.object = store.GetByKey(event.key);
  if (IsUsable(event) && event.type != runtime::EventType::kBookmark) {
    if (event.type == runtime::EventType::kDeleted) {
      store.Delete(std::move(event.object));
    } else {
      store.Upsert(std::move(event.object));
    }
  }
  if (event.type != runtime::EventType::kAdded) stream->synthetic_adds = false;
  if (stream->synthetic_adds || event.resource_version.empty()) return;
  // All other events advance the version, including deletions and skipped events. Otherwise a
  // resumed watch would repeat them.
  version = std::move(event.resource_version);
}

ReflectorOutcome Reflector::Rep::InitialWatchList(const std::stop_token& stop) {
  const std::string from = version_unavailable ? "" : version;
  if (!stream) {
    SetListMode("WATCH-LIST");
    rest::ListOptions watch = WatchOptions(from);
    watch.send_initial_events = true;
    watch.resource_version_match = "NotOlderThan";
    stream = std::make_unique<ReflectorStream>(stop, options.clock.Now());
    // The response headers may also be late, so the same time limit applies to them.
    const auto opened = Open(watch, options.watch_list_timeout);
    if (stop.stop_requested()) return ReflectorOutcome::kStop;
    if (!opened) {
      // A missing response may also mean overload, so the fallback is not remembered.
      if (opened.error().reason == ErrorReason::kDeadlineExceeded) {
        return FallBack("NoAnswer", /*remember=*/false);
      }
      return WatchListFailed(opened.error(), from);
    }
    stream->heard = options.clock.Now();
    fresh_objects = 0;
    found_undecodable = {};
  }
  for (;;) {
    const Clock::Duration silence = options.clock.Now() - stream->heard;
    const Clock::Duration left =
        std::max<Clock::Duration>(options.watch_list_timeout - silence, {});
    if (PausesWatch(left)) return ReflectorOutcome::kPaused;
    auto event = ReadEvent(left);
    if (stop.stop_requested()) return ReflectorOutcome::kStop;
    if (!event) return WatchListFailed(event.error(), from);
    if (!*event && stream->silent) return FallBack("NoBookmark", /*remember=*/true);
    if (!*event) return WatchListClosed();
    ReportObject();
    stream->heard = options.clock.Now();
    if ((*event)->initial_events_end) {
      watch_lists_closed = 0;
      overloads = 0;
      fall_back_reason.clear();
      Commit(stream->listed.Release(), std::move((*event)->resource_version));
      return ReflectorOutcome::kDone;
    }
    AddToList(std::move(**event));
  }
}

void Reflector::Rep::AddToList(runtime::WatchEvent event) {
  found_undecodable.Update(event);
  if (event.type == runtime::EventType::kDeleted && !event.object)
    return stream->listed.Delete(event.key);
  if (!IsUsable(event) || event.type == runtime::EventType::kBookmark) return;
  if (event.type == runtime::EventType::kDeleted) return stream->listed.Delete(event.object->key());
  stream->listed.Upsert(KeepKnown(std::move(event.object)));
}

ReflectorOutcome Reflector::Rep::WatchListFailed(const Error& error, const std::string& from) {
  // An outage or overload does not mean that the server does not support WATCH-LIST. If a stream
  // breaks right after an outage, a proxy may have broken it, so the reflector falls back to LIST.
  const rest::ServerAvailability* server = source.availability();
  const bool is_away = server != nullptr && !server->IsReachable() && !recovering;
  if (is_away || IsConnectionRefused(error) || IsTooManyRequests(error) || IsOverload(error)) {
    ReportFailure(error);
    return ReflectorOutcome::kRefused;
  }
  if ((IsExpired(error) || error.resource_version_too_large) && !from.empty()) {
    version_unavailable = true;
    V(2).InfoS("Resource version unavailable, watching without one", "reflector", options.name,
               "resourceVersion", from, "err", error);
    CountError(ToString(error.reason));
    return ReflectorOutcome::kAgain;
  }
  // A permanent error means that the server does not support WATCH-LIST, so the fallback is
  // remembered. After other errors (no permission, no such resource, an internal error) it is not.
  return FallBack(ToString(error.reason), IsPermanent(error));
}

ReflectorOutcome Reflector::Rep::WatchListClosed() {
  const rest::ServerAvailability* server = source.availability();
  if (server != nullptr && !server->IsReachable()) return ReflectorOutcome::kAgain;
  if (++watch_lists_closed >= 2) return FallBack("Closed", /*remember=*/true);
  if (IsVeryShort()) return FallBack("VeryShortWatch", /*remember=*/false);
  return ReflectorOutcome::kAgain;
}

ReflectorOutcome Reflector::Rep::FallBack(std::string_view reason, bool remember) {
  if (remember) watch_list_from = options.clock.Now() + options.watch_list_retry;
  if (fall_back_reason != reason) {
    InfoS("Falling back from WATCH-LIST to LIST", "reflector", options.name, "reason", reason,
          "remember", remember);
  }
  fall_back_reason = reason;
  if (options.metrics != nullptr) options.metrics->OnWatchListFallback(options.resource, reason);
  return ReflectorOutcome::kFallBack;
}

}  // namespace capstan::cache
