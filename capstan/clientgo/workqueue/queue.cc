// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/workqueue/queue.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "capstan/clientgo/util/mutex.h"

namespace capstan::clientgo::workqueue {

using util::Clock;
using util::MutexLock;

namespace {

// The two sets of client-go, as two bits of a key:
//   dirty, not processing   in the FIFO, waits for a worker
//   processing, not dirty   a worker has it
//   both                    a worker has it, and it was added since: Done queues it again
//   neither                 not here (the key has no State)
struct State {
  bool dirty = false;
  bool processing = false;
  // A worker has the key, or Done has queued it again.
  bool in_work = false;
  Clock::TimePoint dirty_since = {};
  Clock::TimePoint processing_since = {};
};

// DelayedItems holds items that become ready at a time, each at most once, with the earlier of its
// times. Not thread-safe. Mirrors waitForPriorityQueue of client-go's
// util/workqueue/delaying_queue.go.
class DelayedItems {
 public:
  using TimePoint = Clock::TimePoint;

  void Add(std::string item, TimePoint ready_at) {
    const auto known = by_item_.find(item);
    if (known == by_item_.end()) {
      const auto it = by_time_.emplace(ready_at, item);
      by_item_.emplace(std::move(item), it);
    } else if (ready_at < known->second->first) {
      by_time_.erase(known->second);
      known->second = by_time_.emplace(ready_at, std::move(item));
    }
  }

  // Returns TimePoint::max() if it is empty.
  TimePoint NextReadyAt() const {
    return by_time_.empty() ? TimePoint::max() : by_time_.begin()->first;
  }

  // Removes and returns the earliest item if it is ready. Items with the same time are in the order
  // of Add.
  std::optional<std::pair<TimePoint, std::string>> PopReady(TimePoint now) {
    if (NextReadyAt() > now || by_time_.empty()) return std::nullopt;
    const auto node = by_time_.extract(by_time_.begin());
    by_item_.erase(node.mapped());
    return std::pair(node.key(), std::move(node.mapped()));
  }

  void Clear() {
    by_time_.clear();
    by_item_.clear();
  }

 private:
  using ByTime = std::multimap<TimePoint, std::string>;
  ByTime by_time_;
  std::unordered_map<std::string, ByTime::iterator> by_item_;
};

using States = std::unordered_map<std::string, State>;

}  // namespace

struct RateLimitingQueue::Rep {
  Rep(Clock& the_clock, std::unique_ptr<RateLimiter> the_limiter,
      std::unique_ptr<QueueMetrics> the_metrics)
      : clock(the_clock), limiter(std::move(the_limiter)), metrics(std::move(the_metrics)) {}

  void AddLocked(std::string item, Clock::TimePoint since) CAPSTAN_REQUIRES(mu);
  void PushLocked(States::value_type& entry) CAPSTAN_REQUIRES(mu);
  std::string PopLocked(Clock::TimePoint now) CAPSTAN_REQUIRES(mu);
  void MoveReadyLocked(Clock::TimePoint now) CAPSTAN_REQUIRES(mu);
  void ShutDownLocked(bool drain) CAPSTAN_REQUIRES(mu);
  void Refresh();

  Clock& clock;
  const std::unique_ptr<RateLimiter> limiter;

  mutable util::Mutex mu;
  util::CondVar changed;  // for Get
  util::CondVar idle;     // for ShutDownWithDrain
  States states CAPSTAN_GUARDED_BY(mu);
  // Pointers to nodes of `states`, which do not move and exist while their key is queued.
  std::deque<States::value_type*> queue CAPSTAN_GUARDED_BY(mu);
  std::size_t dirty_count CAPSTAN_GUARDED_BY(mu) = 0;
  std::size_t in_work_count CAPSTAN_GUARDED_BY(mu) = 0;
  DelayedItems delayed CAPSTAN_GUARDED_BY(mu);
  bool shutting_down CAPSTAN_GUARDED_BY(mu) = false;
  bool draining CAPSTAN_GUARDED_BY(mu) = false;

