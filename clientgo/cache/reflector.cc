// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector.h"

#include <algorithm>
#include <utility>

#include "clientgo/cache/reflector_rep.h"
#include "clientgo/cache/store.h"
#include "clientgo/util/heap.h"
#include "clientgo/util/logging.h"

namespace clientgo::cache {

using util::Kv;

bool IsUnanswered(const util::Error& error) {
  return rest::IsUnreachable(error) || error.reason == util::ErrorReason::kCertificate ||
         error.reason == util::ErrorReason::kCredentials;
}

bool IsDenied(const ReflectorStatus& status) {
  const auto& error = status.last_error;
  return error && (IsUnauthorized(*error) || IsForbidden(*error) || IsNotFound(*error) ||
                   IsPermanent(*error));
}

namespace {

ReflectorOptions WithResource(ReflectorOptions options) {
  if (options.resource.empty()) options.resource = options.name;
  return options;
}

}  // namespace

Reflector::Reflector(ListerWatcher& source, ReflectorStore& store, ReflectorOptions options)
    : rep_(std::make_unique<Rep>(source, store, std::move(options))) {}
Reflector::~Reflector() = default;
void Reflector::Run(std::stop_token stop) { rep_->Run(stop); }
ReflectorStatus Reflector::Status() const {
  util::MutexLock lock(rep_->mu);
  return rep_->status;
}

Reflector::Rep::Rep(ListerWatcher& source_in, ReflectorStore& store_in, ReflectorOptions options_in)
    : source(source_in),
      store(store_in),
      options(WithResource(std::move(options_in))),
      random(options.random ? options.random : std::function<double()>(util::RandomUnit)),
      backoff(options.clock, options.backoff, random),
      watch_list_from(options.watch_list ? util::Clock::TimePoint::min()
                                         : util::Clock::TimePoint::max()) {
  status.last_progress = options.clock.Now();
}

Reflector::Rep::~Rep() {
  undecodable = {};
  ReportUndecodable();
}

void Reflector::Rep::Run(const std::stop_token& stop) {
  ReflectorState state = ReflectorState::kEmpty;
  for (;;) {
    {
      util::MutexLock lock(mu);
      status.state = state;
    }
    if (state == ReflectorState::kStopped) return;
    ReflectorOutcome outcome = Perform(state, stop);
    if (stop.stop_requested()) outcome = ReflectorOutcome::kStop;
    // Only what failed while a synced stream was open, or being opened, can be resumed.
    resume = outcome == ReflectorOutcome::kRefused &&
             (state == ReflectorState::kInitialListed || state == ReflectorState::kWatching);
    state = Transition(state, outcome);
    if (state != ReflectorState::kWatching) stream.reset();
  }
}

ReflectorOutcome Reflector::Rep::Perform(ReflectorState state, const std::stop_token& stop) {
  const bool sends = state == ReflectorState::kInitialList ||
                     state == ReflectorState::kInitialWatchList ||
                     state == ReflectorState::kInitialListed;
  if (sends && !AwaitServer(stop)) return ReflectorOutcome::kStop;
  switch (state) {
    case ReflectorState::kEmpty:
      return Empty();
    case ReflectorState::kInitialList:
      return InitialList(stop);
    case ReflectorState::kInitialWatchList:
      return InitialWatchList(stop);
    case ReflectorState::kInitialListed:
      return InitialListed(stop);
    case ReflectorState::kWatching:
      return Watching(stop);
    case ReflectorState::kBackoff:
      return BackOff(stop);
    case ReflectorState::kStopped:
      break;
  }
  return ReflectorOutcome::kStop;
}

ReflectorOutcome Reflector::Rep::Empty() const {
  return options.clock.Now() >= watch_list_from ? ReflectorOutcome::kChoseWatchList
                                                : ReflectorOutcome::kChoseList;
}

ReflectorOutcome Reflector::Rep::BackOff(const std::stop_token& stop) {
  const ReflectorOutcome next = resume ? ReflectorOutcome::kResume : ReflectorOutcome::kStartOver;
  // The next state waits for the server. The backoff is for a request that fails again right after
  // an outage, so that it cannot turn into a storm.
  const rest::ServerAvailability* server = source.availability();
  if (server != nullptr && !server->IsReachable() && !recovering) return next;
  // A server may ask for more time than the backoff gives it, up to the longest that it can give.
  const util::Clock::Duration longest = options.backoff.cap * 2;
  const util::Clock::Duration asked_for = std::min<util::Clock::Duration>(retry_after, longest);
  if (!options.clock.SleepFor(stop, std::max(backoff.Next(), asked_for))) {
    return ReflectorOutcome::kStop;
  }
  return next;
}

bool Reflector::Rep::AwaitServer(const std::stop_token& stop) {
  rest::ServerAvailability* server = source.availability();
  if (server == nullptr) return true;
  const auto outage = server->outage();
  if (!outage) return true;
  {
    util::MutexLock lock(mu);
    status.last_error = outage->error;
  }
  recovering = true;
  expirations = 0;  // versions that expire after an outage have not expired before
  return server->WaitUntilReachable(stop);
}

void Reflector::Rep::ReportFailure(const util::Error& error, std::string_view reason) {
  // What every watch meets now and then is no news at the default verbosity.
  if (IsExpired(error)) {
    VLOG(4) << Kv("Watch expired", "reflector", options.name, "err", error);
  } else if (error.reason == util::ErrorReason::kUnexpectedEof) {
    VLOG(1) << Kv("Watch closed unexpectedly", "reflector", options.name, "err", error);
  } else {
    LOG(WARNING) << Kv("Failed to watch", "reflector", options.name, "err", error);
  }
  CountError(reason);
  retry_after = error.retry_after.value_or(std::chrono::seconds(0));
  util::MutexLock lock(mu);
  status.last_error = error;
}

void Reflector::Rep::CountError(std::string_view reason) const {
  if (options.metrics != nullptr) options.metrics->OnWatchError(options.resource, reason);
}

void Reflector::Rep::ReportSuccess() {
  // The outage said nothing about this resource.
  if (std::exchange(recovering, false)) backoff.Reset();
  util::MutexLock lock(mu);
  status.last_error.reset();
  status.last_progress = options.clock.Now();
}

void Reflector::Rep::ReportObject() {
  util::MutexLock lock(mu);
  ++status.objects_received;
  status.last_progress = options.clock.Now();
}

void Reflector::Rep::SetVersion(std::string new_version) {
  version = std::move(new_version);
  util::MutexLock lock(mu);
  status.resource_version = version;
}

void Reflector::Rep::SetListWay(std::string way) {
  util::MutexLock lock(mu);
  status.list_way = std::move(way);
}

runtime::ObjectPtr Reflector::Rep::KeepKnown(runtime::ObjectPtr object) {
  runtime::ObjectPtr known = store.GetByKey(object->key());
  if (known && IsSameVersion(*known, *object)) return known;
  ++fresh_objects;
  return object;
}

void Reflector::Rep::ReportUndecodable() {
  const auto change = static_cast<std::ptrdiff_t>(undecodable.Size()) -
                      static_cast<std::ptrdiff_t>(reported_undecodable);
  if (options.metrics != nullptr && change != 0) {
    options.metrics->AddUndecodableObjects(options.resource, change);
  }
  reported_undecodable = undecodable.Size();
  util::MutexLock lock(mu);
  status.undecodable = undecodable.Status();
}

void Reflector::Rep::Commit(std::vector<runtime::ObjectPtr> items, std::string new_version) {
  found_undecodable.KeepKnown(store, items);
  VLOG(2) << Kv("Caches populated", "reflector", options.name, "objects", items.size(), "changed",
                fresh_objects, "resourceVersion", new_version);
  store.Replace(std::move(items), new_version);
  undecodable = std::exchange(found_undecodable, {});
  ReportUndecodable();
  version_unavailable = false;
  SetVersion(std::move(new_version));
  ReportSuccess();
  if (fresh_objects >= kManyObjects) util::ReleaseFreeMemory();
  fresh_objects = 0;
}

}  // namespace clientgo::cache
