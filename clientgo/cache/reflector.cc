// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/reflector.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "capstan/cache/store.h"
#include "capstan/heap.h"
#include "capstan/log.h"
#include "capstan/logging.h"
#include "clientgo/cache/reflector_internal.h"

namespace capstan::cache {

std::string_view ToString(ReflectorState state) {
  constexpr std::array<std::string_view, 7> kNames = {
      "Empty",    "InitialList", "InitialWatchList", "InitialListed",
      "Watching", "Backoff",     "Stopped"};
  return kNames.at(static_cast<std::size_t>(state));
}

std::string_view ToString(ReflectorOutcome outcome) {
  constexpr std::array<std::string_view, 13> kNames = {
      "ChoseList", "ChoseWatchList", "Done",   "Again",     "FallBack", "Closed", "Expired",
      "Refused",   "Failed",         "Resume", "StartOver", "Paused",   "Stop"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

ReflectorState Transition(ReflectorState state, ReflectorOutcome outcome) {
  using State = ReflectorState;
  using Outcome = ReflectorOutcome;
  if (outcome == Outcome::kStop) return State::kStopped;
  const bool failed = outcome == Outcome::kRefused || outcome == Outcome::kFailed;
  switch (state) {
    case State::kEmpty:
      if (outcome == Outcome::kChoseList) return State::kInitialList;
      if (outcome == Outcome::kChoseWatchList) return State::kInitialWatchList;
      break;
    case State::kInitialList:
      if (outcome == Outcome::kDone) return State::kInitialListed;
      if (outcome == Outcome::kFailed) return State::kBackoff;
      break;
    case State::kInitialWatchList:
      if (outcome == Outcome::kPaused) return State::kInitialWatchList;
      if (outcome == Outcome::kDone) return State::kWatching;  // the same stream continues
      if (outcome == Outcome::kAgain) return State::kInitialWatchList;
      if (outcome == Outcome::kFallBack) return State::kInitialList;
      if (outcome == Outcome::kRefused) return State::kBackoff;
      break;
    case State::kInitialListed:
      if (outcome == Outcome::kDone) return State::kWatching;
      if (outcome == Outcome::kExpired) return State::kEmpty;
      if (failed) return State::kBackoff;
      break;
    case State::kWatching:
      if (outcome == Outcome::kPaused) return State::kWatching;
      if (outcome == Outcome::kClosed) return State::kInitialListed;
      if (outcome == Outcome::kExpired) return State::kEmpty;
      if (failed) return State::kBackoff;
      break;
    case State::kBackoff:
      if (outcome == Outcome::kPaused) return State::kBackoff;
      if (outcome == Outcome::kResume) return State::kInitialListed;
      if (outcome == Outcome::kStartOver) return State::kEmpty;
      break;
    case State::kStopped:
      break;
  }
  LOG(FATAL) << Kv("Impossible reflector transition", "state", ToString(state), "outcome",
                   ToString(outcome));
}

void UndecodableObjects::Add(runtime::UndecodableObject object) {
  if (object.key.empty()) {
    ++unnamed_;
    unnamed_error_ = std::move(object.error);
    return;
  }
  std::string key = object.key;
  by_key_.insert_or_assign(std::move(key), std::move(object));
}

bool UndecodableObjects::Remove(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  by_key_.erase(found);
  return true;
}

bool UndecodableObjects::Update(const runtime::WatchEvent& event) {
  const bool changed =
      event.type == runtime::EventType::kAdded || event.type == runtime::EventType::kModified;
  if (!changed && event.type != runtime::EventType::kDeleted) return false;
  if (event.object) return Remove(event.object->key());
  if (!changed) return Remove(event.key);
  Add({.key = event.key, .uid = event.uid, .error = event.error});
  return true;
}

UndecodableStatus UndecodableObjects::Status() const {
  UndecodableStatus status{.count = Size()};
  if (!by_key_.empty()) {
    status.key = by_key_.begin()->first;
    status.error = by_key_.begin()->second.error.message;
  } else if (unnamed_ > 0) {
    status.error = unnamed_error_.message;
  }
  return status;
}

void UndecodableObjects::KeepKnown(const ReflectorStore& store,
                                   std::vector<runtime::ObjectPtr>& items) const {
  if (Size() == 0) return;
  std::unordered_set<std::string_view> listed;
  for (const runtime::ObjectPtr& item : items) listed.insert(item->key());
  const auto keep = [&](const runtime::ObjectPtr& known) {
    if (!known || listed.contains(known->key())) return;
    const auto newer = by_key_.find(known->key());
    const bool is_another =
        newer != by_key_.end() && !newer->second.uid.empty() && newer->second.uid != known->uid();
    if (!is_another) items.push_back(known);
  };
  if (unnamed_ > 0) {
    for (const runtime::ObjectPtr& known : store.List()) keep(known);
  } else {
    for (const auto& [key, object] : by_key_) keep(store.GetByKey(key));
  }
}

bool IsUnanswered(const Error& error) {
  return rest::IsUnreachable(error) || error.reason == ErrorReason::kCertificate ||
         error.reason == ErrorReason::kCredentials;
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
ReflectorPause Reflector::Advance(const std::stop_token& stop, transport::Waker& waker) {
  return rep_->Advance(stop, waker);
}
ReflectorStatus Reflector::Status() const {
  MutexLock lock(rep_->mu);
  return rep_->status;
}

Reflector::Rep::Rep(ListerWatcher& source_in, ReflectorStore& store_in, ReflectorOptions options_in)
    : source(source_in),
      store(store_in),
      options(WithResource(std::move(options_in))),
      random(options.random ? options.random : std::function<double()>(RandomUnit)),
      backoff(options.clock, options.backoff, random),
      watch_list_from(options.watch_list ? Clock::TimePoint::min() : Clock::TimePoint::max()) {
  status.last_progress = options.clock.Now();
}

Reflector::Rep::~Rep() {
  undecodable = {};
  ReportUndecodable();
}

void Reflector::Rep::Run(const std::stop_token& stop) {
  while (Step(stop)) {
  }
}

ReflectorPause Reflector::Rep::Advance(const std::stop_token& stop, transport::Waker& the_waker) {
  waker = &the_waker;
  pause.reset();
  while (!pause && Step(stop)) {
  }
  waker = nullptr;
  return pause.value_or(ReflectorPause{.reason = ReflectorPause::Reason::kStopped});
}

bool Reflector::Rep::Step(const std::stop_token& stop) {
  {
    MutexLock lock(mu);
    status.state = state;
  }
  if (state == ReflectorState::kStopped) return false;
  ReflectorOutcome outcome = Perform(stop);
  if (stop.stop_requested()) outcome = ReflectorOutcome::kStop;
  // Only a failure while a synced stream was open, or was being opened, can be resumed.
  const bool paused = outcome == ReflectorOutcome::kPaused;
  if (!paused) {
    resume = outcome == ReflectorOutcome::kRefused &&
             (state == ReflectorState::kInitialListed || state == ReflectorState::kWatching);
  }
  state = Transition(state, outcome);
  if (state != ReflectorState::kWatching && !paused) stream.reset();
  return true;
}

ReflectorOutcome Reflector::Rep::Perform(const std::stop_token& stop) {
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

Clock::TimePoint Reflector::Rep::BackoffEnd() {
  if (backoff_end) return *backoff_end;
  // A Retry-After may be longer than the backoff, up to twice the backoff's cap.
  const Clock::Duration longest = options.backoff.cap * 2;
  const Clock::Duration requested = std::min<Clock::Duration>(retry_after, longest);
  backoff_end = options.clock.After(std::max(backoff.Next(), requested));
  return *backoff_end;
}

ReflectorOutcome Reflector::Rep::BackOff(const std::stop_token& stop) {
  const ReflectorOutcome next = resume ? ReflectorOutcome::kResume : ReflectorOutcome::kStartOver;
  // The next state waits for the server. The backoff is for a request that fails again right after
  // an outage, so that retries cannot become a storm.
  const rest::ServerAvailability* server = source.availability();
  if (server != nullptr && !server->IsReachable() && !recovering) {
    backoff_end.reset();
    return next;
  }
  const Clock::Duration left = BackoffEnd() - options.clock.Now();
  if (left > Clock::Duration::zero()) {
    if (waker != nullptr) {
      pause = {.reason = ReflectorPause::Reason::kSuspended, .until = *backoff_end};
      return ReflectorOutcome::kPaused;
    }
    if (!options.clock.SleepFor(stop, left)) return ReflectorOutcome::kStop;
  }
  backoff_end.reset();
  return next;
}

bool Reflector::Rep::AwaitServer(const std::stop_token& stop) {
  rest::ServerAvailability* server = source.availability();
  if (server == nullptr) return true;
  const auto outage = server->outage();
  if (!outage) return true;
  {
    MutexLock lock(mu);
    status.last_error = outage->error;
  }
  recovering = true;
  expirations = 0;  // versions that expire after the outage have not expired before
  return server->WaitUntilReachable(stop);
}

void Reflector::Rep::ReportFailure(const Error& error, std::string_view reason) {
  // Common events of every watch are not logged at the default verbosity.
  if (IsExpired(error)) {
    V(4).InfoS("Watch expired", "reflector", options.name, "err", error);
  } else if (error.reason == ErrorReason::kUnexpectedEof) {
    V(1).InfoS("Watch closed unexpectedly", "reflector", options.name, "err", error);
  } else {
    WarningS("Failed to watch", "reflector", options.name, "err", error);
  }
  CountError(reason);
  retry_after = error.retry_after.value_or(std::chrono::seconds(0));
  MutexLock lock(mu);
  status.last_error = error;
}

void Reflector::Rep::CountError(std::string_view reason) const {
  if (options.metrics != nullptr) options.metrics->OnWatchError(options.resource, reason);
}

void Reflector::Rep::ReportSuccess() {
  // The outage was not a failure of this resource.
  if (std::exchange(recovering, false)) backoff.Reset();
  MutexLock lock(mu);
  status.last_error.reset();
  status.last_progress = options.clock.Now();
}

void Reflector::Rep::ReportObject() {
  MutexLock lock(mu);
  ++status.objects_received;
  status.last_progress = options.clock.Now();
}

void Reflector::Rep::SetVersion(std::string new_version) {
  version = std::move(new_version);
  MutexLock lock(mu);
  status.resource_version = version;
}

void Reflector::Rep::SetListMode(std::string mode) {
  MutexLock lock(mu);
  status.list_mode = std::move(mode);
}

runtime::ObjectPtr Reflector::Rep::KeepKnown(runtime::ObjectPtr object) {
  runtime::ObjectPtr known = store.GetByKey(object->key());
  if (known && known->HasSameVersion(*object)) return known;
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
  MutexLock lock(mu);
  status.undecodable = undecodable.Status();
}

void Reflector::Rep::Commit(std::vector<runtime::ObjectPtr> items, std::string new_version) {
  found_undecodable.KeepKnown(store, items);
  V(2).InfoS("Caches populated", "reflector", options.name, "objects", items.size(), "changed",
             fresh_objects, "resourceVersion", new_version);
  store.Replace(std::move(items), new_version);
  undecodable = std::exchange(found_undecodable, {});
  ReportUndecodable();
  version_unavailable = false;
  SetVersion(std::move(new_version));
  ReportSuccess();
  if (fresh_objects >= kManyObjects) ReleaseFreeMemory();
  fresh_objects = 0;
}

ReflectorOutcome Reflector::Rep::InitialList(const std::stop_token& stop) {
  SetListMode(fall_back_reason.empty() ? "LIST" : "LIST (WATCH-LIST: " + fall_back_reason + ")");
  // "0" means any version that the server has in memory. Only the first list may use it, because a
  // later one could go back in time.
  std::string from = version.empty() ? "0" : version;
  if (version_unavailable) from.clear();
  auto listed = ListAt(stop, from);
  if (!listed && (IsExpired(listed.error()) || listed.error().resource_version_too_large)) {
    // Exactly one more attempt, at once, for the newest version.
    version_unavailable = true;
    V(2).InfoS("Resource version unavailable, listing without one", "reflector", options.name,
               "resourceVersion", from, "err", listed.error());
    if (!stop.stop_requested()) listed = ListAt(stop, "");
  }
  if (listed) return ReflectorOutcome::kDone;
  if (stop.stop_requested()) return ReflectorOutcome::kStop;
  ReportFailure(listed.error().Wrap("failed to list " + options.name));
  return ReflectorOutcome::kFailed;
}

Expected<void> Reflector::Rep::ListAt(const std::stop_token& stop, const std::string& from) {
  const bool any_version = from.empty() || from == "0";
  rest::ListOptions whole;
  whole.resource_version = from;
  rest::ListOptions page = whole;
  // A limit with a version means exactly that version, which the server would read from etcd.
  // Without a limit, the server responds from memory, and the response is decoded as a stream.
  if (any_version || paginated) page.limit = options.page_size;

  std::vector<runtime::ObjectPtr> items;
  fresh_objects = 0;
  found_undecodable = {};
  auto meta = ListPage(stop, page, items);
  std::string listed_version = meta ? meta->resource_version : "";
  if (meta && !meta->continue_token.empty() && from == "0") paginated = true;
  while (meta && !meta->continue_token.empty()) {
    // The token contains the version. The server rejects a request with both.
    page = {};
    page.limit = options.page_size;
    page.continue_token = std::move(meta->continue_token);
    meta = ListPage(stop, page, items);
    if (!meta && meta.error().reason == ErrorReason::kExpired) {
      // The pages took longer than the server keeps a version. List everything in one request.
      V(2).InfoS("Continue token expired, listing in one piece", "reflector", options.name);
      items.clear();
      fresh_objects = 0;
      found_undecodable = {};
      meta = ListPage(stop, whole, items);
      if (meta) listed_version = meta->resource_version;
      break;
    }
  }
  if (!meta) return Err(std::move(meta.error()));
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "stopped");
  Commit(std::move(items), std::move(listed_version));
  return {};
}

Expected<runtime::ListMeta> Reflector::Rep::ListPage(const std::stop_token& stop,
                                                     const rest::ListOptions& page,
                                                     std::vector<runtime::ObjectPtr>& items) {
  rest::CallOptions call(stop);
  call.answer_timeout = list_answer.current();
  const Clock::TimePoint requested = options.clock.Now();
  auto meta = source.List(call, page, [&](runtime::ObjectPtr object) {
    ReportObject();
    items.push_back(KeepKnown(std::move(object)));
  });
  if (meta) {
    list_answer.OnAnswered(options.clock.Now() - requested);
  } else if (meta.error().reason == ErrorReason::kDeadlineExceeded) {
    list_answer.OnUnanswered();
  }
  if (options.metrics != nullptr) options.metrics->OnList(options.resource, meta.has_value());
  if (meta) {
    for (auto& object : meta->undecodable) found_undecodable.Add(std::move(object));
  }
  return meta;
}

}  // namespace capstan::cache
