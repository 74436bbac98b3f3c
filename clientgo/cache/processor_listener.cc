// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/processor_listener.h"

#include <algorithm>
#include <utility>

#include "clientgo/cache/memory.h"
#include "clientgo/util/thread.h"

namespace clientgo::cache {

ProcessorListener::ProcessorListener(EventHandler handler, util::Clock& clock, Options options)
    : handler_(std::move(handler)),
      clock_(clock),
      options_(std::move(options)),
      resync_at_(options_.resync_period.count() == 0 ? util::Clock::TimePoint::max()
                                                     : clock.Now() + options_.resync_period),
      thread_(util::StartThread(options_.name, [this](const std::stop_token& stop) { Run(stop); })),
      thread_id_(thread_.get_id()) {}

ProcessorListener::~ProcessorListener() { StopAndJoin(); }

bool ProcessorListener::HasSynced() const {
  util::MutexLock lock(mu_);
  return initial_enqueued_ && initial_pending_ == 0;
}

void ProcessorListener::Push(const Change& change, bool flag) {
  if (change.type == Change::Type::kAdded && flag) ++initial_pending_;
  queue_.push_back({change.type, flag, change.old_object, change.new_object});
  longest_ = std::max(longest_, queue_.size());
}

void ProcessorListener::Enqueue(const Change& change) {
  util::MutexLock lock(mu_);
  Push(change, false);
  pushed_.NotifyOne();
}

void ProcessorListener::EnqueueReplaced(const std::vector<Change>& changes, bool initial) {
  util::MutexLock lock(mu_);
  for (const Change& change : changes) {
    if (change.type == Change::Type::kUpdated && change.old_object == change.new_object) continue;
    Push(change, initial || change.type == Change::Type::kDeleted);
  }
  pushed_.NotifyOne();
}

void ProcessorListener::EnqueueInitial(const std::vector<runtime::ObjectPtr>& objects) {
  util::MutexLock lock(mu_);
  for (const auto& object : objects) Push({Change::Type::kAdded, nullptr, object}, true);
  pushed_.NotifyOne();
}

void ProcessorListener::EnqueueResync(const std::vector<runtime::ObjectPtr>& objects) {
  util::MutexLock lock(mu_);
  for (const auto& object : objects) Push({Change::Type::kUpdated, object, object}, false);
  pushed_.NotifyOne();
}

void ProcessorListener::MarkInitialEnqueued() {
  util::MutexLock lock(mu_);
  initial_enqueued_ = true;
}

void ProcessorListener::StopAndJoin() {
  thread_.request_stop();
  // The handler may hold the registration, which is this object: it has to go for both to be freed.
  // Without the lock: what it holds may end by removing the handler once more.
  EventHandler forgotten;
  util::MutexLock lock(join_mu_);
  if (!thread_.joinable()) return;
  thread_.join();
  forgotten = std::exchange(handler_, {});
}

void ProcessorListener::Run(const std::stop_token& stop) {
  Notification notification;
  while (Pop(stop, notification)) {
    Deliver(notification);
    const bool initial = notification.type == Change::Type::kAdded && notification.flag;
    notification = {};
    if (!initial) continue;
    util::MutexLock lock(mu_);
    --initial_pending_;
  }
  finished_ = true;
}

bool ProcessorListener::Pop(const std::stop_token& stop, Notification& notification) {
  for (;;) {
    bool popped = false;
    bool was_long = false;
    {
      util::MutexLock lock(mu_);
      clock_.WaitUntil(mu_, pushed_, stop, resync_at_,
                       [&]() REQUIRES(mu_) { return !queue_.empty(); });
      if (stop.stop_requested()) return false;
      popped = !queue_.empty();
      if (popped) {
        notification = std::move(queue_.front());
        queue_.pop_front();
        if (queue_.empty()) was_long = std::exchange(longest_, 0) >= kManyObjects;
        // A deque keeps the table of its blocks for ever; a new one has none.
        if (was_long) std::deque<Notification>().swap(queue_);
      } else {
        resync_at_ = clock_.Now() + options_.resync_period;
      }
    }
    if (was_long) ReleaseFreeMemory();
    if (popped) return true;
    // Only with an empty queue, so that a handler slower than its period is not buried.
    options_.on_resync_due(*this);
  }
}

void ProcessorListener::Deliver(const Notification& n) const {
  switch (n.type) {
    case Change::Type::kAdded:
      if (handler_.on_add) handler_.on_add(n.new_object, n.flag);
      break;
    case Change::Type::kUpdated:
      if (handler_.on_update) handler_.on_update(n.old_object, n.new_object);
      break;
    case Change::Type::kDeleted:
      if (handler_.on_delete) handler_.on_delete(n.old_object, n.flag);
      break;
  }
}

}  // namespace clientgo::cache
