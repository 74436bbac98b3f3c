// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/runnable_group.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/thread.h"

namespace capstan {

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
  threads_.clear();  // joins the threads of an earlier Start, which have ended
  stop_ = std::stop_source();
  running_.assign(runnables_.size(), true);
  in_background_.assign(runnables_.size(), nullptr);
  for (std::size_t i = 0; i < runnables_.size(); ++i) {
    auto* const background = dynamic_cast<BackgroundRunnable*>(runnables_[i]);
    if (background == nullptr) {
      StartThread(i, [this, i, stop = stop_.get_token()] { Run(i, stop); });
    } else if (auto begun = background->Begin(stop_.get_token()); begun) {
      in_background_[i] = background;
    } else {
      StartThread(i, [this, i, error = std::move(begun.error())] {
        on_error_(error);
        SetEnded(i);
      });
    }
  }
}

void RunnableGroup::StartThread(std::size_t index, std::function<void()> run) {
  threads_.push_back(capstan::StartThread(
      runnables_[index]->name(), [run = std::move(run)](const std::stop_token&) { run(); }));
}

void RunnableGroup::Run(std::size_t index, std::stop_token stop) {
  auto ended = runnables_[index]->Start(std::move(stop));
  if (!ended) on_error_(std::move(ended.error()));
  SetEnded(index);
}

void RunnableGroup::SetEnded(std::size_t index) {
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
  stop.request_stop();  // without the lock, because it runs stop callbacks
  MutexLock lock(mu_);
  if (!stop_.stop_requested()) return;  // there was another Start meanwhile
  for (std::size_t i = 0; i < in_background_.size(); ++i) {
    auto* const background = std::exchange(in_background_[i], nullptr);
    if (background == nullptr) continue;
    StartThread(i, [this, i, background] {
      background->End();
      SetEnded(i);
    });
  }
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
  return clock_.WaitUntil(mu_, ended_, std::stop_token(), deadline, [&]() CAPSTAN_REQUIRES(mu_) {
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

}  // namespace capstan
