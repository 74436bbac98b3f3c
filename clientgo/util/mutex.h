// SPDX-License-Identifier: Apache-2.0
// Mutex, MutexLock and CondVar: the standard ones with clang's thread-safety annotations, so that
// "this field is guarded by that mutex" is checked by the compiler.
//
// CondVar's waits take a std::stop_token: a thread that waits for anything can always be stopped.
// Never call out (a handler, the transport, a log sink) while holding a Mutex.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "clientgo/util/thread_annotations.h"

namespace clientgo::util {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Lower case: with these names a Mutex is a standard Lockable, which CondVar needs.
  void lock() ACQUIRE() { mu_.lock(); }
  void unlock() RELEASE() { mu_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mu_.try_lock(); }

 private:
  std::mutex mu_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CondVar {
 public:
  // Returns whether `ready()` holds: false only when `stop` was requested, true perhaps although it
  // was. A loop that must end at a stop looks at the token itself.
  // `ready` runs with `mu` held. Clang cannot see that through a lambda: write the lambda as
  // `[&]() REQUIRES(mu_) { ... }`.
  template <class Predicate>
  bool Wait(Mutex& mu, std::stop_token stop, Predicate ready)
      REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    return cv_.wait(mu, std::move(stop), std::move(ready));
  }
  template <class Predicate>
  void Wait(Mutex& mu, Predicate ready) REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    cv_.wait(mu, std::move(ready));
  }
  // As Wait, bounded by real time. Only Clock and code that guards against a lost peer use this.
  template <class TimePoint, class Predicate>
  bool WaitUntil(Mutex& mu, std::stop_token stop, TimePoint deadline, Predicate ready)
      REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    return cv_.wait_until(mu, std::move(stop), deadline, std::move(ready));
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

}  // namespace clientgo::util
