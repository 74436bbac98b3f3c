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
  if (started_ || stop_.stop_requested()) return;
  started_ = true;
  running_.assign(runnables_.size(), true);
  for (std::size_t i = 0; i < runnables_.size(); ++i) {
    threads_.push_back(clientgo::util::StartThread(runnables_[i]->name(),
                                                   [this, i](const std::stop_token&) { Run(i); }));
  }
}

void RunnableGroup::Run(std::size_t index) {
  auto ended = runnables_[index]->Start(stop_.get_token());
  if (!ended) on_error_(std::move(ended.error()));
  MutexLock lock(mu_);
  running_[index] = false;
  ended_.NotifyAll();
}

// No lock: a Start at the same time either sees the request, or hands out tokens that are stopped.
void RunnableGroup::RequestStop() { stop_.request_stop(); }

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
