// SPDX-License-Identifier: Apache-2.0
// RunnableGroup: Runnables that start together and stop together, each on a thread of its own that
// has its name. Internal to the Manager. Mirrors controller-runtime's runnable_group.go.
// Thread-safe, except for Add, which is for before Start.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "controllers/runtime/runnable.h"

namespace controllers::runtime {

class RunnableGroup {
 public:
  // `on_error` runs on the thread of the Runnable that failed.
  RunnableGroup(clientgo::util::Clock& clock,
                std::function<void(clientgo::util::Error error)> on_error);
  // Stops, and blocks until all have ended.
  ~RunnableGroup();
  RunnableGroup(const RunnableGroup&) = delete;
  RunnableGroup& operator=(const RunnableGroup&) = delete;

  void Add(Runnable& runnable);
  // Nothing after RequestStop: a group that was stopped before its turn never runs. Again after a
  // Pause, once all have ended.
  void Start();
  // Stops the Runnables. Start may start them again after Pause, and never after RequestStop.
  void Pause();
  void RequestStop();
  bool started() const;
  bool stop_requested() const;
  // True when all have ended, false when `deadline` came first.
  bool WaitUntilEnded(clientgo::util::Clock::TimePoint deadline);
  // The names of those that have not ended, in the order they were added.
  std::vector<std::string> Running() const;

 private:
  void Run(std::size_t index, std::stop_token stop);

  clientgo::util::Clock& clock_;
  const std::function<void(clientgo::util::Error error)> on_error_;
  std::vector<Runnable*> runnables_;
  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar ended_;
  std::stop_source stop_ GUARDED_BY(mu_);  // of the Runnables since the last Start
  bool stop_requested_ GUARDED_BY(mu_) = false;
  std::vector<bool> running_ GUARDED_BY(mu_);  // by index of runnables_
  bool started_ GUARDED_BY(mu_) = false;
  std::vector<std::jthread> threads_ GUARDED_BY(mu_);
};

}  // namespace controllers::runtime
