// SPDX-License-Identifier: Apache-2.0
// ReflectorPool runs many Reflectors on a few threads. A Reflector has a thread only while it has
// something to do: it costs no thread while it waits for an event or for the end of a backoff.
//
// Over HTTP/1.1, each watch occupies a thread of its own, because a thread must wait for its
// connection. Such threads do not count: the pool starts others. Thread-safe. Has no upstream
// counterpart, because Go's goroutines are cheap.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "capstan/cache/reflector.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "capstan/thread.h"

namespace capstan::cache {

class ReflectorPool {
 public:
  // Task is one Reflector in a pool.
  class Task final : public transport::Waker {
   public:
    // The Task must be destroyed after `reflector`, which notifies it, and before the pool.
    Task(ReflectorPool& pool, Reflector& reflector)
        : pool_(pool), reflector_(reflector), stop_(pool.stop_.get_token()) {}
    void Wake() override { pool_.Wake(*this); }

   private:
    friend class ReflectorPool;
    enum class State { kNew, kReady, kRunning, kSuspended, kEnded };
    using Timers = std::multimap<Clock::TimePoint, Task*>;

    ReflectorPool& pool_;
    Reflector& reflector_;
    LinkedStopSource stop_;
    // Guarded by pool_.mu_.
    State state_ = State::kNew;
    bool woken_ = false;           // while it was running
    Timers::iterator timer_ = {};  // in kSuspended
  };

  // Uses at most `threads_max` threads for all Reflectors that can be suspended.
  explicit ReflectorPool(Clock& clock, std::size_t threads_max = 4)
      : clock_(clock), threads_max_(threads_max) {}
  // Stops all Reflectors and waits for the threads.
  ~ReflectorPool() { Join(); }
  ReflectorPool(const ReflectorPool&) = delete;
  ReflectorPool& operator=(const ReflectorPool&) = delete;

  // Runs the Reflectors from now on, each until `stop`. Call once.
  void Start(std::stop_token stop);
  // Stops all Reflectors and waits until none runs.
  void Join();
  // Runs the Reflector of `task` until Remove. Call once for each task.
  void Add(Task& task);
  // Stops the Reflector and waits until it does not run. REQUIRES: not called by its store.
  void Remove(Task& task);

 private:
  using TimePoint = Clock::TimePoint;

  void Wake(Task& task) CAPSTAN_EXCLUDES(mu_);
  void MakeReady(Task& task) CAPSTAN_REQUIRES(mu_);
  // Starts another thread if no thread can take a task that is ready.
  void AddThread() CAPSTAN_REQUIRES(mu_);
  void Work();
  // Waits for a task that is ready. Null: stopped.
  Task* Take() CAPSTAN_EXCLUDES(mu_);
  void Put(Task& task, const ReflectorPause& pause) CAPSTAN_EXCLUDES(mu_);
  TimePoint NextTimer() const CAPSTAN_REQUIRES(mu_) {
    return timers_.empty() ? TimePoint::max() : timers_.begin()->first;
  }

  Clock& clock_;
  const std::size_t threads_max_;
  std::stop_source stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;

  Mutex mu_;
  CondVar work_;    // notified when a task is ready or has the first timer
  CondVar paused_;  // notified when a task does not run any more
  bool started_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::deque<Task*> ready_ CAPSTAN_GUARDED_BY(mu_);
  Task::Timers timers_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t workers_ CAPSTAN_GUARDED_BY(mu_) = 0;  // threads that take tasks
  std::size_t idle_ CAPSTAN_GUARDED_BY(mu_) = 0;     // of these, how many wait for a task
  std::vector<std::jthread> threads_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::cache
