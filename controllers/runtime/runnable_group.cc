// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/runnable_group.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"

namespace controllers::runtime {

using clientgo::util::Clock;
using clientgo::util::MutexLock;

RunnableGroup::RunnableGroup(Clock& clock,
                             std::function<void(clientgo::util::Error error)> on_error)
    : clock_(clock), on_error_(std::move(on_error)) {}

RunnableGroup::~RunnableGroup() {
  RequestStop();
  std::vector<std::jthread> threads;
  {
    MutexLock lock(mu_);
    threads.swap(threads_);
  }
  // Joined here, without the lock that each takes as its last act.
}

void RunnableGroup::Add(Runnable& runnable) {
  CHECK(!started()) << runnable.name() << " was added after the start";
  runnables_.push_back(&runnable);
}

void RunnableGroup::Start() {
  MutexLock lock(mu_);
  const bool is_running =
      std::any_of(running_.begin(), running_.end(), [](bool running) { return running; });
  if (stop_requested_ || is_running || (started_ && !stop_.stop_requested())) return;
  started_ = true;
  threads_.clear();  // joins those of an earlier Start, which have done their last act
  stop_ = std::stop_source();
  running_.assign(runnables_.size(), true);
  for (std::size_t i = 0; i < runnables_.size(); ++i) {
    threads_.push_back(clientgo::util::StartThread(
        runnables_[i]->name(),
        [this, i, stop = stop_.get_token()](const std::stop_token&) { Run(i, stop); }));
  }
}

void RunnableGroup::Run(std::size_t index, std::stop_token stop) {
  auto ended = runnables_[index]->Start(std::move(stop));
  if (!ended) on_error_(std::move(ended.error()));
  MutexLock lock(mu_);
  running_[index] = false;
  ended_.NotifyAll();
}

void RunnableGroup::Pause() {
  std::stop_source stop;
  {
    MutexLock lock(mu_);
    stop = stop_;
  }
  stop.request_stop();  // without the lock: it runs the callbacks of whoever is stopped
}

void RunnableGroup::RequestStop() {
  {
    MutexLock lock(mu_);
    stop_requested_ = true;
  }
  Pause();
}

bool RunnableGroup::stop_requested() const {
  MutexLock lock(mu_);
  return stop_requested_;
}

bool RunnableGroup::started() const {
  MutexLock lock(mu_);
  return started_;
}

bool RunnableGroup::WaitUntilEnded(Clock::TimePoint deadline) {
  MutexLock lock(mu_);
  return clock_.WaitUntil(mu_, ended_, std::stop_token(), deadline, [&]() REQUIRES(mu_) {
    return std::none_of(running_.begin(), running_.end(), [](bool running) { return running; });
  });
}

std::vector<std::string> RunnableGroup::Running() const {
  MutexLock lock(mu_);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i]) names.push_back(runnables_[i]->name());
  }
  return names;
}

}  // namespace controllers::runtime
