// SPDX-License-Identifier: Apache-2.0
#include "capstan/record/event_recorder.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/backoff.h"
#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/text.h"
#include "capstan/thread.h"
#include "capstan/time.h"
#include "capstan/token_bucket.h"
#include "capstan/typed_object.h"
#include "capstan/workqueue/queue.h"
#include "clientgo/record/event_correlator.h"

namespace capstan::record {

namespace {

// client-go's defaults.
constexpr std::size_t kQueueMax = 1000;
constexpr int kTriesMax = 12;
constexpr auto kRetryDelay = std::chrono::seconds(10);

constexpr auto kDrainTime = std::chrono::seconds(2);

// An admission webhook has at most 30 s.
constexpr std::chrono::seconds kWriteTimeout{35};

// Threads that send. One may be held by a namespace whose Events are slow to write.
constexpr int kSenders = 3;

// The burst, then the time between events. A write takes the API server milliseconds, and events
// about a thousand objects must not slow down the work on them.
constexpr int kBurst = 25;
constexpr auto kInterval = std::chrono::milliseconds(20);

// The server has rejected the event. A 5xx or 429 response is not about the event.
bool IsRejected(const Error& error) {
  return error.http_code >= 400 && error.http_code < 500 && !IsTooManyRequests(error);
}

// Unsent is the event of an object that is sent next.
struct Unsent {
  EventCorrelator::Result result;
  int tries = 0;
};

// The events about one object are sent in order.
struct ObjectEvents {
  std::optional<Unsent> next;
  std::deque<EventRecord> rest;
};

// "namespace/kind/name/uid"
std::string KeyOf(const api::ObjectReference& object) {
  std::string key = object.namespace_;
  for (const std::string* part : {&object.kind, &object.name, &object.uid}) {
    key.append("/").append(*part);
  }
  return key;
}

std::string_view NamespaceOf(std::string_view key) { return key.substr(0, key.find('/')); }

}  // namespace

// A namespace may have a slow or failing webhook for its Events. So several threads send,
// namespaces take turns (workqueue/flows.h), and no thread waits for a retry. Of a full
// queue, the namespace with most events loses one.
struct EventBroadcaster::Rep {
  Rep(rest::Client& the_client, EventBroadcasterOptions the_options)
      : client(the_client),
        options(std::move(the_options)),
        clock(options.clock),
        queue({.clock = clock, .flow_of = NamespaceOf, .workers = kSenders}),
        correlator(options.clock),
        pace(kInterval, kBurst, options.clock.Now()) {}

  // Sends until `stop`, then the rest of the queue until `sending` stops.
  void Work(const std::stop_token& stop, const std::stop_token& sending);
  // Returns whether the object has another event to send now.
  bool SendNext(const std::stop_token& stop, const std::stop_token& sending,
                const std::string& key);
  // Returns false if there is no event. A nullopt result was dropped by the correlator.
  bool Take(const std::string& key, std::optional<Unsent>& taken) CAPSTAN_EXCLUDES(mu);
  void PutBack(const std::string& key, Unsent unsent) CAPSTAN_EXCLUDES(mu);
  // Returns when to try again; nullopt: sent or given up.
  std::optional<Clock::Duration> Send(const std::stop_token& sending, Unsent& unsent);
  Expected<void> Write(const std::stop_token& stop, const EventCorrelator::Result& result);
  // Drops an event of the namespace with most if the queue is full. False: that is the one of
  // `key`.
  bool MakeRoomLocked(std::string_view key) CAPSTAN_REQUIRES(mu);
  void EnqueueLocked(const std::string& key, EventRecord event) CAPSTAN_REQUIRES(mu);
  void ReportUnsent();

  rest::Client& client;
  const EventBroadcasterOptions options;
  Clock& clock;
  workqueue::RateLimitingQueue queue;  // of the keys of `objects`

  mutable Mutex mu;
  EventCorrelator correlator CAPSTAN_GUARDED_BY(mu);
  TokenBucket pace CAPSTAN_GUARDED_BY(mu);
  std::map<std::string, ObjectEvents> objects CAPSTAN_GUARDED_BY(mu);
  std::map<std::string, std::size_t, std::less<>> waiting CAPSTAN_GUARDED_BY(mu);  // by namespace
  std::size_t waiting_count CAPSTAN_GUARDED_BY(mu) = 0;
  std::uint64_t dropped CAPSTAN_GUARDED_BY(mu) = 0;
  bool overflowing CAPSTAN_GUARDED_BY(mu) = false;  // since the queue was last empty
  Clock::WallTime last_time CAPSTAN_GUARDED_BY(mu) = {};

