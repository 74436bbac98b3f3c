// SPDX-License-Identifier: Apache-2.0
// ProcessorListener: one handler of a SharedInformer: its queue, and the thread that empties it.
// The queue has no bound, as in client-go: a slow handler costs memory (56 bytes a notification)
// and delays nobody. Its blocks go back to the heap as they drain. What comes in bulk (a relist) is
// one entry, whose content all handlers share.
//
// Thread-safe. Mirrors processorListener of client-go's tools/cache/shared_informer.go. Differs:
// the resync timer is this thread's own wait, not one the informer checks for all.
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

#include "clientgo/cache/shared_informer.h"
#include "clientgo/cache/store.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::cache {

class ProcessorListener final : public HandlerRegistration {
 public:
  struct Options {
    std::string name = {};                         // of the thread
    std::chrono::milliseconds resync_period = {};  // 0: never
    // Asked for on the listener's thread, without a lock held, when a resync is due.
    std::function<void(ProcessorListener&)> on_resync_due = {};
  };
  ProcessorListener(EventHandler handler, util::Clock& clock, Options options);
  // REQUIRES: not called on the listener's own thread.
  ~ProcessorListener() override;

  bool HasSynced() const override;

  using Changes = std::shared_ptr<const std::vector<Change>>;

  void Enqueue(const Change& change);
  // What a relist changed; unchanged objects are left out, and deletions are tombstones.
  void EnqueueReplaced(Changes changes, bool initial);
  // The store as it was when a late handler came.
  void EnqueueInitial(const std::vector<runtime::ObjectPtr>& objects);
  void EnqueueResync(const std::vector<runtime::ObjectPtr>& objects);
  // Every initial object is in the queue: synced once they are delivered.
  void MarkInitialEnqueued();

  // Drops what was not delivered. Does not wait.
  void RequestStop() { thread_.request_stop(); }
  // RequestStop, and waits for a running callback; then forgets the handler. Any number of threads
  // may call it, the listener's own may not.
  void StopAndJoin();
  bool IsCurrentThread() const { return thread_id_ == std::this_thread::get_id(); }
  bool finished() const { return finished_; }  // the thread is about to end

 private:
  struct Notification {
    Change change = {};
    bool flag = false;  // kAdded: in the initial list; kDeleted: the final state is unknown
  };
  enum class Origin { kInitialList, kRelist, kResync };
  // Many notifications, made as they are delivered.
  struct Batch {
    Changes changes;
    Origin origin = Origin::kRelist;
    std::size_t next = 0;

    // Goes past what is not delivered; false: none is left.
    bool SkipToNext();
    Notification Next();
  };

  void Run(const std::stop_token& stop);
  // Blocks for the next notification; false: stopped.
  bool Pop(const std::stop_token& stop, Notification& notification);
  void Deliver(const Notification& notification) const;
  void Push(Changes changes, Origin origin) EXCLUDES(mu_);
  // REQUIRES: the queue is not empty.
  Notification PopFront() REQUIRES(mu_);

  EventHandler handler_;
  util::Clock& clock_;
  const Options options_;

  mutable util::Mutex mu_;
  util::CondVar pushed_;
  // Its front has something to deliver.
  std::deque<std::variant<Notification, Batch>> queue_ GUARDED_BY(mu_);
  std::size_t longest_ GUARDED_BY(mu_) = 0;  // since the queue was last empty, batches counted out
  util::Clock::TimePoint resync_at_ GUARDED_BY(mu_);
  bool initial_enqueued_ GUARDED_BY(mu_) = false;
  std::size_t initial_pending_ GUARDED_BY(mu_) = 0;

  std::atomic<bool> finished_ = false;
  util::Mutex join_mu_;
  std::jthread thread_;  // last: it uses all of the above
  std::thread::id thread_id_;
};

}  // namespace clientgo::cache
