// SPDX-License-Identifier: Apache-2.0
#include "capstan/workqueue/queue.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "clientgo/workqueue/flows.h"

namespace capstan::workqueue {

namespace {

struct State;

// List is linked through its elements, so adding and removing them allocates nothing.
template <class T>
struct List {
  T* first = nullptr;
  T* last = nullptr;

  void Append(T& element) {
    element.previous = last;
    element.next = nullptr;
    (last == nullptr ? first : last->next) = &element;
    last = &element;
  }
  void Unlink(T& element) {
    (element.previous == nullptr ? first : element.previous->next) = element.next;
    (element.next == nullptr ? last : element.next->previous) = element.previous;
    element.previous = element.next = nullptr;
  }
};

struct Lane;

// Level is the keys of one priority. Their flows take turns.
struct Level {
  std::unordered_map<Flow*, Lane> lanes;
  List<Lane> turns;         // the lanes with keys that wait for a worker
  std::size_t waiting = 0;  // with the keys that wait for Done
};
using Levels = std::map<int, Level, std::greater<>>;

// Lane is the keys of one priority and flow.
struct Lane {
  Levels::value_type* level = nullptr;
  List<State> keys;         // that wait for a worker
  std::size_t waiting = 0;  // with the keys that wait for Done
  Lane* previous = nullptr;
  Lane* next = nullptr;
};

// The two sets of client-go, as two bits of a key:
//   dirty, not processing   in its Level, waits for a worker
//   processing, not dirty   a worker has it
//   both                    a worker has it, and it was added since: Done queues it again
//   neither                 not here (the key has no State)
struct State {
  bool dirty = false;
  bool processing = false;
  // A worker has the key, or Done has queued it again.
  bool in_work = false;
  const std::string* item = nullptr;  // the key in `States`
  Flow* flow = nullptr;
  Lane* lane = nullptr;       // of a dirty key
  State* previous = nullptr;  // in the lane's list
  State* next = nullptr;
  Clock::TimePoint dirty_since = {};
  Clock::TimePoint processing_since = {};
};

void Append(State& state) {
  Lane& lane = *state.lane;
  if (lane.keys.first == nullptr) lane.level->second.turns.Append(lane);
  lane.keys.Append(state);
}

void Unlink(State& state) {
  Lane& lane = *state.lane;
  lane.keys.Unlink(state);
  if (lane.keys.first == nullptr) lane.level->second.turns.Unlink(lane);
}

// Levels without keys that are kept, so that a queue with few priorities does not allocate them
// for each key.
constexpr std::size_t kEmptyLevelsMax = 8;

// DelayedItems holds items that become ready at a time, each at most once, with the earlier of its
// times and the higher of its priorities. Not thread-safe. Mirrors waitForPriorityQueue of
// client-go's util/workqueue/delaying_queue.go.
class DelayedItems {
 public:
  using TimePoint = Clock::TimePoint;
  struct Ready {
    TimePoint since;
    PrioritizedItem prioritized;
  };

  void Add(std::string item, TimePoint ready_at, int priority) {
    const auto known = by_item_.find(item);
    if (known == by_item_.end()) {
      const auto it = by_time_.emplace(ready_at, PrioritizedItem{item, priority});
      by_item_.emplace(std::move(item), it);
      return;
    }
    int& highest = known->second->second.priority;
    highest = std::max(highest, priority);
    if (ready_at >= known->second->first) return;
    auto node = by_time_.extract(known->second);
    node.key() = ready_at;
    known->second = by_time_.insert(std::move(node));
  }

  // Returns TimePoint::max() if it is empty.
  TimePoint NextReadyAt() const {
    return by_time_.empty() ? TimePoint::max() : by_time_.begin()->first;
  }

  // Removes and returns the earliest item if it is ready. Items with the same time are in the order
  // of Add.
  std::optional<Ready> PopReady(TimePoint now) {
    if (NextReadyAt() > now || by_time_.empty()) return std::nullopt;
    auto node = by_time_.extract(by_time_.begin());
    by_item_.erase(node.mapped().item);
    return Ready{node.key(), std::move(node.mapped())};
  }

