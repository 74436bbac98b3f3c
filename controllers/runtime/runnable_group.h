// SPDX-License-Identifier: Apache-2.0
// RunnableGroup is one of the groups that a Manager starts and stops. Internal to this folder.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/runnable.h"

namespace capstan {

// RunnableGroup is a set of Runnables that start together and stop together. Each runs on a thread
// with its name, but a BackgroundRunnable has one only for its End. Mirrors controller-runtime's
// runnable_group.go. Thread-safe, except for Add.
class RunnableGroup {
 public:
  // `on_error` runs on the thread of the Runnable that failed.
  RunnableGroup(Clock& clock, std::function<void(Error error)> on_error)
      : clock_(clock), on_error_(std::move(on_error)) {}
  // Blocks until all have ended, because their threads are joined.
  ~RunnableGroup() { RequestStop(); }
  RunnableGroup(const RunnableGroup&) = delete;
  RunnableGroup& operator=(const RunnableGroup&) = delete;

  // Before Start.
  void Add(Runnable& runnable);
  // Starts the Runnables, also again after Pause once all have ended. Does nothing after
  // RequestStop: a group that is stopped before its turn never runs.
  void Start();
  // Stops the Runnables until the next Start.
  void Pause();
  // Stops the Runnables for good.
  void RequestStop();
  bool started() const;
  bool stop_requested() const;
  // Returns true when all have ended, false when `deadline` came first.
  bool WaitUntilEnded(Clock::TimePoint deadline);
  // Returns the names of those that have not ended, in the order of Add.
  std::vector<std::string> Running() const;

 private:
  void Run(std::size_t index, std::stop_token stop);
  void SetEnded(std::size_t index);
  void StartThread(std::size_t index, std::function<void()> run) CAPSTAN_REQUIRES(mu_);

  Clock& clock_;
  const std::function<void(Error error)> on_error_;
  std::vector<Runnable*> runnables_;
  mutable Mutex mu_;
  CondVar ended_;
  std::stop_source stop_ CAPSTAN_GUARDED_BY(mu_);  // of the Runnables since the last Start
  bool stop_requested_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::vector<bool> running_ CAPSTAN_GUARDED_BY(mu_);  // by index of runnables_
  std::vector<BackgroundRunnable*> in_background_
      CAPSTAN_GUARDED_BY(mu_);  // by index; null: does not run
  bool started_ CAPSTAN_GUARDED_BY(mu_) = false;
  // Last, so that they are joined while everything above exists.
  std::vector<std::jthread> threads_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan
