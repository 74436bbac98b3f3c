// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache_sync.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "capstan/mutex.h"
#include "capstan/time.h"

namespace capstan {

namespace {

struct Progress {
  std::uint64_t objects_received = 0;
  Clock::TimePoint since;
  bool timed_out = false;  // at least once
};

// Reports a cache without progress. Returns false when the wait must end.
bool CheckProgress(const cache::SharedInformer& informer, Progress& progress,
                   const SyncOptions& options) {
  if (options.timeout.count() == 0) return true;
  const std::uint64_t received = informer.Status().objects_received;
  const Clock::TimePoint now = options.clock.Now();
  if (received != progress.objects_received || informer.HasSynced()) {
    progress = {.objects_received = received, .since = now};
    return true;
  }
  if (now - progress.since < options.timeout) return true;
  progress.since = now;
  progress.timed_out = true;
  return options.on_timeout(informer);
}

// SyncSignal wakes a wait when a cache or its handler has synced. The informers share it, because a
// call may come late.
class SyncSignal {
 public:
  void Raise() {
    MutexLock lock(mu_);
    raised_ = true;
    changed_.NotifyAll();
  }
  // Waits for the next Raise, at most until `end`. Returns false after a stop.
  bool Wait(const std::stop_token& stop, Clock& clock, Clock::TimePoint end) {
    MutexLock lock(mu_);
    clock.WaitUntil(mu_, changed_, stop, end, [this]() CAPSTAN_REQUIRES(mu_) { return raised_; });
    raised_ = false;
    return !stop.stop_requested();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool raised_ CAPSTAN_GUARDED_BY(mu_) = false;
};

}  // namespace

bool IsSynced(const WatchedCache& cache) {
  if (!cache.informer->HasSynced()) return cache.optional && IsDenied(cache.informer->Status());
  return !cache.handled || cache.handled();
}

std::string WhyNotSynced(const cache::SharedInformer& informer, Clock::TimePoint now) {
  return WhyNotSynced(informer.type().gvr.resource, informer.Status(), now);
}

std::string WhyNotSynced(std::string_view name, const cache::ReflectorStatus& status,
                         Clock::TimePoint now) {
  std::string text = "cache of " + std::string(name) + " is not synced: ";
  text += std::to_string(status.objects_received) + " objects received, state ";
  text += ToString(status.state);
  if (!status.list_mode.empty()) text += " by " + status.list_mode;
  if (status.last_progress != Clock::TimePoint()) {
    const auto quiet = std::chrono::floor<std::chrono::seconds>(now - status.last_progress);
    text += ", no progress for " + FormatDuration(quiet);
  }
  if (status.last_error) text += ", last error: " + status.last_error->message;
  return text;
}

std::string WhyBehind(const cache::SharedInformer& informer) {
  const cache::ReflectorStatus status = informer.Status();
  if (!informer.HasSynced()) return {};
  const std::string& resource = informer.type().gvr.resource;
  std::string why;
  if (status.last_error) {
    why = "cache of " + resource + " may be behind: " + status.last_error->message;
  }
  const std::string outdated = WhyOutdated(resource, status.undecodable);
  if (!why.empty() && !outdated.empty()) why += "; ";
  return why + outdated;
}

std::string WhyOutdated(std::string_view cache, const cache::UndecodableStatus& status) {
  if (status.count == 0) return {};
  std::string why = "cache of " + std::string(cache) + " cannot decode the newest version of ";
  why += status.count == 1 ? "1 object, " : std::to_string(status.count) + " objects, one of them ";
  why += status.key.empty() ? "without a readable name" : status.key;
  return why + ": " + status.error;
}

bool WaitForSync(std::stop_token stop, const std::vector<WatchedCache>& caches,
                 const SyncOptions& options) {
  // A cache that syncs ends the wait at once. There is no notification of progress or of a denied
  // list, so this also polls. A pause is a sixteenth of the time so far.
  constexpr std::chrono::nanoseconds kPauseMin = std::chrono::milliseconds(1);
  constexpr std::chrono::nanoseconds kPauseMax = std::chrono::milliseconds(200);
  const Clock::TimePoint begin = options.clock.Now();
  const auto signal = std::make_shared<SyncSignal>();
  std::vector<std::shared_ptr<void>> subscriptions;
  subscriptions.reserve(caches.size());
  for (const WatchedCache& cache : caches) {
    subscriptions.push_back(cache.informer->OnSync([signal] { signal->Raise(); }));
  }
  std::vector<Progress> progress(caches.size(), Progress{.objects_received = 0, .since = begin});
  while (true) {
    bool all_synced = true;
    for (std::size_t i = 0; i < caches.size(); ++i) {
      if (IsSynced(caches[i]) || (caches[i].optional && progress[i].timed_out)) continue;
      all_synced = false;
      if (!CheckProgress(*caches[i].informer, progress[i], options)) return false;
    }
    if (all_synced) return true;
    const std::chrono::nanoseconds waited = options.clock.Now() - begin;
    const std::chrono::nanoseconds pause = std::clamp(waited / 16, kPauseMin, kPauseMax);
    if (!signal->Wait(stop, options.clock, options.clock.After(pause))) return false;
  }
}

Expected<void> WaitForSync(const rest::CallOptions& call,
                           const std::vector<cache::SharedInformer*>& informers, Clock& clock) {
  const auto signal = std::make_shared<SyncSignal>();
  for (const cache::SharedInformer* informer : informers) {
    const auto subscription = informer->OnSync([signal] { signal->Raise(); });
    while (!informer->HasSynced()) {
      const bool stopped = !signal->Wait(call.stop, clock, call.deadline);
      if (informer->HasSynced()) break;
      const Clock::TimePoint now = clock.Now();
      if (!stopped && now < call.deadline) continue;
      return Err(stopped ? ErrorReason::kCanceled : ErrorReason::kDeadlineExceeded,
                 WhyNotSynced(*informer, now));
    }
  }
  return {};
}

}  // namespace capstan