  // The last member, so it is destroyed first. After that nothing calls Refresh.
  const std::unique_ptr<QueueMetrics> metrics;
};

void RateLimitingQueue::Rep::AddLocked(std::string item, Clock::TimePoint since) {
  if (shutting_down) return;
  States::value_type& entry = *states.try_emplace(std::move(item)).first;
  State& state = entry.second;
  if (state.dirty) return;
  state.dirty = true;
  state.dirty_since = since;
  ++dirty_count;
  if (metrics) {
    metrics->OnAdd();
    metrics->SetDepth(dirty_count);
  }
  if (!state.processing) PushLocked(entry);
}

void RateLimitingQueue::Rep::PushLocked(States::value_type& entry) {
  queue.push_back(&entry);
  changed.NotifyOne();
}

std::string RateLimitingQueue::Rep::PopLocked(Clock::TimePoint now) {
  auto& [item, state] = *queue.front();
  queue.pop_front();
  state.dirty = false;
  state.processing = true;
  state.processing_since = now;
  --dirty_count;
  if (!state.in_work) {
    state.in_work = true;
    ++in_work_count;
  }
  if (metrics) {
    metrics->SetDepth(dirty_count);
    metrics->ObserveQueueDuration(now - state.dirty_since);
  }
  return item;
}

// Every public call does this first, so no thread has to watch the delayed keys.
void RateLimitingQueue::Rep::MoveReadyLocked(Clock::TimePoint now) {
  while (auto ready = delayed.PopReady(now)) AddLocked(std::move(ready->second), ready->first);
}

void RateLimitingQueue::Rep::ShutDownLocked(bool drain) {
  MoveReadyLocked(clock.Now());
  shutting_down = true;
  draining = drain;
  delayed.Clear();
  changed.NotifyAll();
  idle.NotifyAll();
}

void RateLimitingQueue::Rep::Refresh() {
  auto sum = Clock::Duration::zero();
  auto longest = Clock::Duration::zero();
  {
    MutexLock lock(mu);
    const Clock::TimePoint now = clock.Now();
    MoveReadyLocked(now);
    for (const auto& [item, state] : states) {
      if (!state.processing) continue;
      sum += now - state.processing_since;
      longest = std::max(longest, now - state.processing_since);
    }
  }
  metrics->SetUnfinished(sum, longest);
}

RateLimitingQueue::RateLimitingQueue(QueueOptions options) {
  if (!options.rate_limiter) options.rate_limiter = DefaultControllerRateLimiter(options.clock);
  std::unique_ptr<QueueMetrics> metrics;
  if (options.metrics != nullptr && !options.name.empty()) {
    metrics = options.metrics->NewQueueMetrics(options.name);
  }
  rep_ = std::make_unique<Rep>(options.clock, std::move(options.rate_limiter), std::move(metrics));
  if (rep_->metrics) rep_->metrics->SetRefresh([rep = rep_.get()] { rep->Refresh(); });
}

RateLimitingQueue::~RateLimitingQueue() = default;

void RateLimitingQueue::Add(std::string item) {
  MutexLock lock(rep_->mu);
  const Clock::TimePoint now = rep_->clock.Now();
  rep_->MoveReadyLocked(now);
  rep_->AddLocked(std::move(item), now);
}

void RateLimitingQueue::AddAfter(std::string item, Clock::Duration delay) {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  if (rep.shutting_down) return;
  if (rep.metrics) rep.metrics->OnRetry();
  const Clock::TimePoint now = rep.clock.Now();
  rep.MoveReadyLocked(now);
  if (delay <= Clock::Duration::zero()) {
    rep.AddLocked(std::move(item), now);
    return;
  }
  const Clock::TimePoint earliest = rep.delayed.NextReadyAt();
  rep.delayed.Add(std::move(item), now + delay);
  // Invariant: no worker in Get waits beyond the earliest delayed key. So all workers must check
  // again. A single worker may soon be busy, and the others would sleep past the next key.
  if (rep.delayed.NextReadyAt() < earliest) rep.changed.NotifyAll();
}

void RateLimitingQueue::AddRateLimited(std::string item) {
  const Clock::Duration delay = rep_->limiter->When(item);
  AddAfter(std::move(item), delay);
}

void RateLimitingQueue::Forget(const std::string& item) { rep_->limiter->Forget(item); }

int RateLimitingQueue::NumRequeues(const std::string& item) const {
  return rep_->limiter->NumRequeues(item);
}

std::optional<std::string> RateLimitingQueue::Get() {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  for (;;) {
    const Clock::TimePoint now = rep.clock.Now();
    rep.MoveReadyLocked(now);
    if (!rep.queue.empty()) return rep.PopLocked(now);
    if (rep.shutting_down) return std::nullopt;
    const Clock::TimePoint deadline = rep.delayed.NextReadyAt();
    rep.clock.WaitUntil(rep.mu, rep.changed, std::stop_token(), deadline,
                        [&rep, deadline]() CAPSTAN_REQUIRES(rep.mu) {
                          return !rep.queue.empty() || rep.shutting_down ||
                                 rep.delayed.NextReadyAt() < deadline;
                        });
  }
}

void RateLimitingQueue::Done(const std::string& item) {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  const Clock::TimePoint now = rep.clock.Now();
  rep.MoveReadyLocked(now);
  const auto it = rep.states.find(item);
  if (it == rep.states.end() || !it->second.processing) return;
  State& state = it->second;
  state.processing = false;
  if (rep.metrics) rep.metrics->ObserveWorkDuration(now - state.processing_since);
  if (state.dirty) {
    rep.PushLocked(*it);
    return;
  }
  rep.states.erase(it);
  if (--rep.in_work_count == 0) rep.idle.NotifyAll();
}

std::size_t RateLimitingQueue::Len() const {
  MutexLock lock(rep_->mu);
  rep_->MoveReadyLocked(rep_->clock.Now());
  return rep_->queue.size();
}

void RateLimitingQueue::ShutDown() {
  MutexLock lock(rep_->mu);
  rep_->ShutDownLocked(/*drain=*/false);
}

void RateLimitingQueue::ShutDownWithDrain(std::stop_token stop) {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  rep.ShutDownLocked(/*drain=*/true);
  rep.idle.Wait(rep.mu, std::move(stop), [&rep]() CAPSTAN_REQUIRES(rep.mu) {
    return rep.in_work_count == 0 || !rep.draining;
  });
}

bool RateLimitingQueue::ShuttingDown() const {
  MutexLock lock(rep_->mu);
  return rep_->shutting_down;
}

void RateLimitingQueue::Reopen() {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  rep.queue.clear();
  rep.states.clear();
  rep.delayed.Clear();
  rep.dirty_count = rep.in_work_count = 0;
  rep.shutting_down = rep.draining = false;
  if (rep.metrics) rep.metrics->SetDepth(0);
}

}  // namespace capstan::clientgo::workqueue
