// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/record/event_recorder.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "capstan/clientgo/record/internal/event_correlator.h"
#include "capstan/clientgo/util/backoff.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/clientgo/util/text.h"
#include "capstan/clientgo/util/thread.h"
#include "capstan/clientgo/util/time_format.h"
#include "capstan/clientgo/util/token_bucket.h"

namespace capstan::clientgo::record {

using util::Clock;
using util::Kv;
using util::MutexLock;

namespace {

// client-go's defaults.
constexpr std::size_t kQueueMax = 1000;
constexpr int kTriesMax = 12;
constexpr auto kRetryDelay = std::chrono::seconds(10);

constexpr auto kDrainTime = std::chrono::seconds(2);

// The burst, then the time between events. A write takes the API server milliseconds, and events
// about a thousand objects must not slow down the work on them.
constexpr int kBurst = 25;
constexpr auto kInterval = std::chrono::milliseconds(20);

// The server has rejected the event. A 5xx or 429 response is not about the event.
bool IsRejected(const util::Error& error) {
  return error.http_code >= 400 && error.http_code < 500 && !util::IsTooManyRequests(error);
}

}  // namespace

struct EventBroadcaster::Rep {
  Rep(rest::Client& the_client, EventBroadcasterOptions the_options)
      : client(the_client),
        options(std::move(the_options)),
        clock(options.clock),
        correlator(options.clock),
        pace(kInterval, kBurst, options.clock.Now()) {}

  std::optional<EventRecord> Next(std::stop_token stop);
  void Send(const std::stop_token& stop, EventRecord event);
  util::Expected<void> Write(const std::stop_token& stop, const EventCorrelator::Result& result);
  void ReportUnsent();

  rest::Client& client;
  const EventBroadcasterOptions options;
  Clock& clock;
  EventCorrelator correlator;  // used by the thread in Run
  util::TokenBucket pace;      // used by the thread in Run

