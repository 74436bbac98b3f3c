// SPDX-License-Identifier: Apache-2.0
// ProcessorListener is one handler of a SharedInformer, with its queue and its thread. The queue
// has no limit, as in client-go: a slow handler costs memory (40 bytes a notification) and delays
// no other handler. The queue frees its blocks as it drains. The changes of a relist are one entry,
// which all handlers share.
//
// Thread-safe. Mirrors processorListener of client-go's tools/cache/shared_informer.go. Differs:
// the resync timer is in each listener, not in the informer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/cache/store.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"

namespace capstan::cache {

class ProcessorListener final : public HandlerRegistration {
 public:
  struct Options {
    std::string name = {};                         // the thread's name
    std::chrono::milliseconds resync_period = {};  // 0: never
    // Called on the listener's thread, without a lock, when a resync is due.
    std::function<void(ProcessorListener&)> on_resync_due = {};
    // Called on the listener's thread, without a lock, when HasSynced becomes true. Not called if
    // MarkInitialEnqueued makes HasSynced true.
    std::function<void()> on_synced = {};
  };
  ProcessorListener(EventHandler handler, Clock& clock, Options options);
  // REQUIRES: not called on the listener's own thread.
  ~ProcessorListener() override;

  bool HasSynced() const override;

  using Changes = std::shared_ptr<const ChangeList>;

  // Queues a watch event if the handler's predicate accepts it. Call Wake afterwards: Enqueue does
  // not wake a waiting thread.
  void Enqueue(const Change& change);
  void Wake();
  // Queues the changes of a relist. Deletions have an unknown final state.
  void EnqueueReplaced(Changes changes, bool initial);
  // Queues the objects that were in the store when the handler was added.
  void EnqueueInitial(std::vector<runtime::ObjectPtr> objects);
  void EnqueueResync(std::vector<runtime::ObjectPtr> objects);
  // Call when all initial objects are in the queue. The handler has synced when they are delivered.
  void MarkInitialEnqueued();

  // Drops all undelivered notifications. Does not wait.
  void RequestStop() { thread_.request_stop(); }
  // Calls RequestStop, waits for a running callback, and releases the handler. Any thread may call
  // it, except the listener's own.
  void StopAndJoin();
  bool IsCurrentThread() const { return thread_id_ == std::this_thread::get_id(); }
  bool finished() const { return finished_; }  // the thread is about to end

 private:
  enum class Origin { kInitialList, kRelist, kResync };
  // Batch is a list of changes in one queue entry. Each Change is built when it is delivered.
  struct Batch {
    Changes changes;
    Origin origin = Origin::kRelist;
    ChangeList::Cursor next = {};

    bool IsEnd() const { return changes->IsEnd(next); }
    Change Next();
  };

  void Run(const std::stop_token& stop);
  // Blocks until there is a notification. Returns false after a stop.
  bool Pop(const std::stop_token& stop, Change& change);
  void Deliver(const Change& change) const;
  // Counts one delivered object of the initial list. Returns whether it was the last one.
  bool FinishInitial() CAPSTAN_EXCLUDES(mu_);
  void Push(Changes changes, Origin origin) CAPSTAN_EXCLUDES(mu_);
  // REQUIRES: the queue is not empty.
  Change PopFront() CAPSTAN_REQUIRES(mu_);

  EventHandler handler_;
  Clock& clock_;
  const Options options_;

  mutable Mutex mu_;
  CondVar pushed_;
  // The front always has a notification to deliver.
  std::deque<std::variant<Change, Batch>> queue_ CAPSTAN_GUARDED_BY(mu_);
  // The maximum length since the queue was last empty, including the objects in a batch.
  std::size_t longest_ CAPSTAN_GUARDED_BY(mu_) = 0;
  Clock::TimePoint resync_at_ CAPSTAN_GUARDED_BY(mu_);
  bool initial_enqueued_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::size_t initial_pending_ CAPSTAN_GUARDED_BY(mu_) = 0;

  std::atomic<bool> finished_ = false;
  Mutex join_mu_;
  std::jthread thread_;  // after all members that it uses
  std::thread::id thread_id_;
};

}  // namespace capstan::cache
