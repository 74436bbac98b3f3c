// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/processor_listener.h"

#include <algorithm>
#include <utility>

#include "capstan/heap.h"
#include "capstan/thread.h"

namespace capstan::cache {

ProcessorListener::ProcessorListener(EventHandler handler, Clock& clock, Options options)
    : handler_(std::move(handler)),
      clock_(clock),
      options_(std::move(options)),
      resync_at_(options_.resync_period.count() == 0 ? Clock::TimePoint::max()
                                                     : clock.Now() + options_.resync_period),
      thread_(StartThread(options_.name, [this](const std::stop_token& stop) { Run(stop); })),
      thread_id_(thread_.get_id()) {}

ProcessorListener::~ProcessorListener() { StopAndJoin(); }

bool ProcessorListener::HasSynced() const {
  MutexLock lock(mu_);
  return initial_enqueued_ && initial_pending_ == 0;
}

Change ProcessorListener::Batch::Next() {
  Change change = changes->Next(next);
  if (origin == Origin::kResync) {
    change.type = Change::Type::kUpdated;
    change.old_object = change.new_object;
  }
  change.is_in_initial_list = origin == Origin::kInitialList && change.type == Change::Type::kAdded;
  change.final_state_unknown = change.type == Change::Type::kDeleted;
  return change;
}

void ProcessorListener::Push(Changes changes, Origin origin) {
  if (changes->size() == 0) return;
  MutexLock lock(mu_);
  if (origin == Origin::kInitialList) initial_pending_ += changes->added();
  longest_ = std::max(longest_, queue_.size() + changes->size());
  queue_.emplace_back(Batch{.changes = std::move(changes), .origin = origin});
  pushed_.NotifyOne();
}

// The informer calls it only for its listeners, and removes a listener before StopAndJoin releases
// the handler.
void ProcessorListener::Enqueue(const Change& change) {
  if (handler_.predicate && !handler_.predicate(change)) return;
  MutexLock lock(mu_);
  queue_.emplace_back(change);
  longest_ = std::max(longest_, queue_.size());
}

void ProcessorListener::Wake() {
  MutexLock lock(mu_);
  if (!queue_.empty()) pushed_.NotifyOne();
}

void ProcessorListener::EnqueueReplaced(Changes changes, bool initial) {
  Push(std::move(changes), initial ? Origin::kInitialList : Origin::kRelist);
}

void ProcessorListener::EnqueueInitial(std::vector<runtime::ObjectPtr> objects) {
  Push(std::make_shared<const ChangeList>(std::move(objects)), Origin::kInitialList);
}

void ProcessorListener::EnqueueResync(std::vector<runtime::ObjectPtr> objects) {
  Push(std::make_shared<const ChangeList>(std::move(objects)), Origin::kResync);
}

Change ProcessorListener::PopFront() {
  auto& front = queue_.front();
  Change popped;
  if (auto* batch = std::get_if<Batch>(&front)) {
    popped = batch->Next();
    if (!batch->IsEnd()) return popped;
  } else {
    popped = std::move(std::get<Change>(front));
  }
  queue_.pop_front();
  return popped;
}

void ProcessorListener::MarkInitialEnqueued() {
  MutexLock lock(mu_);
  initial_enqueued_ = true;
}

bool ProcessorListener::FinishInitial() {
  MutexLock lock(mu_);
  --initial_pending_;
  return initial_enqueued_ && initial_pending_ == 0;
}

void ProcessorListener::StopAndJoin() {
  thread_.request_stop();
  // The handler may own the registration, which is this object. It must be released so that both
  // can be freed. This happens without the lock, because its destruction may remove the handler
  // again.
  EventHandler forgotten;
  MutexLock lock(join_mu_);
  if (!thread_.joinable()) return;
  thread_.join();
  forgotten = std::exchange(handler_, {});
}

void ProcessorListener::Run(const std::stop_token& stop) {
  Change change;
  while (Pop(stop, change)) {
    Deliver(change);
    const bool initial = change.is_in_initial_list;
    change = {};
    if (initial && FinishInitial() && options_.on_synced) options_.on_synced();
  }
  finished_ = true;
}

bool ProcessorListener::Pop(const std::stop_token& stop, Change& change) {
  for (;;) {
    bool popped = false;
    bool was_long = false;
    {
      MutexLock lock(mu_);
      clock_.WaitUntil(mu_, pushed_, stop, resync_at_,
                       [&]() CAPSTAN_REQUIRES(mu_) { return !queue_.empty(); });
      if (stop.stop_requested()) return false;
      popped = !queue_.empty();
      if (popped) {
        change = PopFront();
        if (queue_.empty()) was_long = std::exchange(longest_, 0) >= kManyObjects;
        // A deque never frees the table of its blocks, but a new deque has none.
        if (was_long) decltype(queue_)().swap(queue_);
      } else {
        resync_at_ = clock_.Now() + options_.resync_period;
      }
    }
    if (was_long) ReleaseFreeMemory();
    if (popped) return true;
    // Only when the queue is empty, so that the queue of a slow handler does not grow with each
    // period.
    options_.on_resync_due(*this);
  }
}

void ProcessorListener::Deliver(const Change& change) const {
  switch (change.type) {
    case Change::Type::kAdded:
      if (handler_.on_add) handler_.on_add(change.new_object, change.is_in_initial_list);
      break;
    case Change::Type::kUpdated:
      if (handler_.on_update) handler_.on_update(change.old_object, change.new_object);
      break;
    case Change::Type::kDeleted:
      if (handler_.on_delete) handler_.on_delete(change.old_object, change.final_state_unknown);
      break;
  }
}

}  // namespace capstan::cache
