// SPDX-License-Identifier: Apache-2.0
// WATCH-LIST: the list as a stream of ADDED events, ended by a bookmark, which then goes on as the
// watch. Mirrors Reflector.watchList; the fallbacks are capstan's.
#include <utility>

#include "clientgo/cache/received_objects.h"
#include "clientgo/cache/reflector_rep.h"
#include "clientgo/util/logging.h"

namespace clientgo::cache {

using runtime::EventType;
using util::Kv;

ReflectorOutcome Reflector::Rep::InitialWatchList(const std::stop_token& stop) {
  SetListWay("WATCH-LIST");
  const std::string from = version_unavailable ? "" : version;
  rest::ListOptions watch = WatchOptions(from);
  watch.send_initial_events = true;
  watch.resource_version_match = "NotOlderThan";

  stream = std::make_unique<ReflectorStream>(stop, options.clock.Now());
  // A server may also withhold the head of its response.
  const auto opened = Open(watch, options.watch_list_timeout);
  if (stop.stop_requested()) return ReflectorOutcome::kStop;
  if (!opened) {
    // No answer at all may be overload as well: not a reason to never ask again.
    if (opened.error().reason == util::ErrorReason::kDeadlineExceeded) {
      return FallBack("NoAnswer", /*remember=*/false);
    }
    return WatchListFailed(opened.error(), from);
  }

  ReceivedObjects received;  // the old store keeps serving
  fresh_objects = 0;
  found_undecodable = {};
  for (;;) {
    auto event = ReadEvent(options.watch_list_timeout);
    if (stop.stop_requested()) return ReflectorOutcome::kStop;
    if (!event) return WatchListFailed(event.error(), from);
    if (!*event && stream->silent) return FallBack("NoBookmark", /*remember=*/true);
    if (!*event) return WatchListClosed();
    if ((*event)->initial_events_end) {
      watch_lists_closed = 0;
      overloads = 0;
      fall_back_reason.clear();
      Commit(received.Take(), std::move((*event)->resource_version));
      return ReflectorOutcome::kDone;
    }
    found_undecodable.Update(**event);
    if ((*event)->type == EventType::kDeleted && !(*event)->object) {
      received.Delete((*event)->key);
      continue;
    }
    if (!IsUsable(**event) || (*event)->type == EventType::kBookmark) continue;
    runtime::ObjectPtr object = std::move((*event)->object);
    if ((*event)->type == EventType::kDeleted) {
      received.Delete(object->key());
    } else {
      received.Upsert(KeepKnown(std::move(object)));
    }
  }
}

ReflectorOutcome Reflector::Rep::WatchListFailed(const util::Error& error,
                                                 const std::string& from) {
  // None of these says that the server does not know WATCH-LIST. A stream that breaks again right
  // after an outage may be broken by a proxy, so that one falls back.
  const rest::ServerAvailability* server = source.availability();
  const bool is_away = server != nullptr && !server->IsReachable() && !recovering;
  if (is_away || IsConnectionRefused(error) || IsTooManyRequests(error) || IsOverload(error)) {
    ReportFailure(error);
    return ReflectorOutcome::kRefused;
  }
  if ((IsExpired(error) || error.resource_version_too_large) && !from.empty()) {
    version_unavailable = true;
    VLOG(2) << Kv("Resource version unavailable, watching without one", "reflector", options.name,
                  "resourceVersion", from, "err", error);
    CountError(ToString(error.reason));
    return ReflectorOutcome::kAgain;
  }
  // A permanent error is how a server says that it does not know WATCH-LIST. Anything else (no
  // permission, no such resource, an internal error) says nothing about that.
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
  if (fall_back_reason != reason) {  // the same one again, cycle after cycle, is no news
    LOG(INFO) << Kv("Falling back from WATCH-LIST to LIST", "reflector", options.name, "reason",
                    reason, "remember", remember);
  }
  fall_back_reason = reason;
  if (options.metrics != nullptr) options.metrics->OnWatchListFallback(options.resource, reason);
  return ReflectorOutcome::kFallBack;
}

}  // namespace clientgo::cache