  void CountLocked(std::string_view key, int change) CAPSTAN_REQUIRES(mu) {
    waiting_count += static_cast<std::size_t>(change);
    const auto count = waiting.try_emplace(std::string(NamespaceOf(key))).first;
    count->second += static_cast<std::size_t>(change);
    if (count->second == 0) waiting.erase(count);
  }
};

void EventBroadcaster::Rep::Work(const std::stop_token& stop, const std::stop_token& sending) {
  while (const auto next = queue.GetWithPriority(sending)) {
    // After the stop, the queue takes no keys.
    while (SendNext(stop, sending, next->item) && stop.stop_requested()) {
    }
    queue.Done(next->item);
  }
}

bool EventBroadcaster::Rep::Take(const std::string& key, std::optional<Unsent>& taken) {
  const MutexLock lock(mu);
  const auto found = objects.find(key);
  if (found == objects.end()) return false;
  ObjectEvents& events = found->second;
  if (events.next) {
    taken = std::exchange(events.next, std::nullopt);
  } else if (!events.rest.empty()) {
    auto result = correlator.Correlate(std::move(events.rest.front()));
    events.rest.pop_front();
    if (result) taken = Unsent{.result = *std::move(result)};
  } else {
    objects.erase(found);
    return false;
  }
  CountLocked(key, -1);
  if (waiting_count == 0) overflowing = false;
  return true;
}

void EventBroadcaster::Rep::PutBack(const std::string& key, Unsent unsent) {
  const MutexLock lock(mu);
  objects[key].next = std::move(unsent);
  CountLocked(key, 1);
}

bool EventBroadcaster::Rep::SendNext(const std::stop_token& stop, const std::stop_token& sending,
                                     const std::string& key) {
  if (sending.stop_requested()) return false;
  std::optional<Unsent> unsent;
  if (!Take(key, unsent)) return false;
  if (unsent) {
    if (unsent->tries == 0) {
      Clock::Duration wait{};
      {
        const MutexLock lock(mu);
        wait = *pace.Reserve(clock.Now());
      }
      if (wait > Clock::Duration::zero()) clock.SleepFor(stop, wait);
    }
    if (const auto retry = Send(sending, *unsent)) {
      PutBack(key, *std::move(unsent));
      queue.AddAfter(key, *retry);
      return false;
    }
  }
  queue.Add(key);
  return true;
}

std::optional<Clock::Duration> EventBroadcaster::Rep::Send(const std::stop_token& sending,
                                                           Unsent& unsent) {
  const api::ObjectReference& involved = unsent.result.event.fields.involved_object;
  const std::string object = involved.kind + " " + involved.namespace_ + "/" + involved.name;
  const std::string& reason = unsent.result.event.fields.reason;
  const auto written = Write(sending, unsent.result);
  if (written) return std::nullopt;
  const Error& error = written.error();
  ++unsent.tries;
  if (sending.stop_requested()) {
    WarningS("Event lost at shutdown", "object", object, "reason", reason);
    return std::nullopt;
  }
  if (IsRejected(error)) {
    // AlreadyExists: an earlier try succeeded, but its response was lost.
    if (IsAlreadyExists(error)) return std::nullopt;
    WarningS("Server rejected event (will not retry!)", "object", object, "reason", reason, "err",
             error);
    return std::nullopt;
  }
  if (unsent.tries == kTriesMax) {
    ErrorS(error, "Unable to write event (retry limit exceeded!)", "object", object, "reason",
           reason);
    return std::nullopt;
  }
  WarningS("Unable to write event (may retry after sleeping)", "object", object, "err", error);
  if (unsent.tries == 1 && rest::IsUnreachable(error)) {
    // An outage uses one try of an Event, and no extra delay.
    client.availability().WaitUntilReachable(sending);
    return Clock::Duration::zero();
  }
  // The first wait is random, so that clients do not all return at once after an outage.
  const double part = unsent.tries == 1 ? RandomUnit() : 1;
  return std::chrono::duration_cast<Clock::Duration>(kRetryDelay * part);
}

Expected<void> EventBroadcaster::Rep::Write(const std::stop_token& stop,
                                            const EventCorrelator::Result& result) {
  const runtime::ObjectKey key = result.event.Key();
  rest::CallOptions call(stop);
  call.answer_timeout = kWriteTimeout;
  const runtime::ResourceType& type = TypeOf<api::Event>();
  if (result.seen_before) {
    auto patched = client.Patch(call, type, key, rest::PatchType::kMerge, ToPatch(result.event),
                                {.metadata_only_answer = true});
    if (patched) return {};
    // The server keeps Events for an hour. This one has expired or was never created.
    if (!IsNotFound(patched.error())) return Err(std::move(patched.error()));
  }
  api::Event event{result.event.fields};
  event.metadata.namespace_ = key.namespace_;
  event.metadata.name = key.name;
  auto created =
      client.Create(call, type, key.namespace_, ToJson(event), {.metadata_only_answer = true});
  if (!created) return Err(std::move(created.error()));
  return {};
}

bool EventBroadcaster::Rep::MakeRoomLocked(std::string_view key) {
  if (waiting_count < kQueueMax) return true;
  ++dropped;
  const auto most =
      std::max_element(waiting.begin(), waiting.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto own = waiting.find(NamespaceOf(key));
  if (own != waiting.end() && own->second >= most->second) return false;
  const std::string prefix = most->first + "/";
  for (auto object = objects.lower_bound(prefix);
       object != objects.end() && object->first.starts_with(prefix); ++object) {
    if (object->second.rest.empty()) continue;
    object->second.rest.pop_back();
    CountLocked(object->first, -1);
    return true;
  }
  return false;
}

void EventBroadcaster::Rep::EnqueueLocked(const std::string& key, EventRecord event) {
  // Strictly increasing, so that two events about one object never have the same name.
  last_time = std::max(clock.WallNow(), last_time + Clock::WallTime::duration(1));
  event.name = EventName(event.fields.involved_object.name, last_time);
  event.fields.first_timestamp = FormatTime(ToTime(last_time));
  event.fields.last_timestamp = event.fields.first_timestamp;
  objects[key].rest.push_back(std::move(event));
  CountLocked(key, 1);
}

void EventBroadcaster::Rep::ReportUnsent() {
  std::size_t unsent = 0;
  {
    const MutexLock lock(mu);
    unsent = waiting_count;
    dropped += unsent;
    objects.clear();
    waiting.clear();
    waiting_count = 0;
  }
  if (unsent > 0) WarningS("Events lost at shutdown", "count", unsent);
}

EventBroadcaster::EventBroadcaster(rest::Client& client, EventBroadcasterOptions options)
    : rep_(std::make_unique<Rep>(client, std::move(options))) {}

EventBroadcaster::~EventBroadcaster() = default;

void EventBroadcaster::Event(const api::ObjectReference& object, std::string_view type,
                             std::string_view reason, std::string_view message) {
  EventRecord event{
      .fields = {
          .involved_object = object,
          .type = std::string(type),
          .reason = std::string(reason),
          .message = std::string(TruncateUtf8(message, kMessageBytesMax)),
          .source = {.component = rep_->options.component, .host = rep_->options.host},
          .reporting_component = rep_->options.component,
          .reporting_instance = rep_->options.host,
      }};
  const std::string key = KeyOf(object);
  bool overflow_begins = false;
  bool fits = false;
  {
    const MutexLock lock(rep_->mu);
    if (rep_->waiting_count >= kQueueMax) {
      overflow_begins = !std::exchange(rep_->overflowing, true);
    }
    fits = rep_->MakeRoomLocked(key);
    if (fits) {
      rep_->EnqueueLocked(key, std::move(event));
    }
  }
  if (fits) rep_->queue.Add(key);
  if (overflow_begins) {
    WarningS("Event queue is full, dropping events", "queueLength", kQueueMax);
  }
}

void EventBroadcaster::Run(std::stop_token stop) {
  std::stop_source sending;
  // The stop may come during a request without a deadline. This thread cancels it after the drain
  // time.
  std::jthread drain;
  const std::stop_callback on_stop(stop, [&] {
    rep_->queue.ShutDown();
    drain = StartThread("events-drain", [&](const std::stop_token& drained) {
      if (rep_->clock.SleepFor(drained, kDrainTime)) sending.request_stop();
    });
  });
  {
    std::vector<std::jthread> senders;
    for (int i = 1; i < kSenders; ++i) {
      senders.push_back(StartThread(std::to_string(i) + "/events", [&](const std::stop_token&) {
        rep_->Work(stop, sending.get_token());
      }));
    }
    rep_->Work(stop, sending.get_token());
  }
  rep_->ReportUnsent();
}

std::uint64_t EventBroadcaster::dropped() const {
  const MutexLock lock(rep_->mu);
  return rep_->dropped;
}

}  // namespace capstan::record
