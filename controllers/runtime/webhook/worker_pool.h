// SPDX-License-Identifier: Apache-2.0
// WorkerPool runs tasks on a few threads. Internal to this folder. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/thread.h"

namespace capstan::webhook {

class WorkerPool {
 public:
  // A task returns a function that runs when its thread is free for the next task, or null. So who
  // gets an answer from there can have the thread for its next request.
  using Task = std::function<std::function<void()>()>;

  // The threads are called "0/NAME", "1/NAME", ... At most `queue_max` tasks wait for one that is
  // busy.
  WorkerPool(const std::string& name, int workers, std::size_t queue_max)
      : queue_max_(queue_max), free_(static_cast<std::size_t>(workers)) {
    for (int i = 0; i < workers; ++i) {
      threads_.push_back(StartThread(std::to_string(i) + "/" + name,
                                     [this](const std::stop_token& stop) { Run(stop); }));
    }
  }
  // Drops the tasks that wait, and blocks until the others have ended.
  ~WorkerPool() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns false when all threads are busy and too many tasks wait.
  bool Push(Task task) {
    const MutexLock lock(mu_);
    if (waiting_.size() >= queue_max_ + free_) return false;
    waiting_.push_back(std::move(task));
    changed_.NotifyOne();
    return true;
  }

 private:
  void Run(const std::stop_token& stop) {
    while (true) {
      Task task;
      {
        const MutexLock lock(mu_);
        changed_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) { return !waiting_.empty(); });
        if (stop.stop_requested()) return;
        task = std::move(waiting_.front());
        waiting_.pop_front();
        --free_;
      }
      const std::function<void()> when_free = task();
      {
        const MutexLock lock(mu_);
        ++free_;
      }
      if (when_free) when_free();
    }
  }

  const std::size_t queue_max_;
  Mutex mu_;
  CondVar changed_;
  std::deque<Task> waiting_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t free_ CAPSTAN_GUARDED_BY(mu_);  // threads without a task
  std::vector<std::jthread> threads_;         // last: they use all of the above
};

}  // namespace capstan::webhook
