// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fake_clock.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace capstan::testing {

FakeClock::FakeClock()
    : now_(std::chrono::hours(1000)),
      wall_now_(std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)) {}

Clock::TimePoint FakeClock::Now() const {
  MutexLock lock(mu_);
  return now_;
}

Clock::WallTime FakeClock::WallNow() const {
  MutexLock lock(mu_);
  return wall_now_;
}

bool FakeClock::WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                          const std::function<bool()>& ready) {
  if (ready()) return true;  // does not count as a waiter
  std::list<Waiter>::iterator self;
  {
    MutexLock lock(mu_);
    if (deadline > now_) {
      self = waiters_.insert(waiters_.end(), Waiter{&mu, &cv, deadline});
      changed_.NotifyAll();
    } else {
      self = waiters_.end();
    }
  }
  // The caller holds `mu` between the registration and the wait, and Step locks `mu` before it
  // notifies, so no step is lost.
  cv.Wait(mu, std::move(stop), [&] { return ready() || Now() >= deadline; });
  {
    MutexLock lock(mu_);
    if (self != waiters_.end()) waiters_.erase(self);
  }
  return ready();  // without the lock, because it may take others
}

void FakeClock::Step(Duration duration) {
  TimePoint now;
  {
    MutexLock lock(mu_);
    now_ += duration;
    wall_now_ += std::chrono::duration_cast<WallTime::duration>(duration);
    now = now_;
  }
  // A waiter locks its own mutex before mu_. Locking them here in the other order could deadlock,
  // so this tries again when a waiter's mutex is busy. While mu_ is held, waiters stay registered.
  for (bool again = true; again;) {
    again = false;
    {
      MutexLock lock(mu_);
      for (Waiter& waiter : waiters_) {
        if (waiter.deadline > now) continue;
        if (waiter.mu->try_lock()) {
          waiter.cv->NotifyAll();
          waiter.mu->unlock();
          waiter.deadline = TimePoint::max();  // woken
        } else {
          again = true;
        }
      }
    }
    if (again) std::this_thread::yield();
  }
}

void FakeClock::StepWall(Duration duration) {
  MutexLock lock(mu_);
  wall_now_ += std::chrono::duration_cast<WallTime::duration>(duration);
}

bool FakeClock::HasWaiters() const {
  MutexLock lock(mu_);
  return CountWaiters() > 0;
}

std::ptrdiff_t FakeClock::CountWaiters() const {
  return std::count_if(waiters_.begin(), waiters_.end(), [](const Waiter& waiter) {
    return waiter.deadline != TimePoint::max();  // not woken yet
  });
}

bool FakeClock::BlockUntilWaiters(int count) const {
  MutexLock lock(mu_);
  return BlockUntil([&]() CAPSTAN_REQUIRES(mu_) { return CountWaiters() >= count; });
}

bool FakeClock::BlockUntilAnyWaiters(int count) const {
  MutexLock lock(mu_);
  return BlockUntil([&]() CAPSTAN_REQUIRES(mu_) { return std::ssize(waiters_) >= count; });
}

bool FakeClock::BlockUntil(const std::function<bool()>& enough) const {
  return changed_.WaitUntil(mu_, std::stop_token(),
                            std::chrono::steady_clock::now() + std::chrono::seconds(10), enough);
}

}  // namespace capstan::testing
