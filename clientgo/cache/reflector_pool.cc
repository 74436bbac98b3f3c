// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_pool.h"

#include <utility>

namespace capstan::cache {

void ReflectorPool::Start(std::stop_token stop) {
  on_stop_.emplace(std::move(stop), [this] { stop_.request_stop(); });
  MutexLock lock(mu_);
  started_ = true;
  for (std::size_t i = 0; i < ready_.size(); ++i) AddThread();
}

void ReflectorPool::Join() {
  on_stop_.reset();
  stop_.request_stop();
  std::vector<std::jthread> running;
  {
    MutexLock lock(mu_);
    started_ = false;
    running.swap(threads_);
  }
}

void ReflectorPool::AddThread() {
  if (!started_ || idle_ >= ready_.size() || workers_ >= threads_max_) return;
  ++workers_;
  threads_.push_back(
      StartThread("reflector-pool", [this](const std::stop_token& /*stop*/) { Work(); }));
}

void ReflectorPool::MakeReady(Task& task) {
  task.state_ = Task::State::kReady;
  ready_.push_back(&task);
  AddThread();
  work_.NotifyOne();
}

void ReflectorPool::Add(Task& task) {
  MutexLock lock(mu_);
  MakeReady(task);
}

void ReflectorPool::Wake(Task& task) {
  MutexLock lock(mu_);
  if (task.state_ == Task::State::kRunning) task.woken_ = true;
  if (task.state_ != Task::State::kSuspended) return;
  timers_.erase(task.timer_);
  MakeReady(task);
}

void ReflectorPool::Remove(Task& task) {
  // Ends a request in progress. It may call Wake, so no lock is held.
  task.stop_.RequestStop();
  MutexLock lock(mu_);
  paused_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) { return task.state_ != Task::State::kRunning; });
  if (task.state_ == Task::State::kReady) std::erase(ready_, &task);
  if (task.state_ == Task::State::kSuspended) timers_.erase(task.timer_);
  task.state_ = Task::State::kEnded;
}

ReflectorPool::Task* ReflectorPool::Take() {
  MutexLock lock(mu_);
  for (;;) {
    if (stop_.stop_requested()) return nullptr;
    if (!ready_.empty()) {
      Task* task = ready_.front();
      ready_.pop_front();
      task->state_ = Task::State::kRunning;
      task->woken_ = false;
      return task;
    }
    ++idle_;
    const TimePoint until = NextTimer();
    clock_.WaitUntil(mu_, work_, stop_.get_token(), until, [&]() CAPSTAN_REQUIRES(mu_) {
      return !ready_.empty() || NextTimer() < until;
    });
    --idle_;
    const TimePoint now = clock_.Now();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      Task* due = timers_.begin()->second;
      timers_.erase(timers_.begin());
      MakeReady(*due);
    }
  }
}

void ReflectorPool::Put(Task& task, const ReflectorPause& pause) {
  MutexLock lock(mu_);
  if (pause.reason != ReflectorPause::Reason::kSuspended) {
    task.state_ = Task::State::kEnded;
  } else if (task.woken_) {
    MakeReady(task);
  } else {
    task.state_ = Task::State::kSuspended;
    task.timer_ = timers_.emplace(pause.until, &task);
    if (task.timer_ == timers_.begin()) work_.NotifyOne();
  }
  paused_.NotifyAll();
}

void ReflectorPool::Work() {
  while (Task* task = Take()) {
    const std::stop_token stop = task->stop_.token();
    const ReflectorPause pause = task->reflector_.Advance(stop, *task);
    if (pause.reason != ReflectorPause::Reason::kNeedsThread) {
      Put(*task, pause);
      continue;
    }
    {
      MutexLock lock(mu_);
      --workers_;
      AddThread();
    }
    task->reflector_.Run(stop);
    Put(*task, {});
    MutexLock lock(mu_);
    ++workers_;
  }
}

}  // namespace capstan::cache