  mutable util::Mutex mu;
  util::CondVar changed;
  std::deque<EventRecord> queue CAPSTAN_GUARDED_BY(mu);
  std::uint64_t dropped CAPSTAN_GUARDED_BY(mu) = 0;
  bool overflowing CAPSTAN_GUARDED_BY(mu) = false;  // since the queue was last empty
  Clock::WallTime last_time CAPSTAN_GUARDED_BY(mu) = {};
};

std::optional<EventRecord> EventBroadcaster::Rep::Next(std::stop_token stop) {
  MutexLock lock(mu);
  if (queue.empty()) overflowing = false;
  clock.WaitUntil(mu, changed, std::move(stop), Clock::TimePoint::max(),
                  [this]() CAPSTAN_REQUIRES(mu) { return !queue.empty(); });
  if (queue.empty()) return std::nullopt;
  EventRecord event = std::move(queue.front());
  queue.pop_front();
  return event;
}

void EventBroadcaster::Rep::Send(const std::stop_token& stop, EventRecord event) {
  const auto result = correlator.Correlate(std::move(event));
  if (!result) return;
  const api::ObjectReference& involved = result->event.fields.involved_object;
  const std::string object = involved.kind + " " + involved.namespace_ + "/" + involved.name;
  const std::string& reason = result->event.fields.reason;
  for (int tries = 1;; ++tries) {
    const auto written = Write(stop, *result);
    if (written) return;
    const util::Error& error = written.error();
    if (stop.stop_requested()) {
      LOG(WARNING) << Kv("Event lost at shutdown", "object", object, "reason", reason);
      return;
    }
    if (IsRejected(error)) {
      // AlreadyExists: an earlier try succeeded, but its response was lost.
      if (util::IsAlreadyExists(error)) return;
      LOG(WARNING) << Kv("Server rejected event (will not retry!)", "object", object, "reason",
                         reason, "err", error);
      return;
    }
    if (tries == kTriesMax) {
      LOG(ERROR) << Kv("Unable to write event (retry limit exceeded!)", "object", object, "reason",
                       reason, "err", error);
      return;
    }
    LOG(WARNING) << Kv("Unable to write event (may retry after sleeping)", "object", object, "err",
                       error);
    if (tries == 1 && rest::IsUnreachable(error)) {
      // An outage uses one try of an Event, and no extra delay.
      client.availability().WaitUntilReachable(stop);
      continue;
    }
    // The first wait is random, so that clients do not all return at once after an outage.
    const double part = tries == 1 ? util::RandomUnit() : 1;
    clock.SleepFor(stop, std::chrono::duration_cast<Clock::Duration>(kRetryDelay * part));
  }
}

util::Expected<void> EventBroadcaster::Rep::Write(const std::stop_token& stop,
                                                  const EventCorrelator::Result& result) {
  const runtime::ObjectKey key = result.event.Key();
  const runtime::ResourceType& type = api::Event::Type();
  if (result.seen_before) {
    auto patched = client.Patch(stop, type, key, rest::PatchType::kMerge, ToPatch(result.event));
    if (patched) return {};
    // The server keeps Events for an hour. This one has expired or was never created.
    if (!util::IsNotFound(patched.error())) return util::Err(std::move(patched.error()));
  }
  auto created = client.Create(stop, type, key.namespace_, api::ToJson(key, result.event.fields));
  if (!created) return util::Err(std::move(created.error()));
  return {};
}

void EventBroadcaster::Rep::ReportUnsent() {
  std::size_t unsent = 0;
  {
    MutexLock lock(mu);
    unsent = queue.size();
    dropped += unsent;
    queue.clear();
  }
  if (unsent > 0) LOG(WARNING) << Kv("Events lost at shutdown", "count", unsent);
}

EventBroadcaster::EventBroadcaster(rest::Client& client, EventBroadcasterOptions options)
    : rep_(std::make_unique<Rep>(client, std::move(options))) {}

EventBroadcaster::~EventBroadcaster() = default;

void EventBroadcaster::Event(const ObjectReference& object, std::string_view type,
                             std::string_view reason, std::string_view message) {
  EventRecord event{.fields = {
                        .involved_object = object,
                        .type = std::string(type),
                        .reason = std::string(reason),
                        .message = std::string(util::TruncateUtf8(message, kMessageBytesMax)),
                        .source_component = rep_->options.component,
                        .source_host = rep_->options.host,
                    }};
  bool overflow_begins = false;
  {
    MutexLock lock(rep_->mu);
    if (rep_->queue.size() >= kQueueMax) {
      ++rep_->dropped;
      overflow_begins = !std::exchange(rep_->overflowing, true);
    } else {
      // Strictly increasing, so that two events about one object never have the same name.
      rep_->last_time =
          std::max(rep_->clock.WallNow(), rep_->last_time + Clock::WallTime::duration(1));
      event.name = EventName(object.name, rep_->last_time);
      event.fields.first_timestamp = util::FormatTime(rep_->last_time);
      event.fields.last_timestamp = event.fields.first_timestamp;
      rep_->queue.push_back(std::move(event));
      rep_->changed.NotifyOne();
    }
  }
  if (overflow_begins) {
    LOG(WARNING) << Kv("Event queue is full, dropping events", "queueLength", kQueueMax);
  }
}

void EventBroadcaster::Run(std::stop_token stop) {
  std::stop_source sending;
  // The stop may come during a request without a deadline. This thread cancels it after the drain
  // time.
  std::jthread drain;
  const std::stop_callback on_stop(stop, [&] {
    drain = util::StartThread("events-drain", [&](const std::stop_token& drained) {
      if (rep_->clock.SleepFor(drained, kDrainTime)) sending.request_stop();
    });
  });
  while (!sending.stop_requested()) {
    auto event = rep_->Next(stop);
    if (!event) break;
    const Clock::Duration wait = *rep_->pace.Reserve(rep_->clock.Now());
    if (wait > Clock::Duration::zero()) rep_->clock.SleepFor(stop, wait);
    rep_->Send(sending.get_token(), std::move(*event));
  }
  rep_->ReportUnsent();
}

std::uint64_t EventBroadcaster::dropped() const {
  MutexLock lock(rep_->mu);
  return rep_->dropped;
}

}  // namespace capstan::clientgo::record