  // Removes and returns the items for which `is_gone` returns true.
  std::vector<std::string> Remove(const std::function<bool(std::string_view)>& is_gone) {
    std::vector<std::string> removed;
    for (auto it = by_time_.begin(); it != by_time_.end();) {
      std::string& item = it->second.item;
      if (!is_gone(item)) {
        ++it;
        continue;
      }
      by_item_.erase(item);
      removed.push_back(std::move(item));
      it = by_time_.erase(it);
    }
    return removed;
  }

  void Clear() {
    by_time_.clear();
    by_item_.clear();
  }

 private:
  using ByTime = std::multimap<TimePoint, PrioritizedItem>;
  ByTime by_time_;
  std::unordered_map<std::string, ByTime::iterator> by_item_;
};

// Its nodes do not move, so a Lane points to their States.
using States = std::unordered_map<std::string, State>;

}  // namespace

struct RateLimitingQueue::Rep {
  Rep(QueueOptions options, std::unique_ptr<QueueMetrics> the_metrics)
      : clock(options.clock),
        limiter(std::move(options.rate_limiter)),
        use_priorities(options.use_priority_queue),
        flows(std::move(options.flow_of), options.workers, options.share_from_priority),
        metrics(std::move(the_metrics)) {}

  void AddLocked(std::string item, Clock::TimePoint since, int priority) CAPSTAN_REQUIRES(mu);
  void AddDelayedLocked(std::string item, Clock::Duration delay, int priority) CAPSTAN_REQUIRES(mu);
  // Moves a dirty key to another level, and to the end of its list if it waits for a worker.
  void SetLevelLocked(State& state, int priority) CAPSTAN_REQUIRES(mu);
  void LeaveLevelLocked(State& state) CAPSTAN_REQUIRES(mu);
  void PushLocked(State& state) CAPSTAN_REQUIRES(mu);
  PrioritizedItem PopLocked(State& state, Clock::TimePoint now) CAPSTAN_REQUIRES(mu);
  // Returns the next key of the highest level with one whose flow may have a worker, or null.
  State* FrontLocked() CAPSTAN_REQUIRES(mu);
  // Wakes workers that wait although there are keys: the flows of these had to wait.
  void NotifyOthersLocked() CAPSTAN_REQUIRES(mu);
  void ReportDepthLocked(const Levels::value_type& level) CAPSTAN_REQUIRES(mu);
  void MoveReadyLocked(Clock::TimePoint now) CAPSTAN_REQUIRES(mu);
  void ShutDownLocked(bool drain) CAPSTAN_REQUIRES(mu);
  void Refresh();

  Clock& clock;
  const std::shared_ptr<RateLimiter> limiter;
  const bool use_priorities;

  mutable Mutex mu;
  CondVar changed;  // for Get
  CondVar idle;     // for ShutDownWithDrain
  States states CAPSTAN_GUARDED_BY(mu);
  Levels levels CAPSTAN_GUARDED_BY(mu);
  Flows flows CAPSTAN_GUARDED_BY(mu);
  std::size_t queued_count CAPSTAN_GUARDED_BY(mu) = 0;  // in the lists of the levels
  std::size_t in_work_count CAPSTAN_GUARDED_BY(mu) = 0;
  DelayedItems delayed CAPSTAN_GUARDED_BY(mu);
  bool shutting_down CAPSTAN_GUARDED_BY(mu) = false;
  bool draining CAPSTAN_GUARDED_BY(mu) = false;

  // The last member, so it is destroyed first. After that nothing calls Refresh.
  const std::unique_ptr<QueueMetrics> metrics;
};

void RateLimitingQueue::Rep::AddLocked(std::string item, Clock::TimePoint since, int priority) {
  if (shutting_down) return;
  if (!use_priorities) priority = 0;
  const auto [entry, added] = states.try_emplace(std::move(item));
  State& state = entry->second;
  if (added) {
    state.item = &entry->first;
    state.flow = &flows.Join(entry->first);
  }
  if (state.dirty) {
    if (priority <= state.lane->level->first) return;
    SetLevelLocked(state, priority);
    return;
  }
  state.dirty = true;
  state.dirty_since = since;
  if (metrics) metrics->OnAdd();
  SetLevelLocked(state, priority);
  if (!state.processing) PushLocked(state);
}

void RateLimitingQueue::Rep::SetLevelLocked(State& state, int priority) {
  const bool moves = state.lane != nullptr;
  const bool queued = moves && !state.processing;
  if (moves) {
    if (queued) Unlink(state);
    LeaveLevelLocked(state);
  }
  Levels::value_type& level = *levels.try_emplace(priority).first;
  state.lane = &level.second.lanes.try_emplace(state.flow).first->second;
  state.lane->level = &level;
  ++state.lane->waiting;
  ++level.second.waiting;
  if (queued) Append(state);
  ReportDepthLocked(level);
}

void RateLimitingQueue::Rep::LeaveLevelLocked(State& state) {
  Lane& lane = *std::exchange(state.lane, nullptr);
  Levels::value_type& level = *lane.level;
  if (--lane.waiting == 0 && flows.fair()) level.second.lanes.erase(state.flow);
  --level.second.waiting;
  ReportDepthLocked(level);
  if (level.second.waiting == 0 && levels.size() > kEmptyLevelsMax) levels.erase(level.first);
}

void RateLimitingQueue::Rep::PushLocked(State& state) {
  Append(state);
  ++queued_count;
  changed.NotifyOne();
}

State* RateLimitingQueue::Rep::FrontLocked() {
  for (const auto& [priority, level] : levels) {
    for (const Lane* lane = level.turns.first; lane != nullptr; lane = lane->next) {
      if (flows.MayStart(*lane->keys.first->flow, priority)) return lane->keys.first;
    }
  }
  return nullptr;
}

void RateLimitingQueue::Rep::NotifyOthersLocked() {
  if (!flows.fair()) return;
  if (queued_count == 0 && shutting_down) {
    changed.NotifyAll();
  } else if (FrontLocked() != nullptr) {
    changed.NotifyOne();
  }
}

PrioritizedItem RateLimitingQueue::Rep::PopLocked(State& state, Clock::TimePoint now) {
  Lane& lane = *state.lane;
  Levels::value_type& level = *lane.level;
  const int priority = level.first;
  Unlink(state);
  if (lane.keys.first != nullptr && level.second.turns.last != &lane) {
    level.second.turns.Unlink(lane);
    level.second.turns.Append(lane);
  }
  --queued_count;
  LeaveLevelLocked(state);
  state.dirty = false;
  state.processing = true;
  state.processing_since = now;
  flows.Start(*state.flow);
  if (!state.in_work) {
    state.in_work = true;
    ++in_work_count;
  }
  if (metrics) metrics->ObserveQueueDuration(now - state.dirty_since);
  return {*state.item, priority};
}

void RateLimitingQueue::Rep::ReportDepthLocked(const Levels::value_type& level) {
  if (!metrics) return;
  metrics->SetDepth(use_priorities ? std::optional(level.first) : std::nullopt,
                    level.second.waiting);
}

// Every public call does this first, so no thread has to watch the delayed keys.
void RateLimitingQueue::Rep::MoveReadyLocked(Clock::TimePoint now) {
  while (auto ready = delayed.PopReady(now)) {
    AddLocked(std::move(ready->prioritized.item), ready->since, ready->prioritized.priority);
  }
}

void RateLimitingQueue::Rep::AddDelayedLocked(std::string item, Clock::Duration delay,
                                              int priority) {
  if (shutting_down) return;
  if (metrics) metrics->OnRetry();
  const Clock::TimePoint now = clock.Now();
  MoveReadyLocked(now);
  if (delay <= Clock::Duration::zero()) {
    AddLocked(std::move(item), now, priority);
    return;
  }
  const Clock::TimePoint earliest = delayed.NextReadyAt();
  delayed.Add(std::move(item), now + delay, priority);
  // Invariant: no worker in Get waits beyond the earliest delayed key. So all workers must check
  // again. A single worker may soon be busy, and the others would sleep past the next key.
  if (delayed.NextReadyAt() < earliest) changed.NotifyAll();
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
  rep_ = std::make_unique<Rep>(std::move(options), std::move(metrics));
  if (!rep_->metrics) return;
  rep_->metrics->SetDepth(rep_->use_priorities ? std::optional(0) : std::nullopt, 0);
  rep_->metrics->SetRefresh([rep = rep_.get()] { rep->Refresh(); });
}

RateLimitingQueue::~RateLimitingQueue() = default;

void RateLimitingQueue::Add(std::string item) {
  MutexLock lock(rep_->mu);
  const Clock::TimePoint now = rep_->clock.Now();
  rep_->MoveReadyLocked(now);
  rep_->AddLocked(std::move(item), now, /*priority=*/0);
}

void RateLimitingQueue::AddWithOpts(std::string item, const AddOptions& options) {
  Clock::Duration delay = options.after;
  if (options.rate_limited) {
    const Clock::Duration limited = rep_->limiter->When(item);
    if (delay == Clock::Duration::zero() || limited < delay) delay = limited;
  }
  const bool is_retry = options.rate_limited || options.after > Clock::Duration::zero();
  MutexLock lock(rep_->mu);
  if (is_retry) {
    rep_->AddDelayedLocked(std::move(item), delay, options.priority);
    return;
  }
  const Clock::TimePoint now = rep_->clock.Now();
  rep_->MoveReadyLocked(now);
  rep_->AddLocked(std::move(item), now, options.priority);
}

void RateLimitingQueue::AddAfter(std::string item, Clock::Duration delay) {
  MutexLock lock(rep_->mu);
  rep_->AddDelayedLocked(std::move(item), delay, /*priority=*/0);
}

void RateLimitingQueue::AddRateLimited(std::string item) {
  AddWithOpts(std::move(item), {.rate_limited = true});
}

void RateLimitingQueue::Forget(const std::string& item) { rep_->limiter->Forget(item); }

void RateLimitingQueue::DropDelayed(const std::function<bool(std::string_view item)>& is_gone) {
  std::vector<std::string> removed;
  {
    MutexLock lock(rep_->mu);
    removed = rep_->delayed.Remove(is_gone);
  }
  for (const std::string& item : removed) Forget(item);
}

int RateLimitingQueue::NumRequeues(const std::string& item) const {
  return rep_->limiter->NumRequeues(item);
}

std::optional<std::string> RateLimitingQueue::Get() {
  auto next = GetWithPriority();
  if (!next) return std::nullopt;
  return std::move(next->item);
}

std::optional<PrioritizedItem> RateLimitingQueue::GetWithPriority(std::stop_token stop) {
  Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  while (!stop.stop_requested()) {
    const Clock::TimePoint now = rep.clock.Now();
    rep.MoveReadyLocked(now);
    if (State* const front = rep.FrontLocked(); front != nullptr) {
      PrioritizedItem next = rep.PopLocked(*front, now);
      rep.NotifyOthersLocked();
      return next;
    }
    if (rep.shutting_down && rep.queued_count == 0) return std::nullopt;
    const Clock::TimePoint deadline = rep.delayed.NextReadyAt();
    rep.clock.WaitUntil(
        rep.mu, rep.changed, stop, deadline, [&rep, deadline]() CAPSTAN_REQUIRES(rep.mu) {
          return rep.FrontLocked() != nullptr || (rep.shutting_down && rep.queued_count == 0) ||
                 rep.delayed.NextReadyAt() < deadline;
        });
  }
  // A key's notification may have reached this call instead of one that does not stop.
  if (rep.queued_count > 0) rep.changed.NotifyOne();
  return std::nullopt;
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
  const Clock::Duration worked = now - state.processing_since;
  if (rep.metrics) rep.metrics->ObserveWorkDuration(worked);
  rep.flows.Finish(*state.flow, worked);
  if (state.dirty) {
    rep.PushLocked(state);
    return;
  }
  rep.flows.Leave(*state.flow);
  rep.states.erase(it);
  rep.NotifyOthersLocked();
  if (--rep.in_work_count == 0) rep.idle.NotifyAll();
}

std::size_t RateLimitingQueue::Len() const {
  MutexLock lock(rep_->mu);
  rep_->MoveReadyLocked(rep_->clock.Now());
  return rep_->queued_count;
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

}  // namespace capstan::workqueue
