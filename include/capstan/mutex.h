// SPDX-License-Identifier: Apache-2.0
// Mutex, MutexLock and CondVar are the standard ones with clang's thread-safety annotations. The
// compiler checks which mutex guards a field.
//
// CondVar's waits take a std::stop_token, so that every waiting thread can be stopped. Never call a
// handler, the transport or a log sink while holding a Mutex.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "capstan/export.h"

// Clang's thread-safety attributes under their usual names, with our prefix. The `clang` preset
// makes a violation an error. Other compilers ignore them.
#if defined(__clang__)
#define CAPSTAN_TSA(x) __attribute__((x))
#else
#define CAPSTAN_TSA(x)
#endif

#define CAPSTAN_CAPABILITY(x) CAPSTAN_TSA(capability(x))
#define CAPSTAN_SCOPED_CAPABILITY CAPSTAN_TSA(scoped_lockable)
#define CAPSTAN_GUARDED_BY(x) CAPSTAN_TSA(guarded_by(x))
#define CAPSTAN_PT_GUARDED_BY(x) CAPSTAN_TSA(pt_guarded_by(x))
#define CAPSTAN_REQUIRES(...) CAPSTAN_TSA(requires_capability(__VA_ARGS__))
#define CAPSTAN_EXCLUDES(...) CAPSTAN_TSA(locks_excluded(__VA_ARGS__))
#define CAPSTAN_ACQUIRE(...) CAPSTAN_TSA(acquire_capability(__VA_ARGS__))
#define CAPSTAN_TRY_ACQUIRE(...) CAPSTAN_TSA(try_acquire_capability(__VA_ARGS__))
#define CAPSTAN_RELEASE(...) CAPSTAN_TSA(release_capability(__VA_ARGS__))
#define CAPSTAN_RETURN_CAPABILITY(x) CAPSTAN_TSA(lock_returned(x))
#define CAPSTAN_NO_THREAD_SAFETY_ANALYSIS CAPSTAN_TSA(no_thread_safety_analysis)

namespace capstan {

class CAPSTAN_EXPORT CAPSTAN_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // These names make Mutex a standard Lockable, which CondVar needs.
  void lock() CAPSTAN_ACQUIRE() { mu_.lock(); }
  void unlock() CAPSTAN_RELEASE() { mu_.unlock(); }
  bool try_lock() CAPSTAN_TRY_ACQUIRE(true) { return mu_.try_lock(); }

 private:
  std::mutex mu_;
};

class CAPSTAN_EXPORT CAPSTAN_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) CAPSTAN_ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() CAPSTAN_RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CAPSTAN_EXPORT CondVar {
 public:
  // Returns the final value of `ready()`. It is false only when `stop` was requested, and may be
  // true even then. A loop that must end at a stop checks the token. `ready` runs with `mu` held.
  // Clang cannot see that through a lambda, so write it as `[&]() CAPSTAN_REQUIRES(mu_) { ... }`.
  template <class Predicate>
  bool Wait(Mutex& mu, std::stop_token stop, Predicate ready)
      CAPSTAN_REQUIRES(mu) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
    return cv_.wait(mu, std::move(stop), std::move(ready));
  }
  template <class Predicate>
  void Wait(Mutex& mu, Predicate ready) CAPSTAN_REQUIRES(mu) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
    cv_.wait(mu, std::move(ready));
  }
  // Like Wait, but limited in real time. Only Clock and code that guards against a lost peer use
  // this.
  template <class TimePoint, class Predicate>
  bool WaitUntil(Mutex& mu, std::stop_token stop, TimePoint deadline, Predicate ready)
      CAPSTAN_REQUIRES(mu) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
    return cv_.wait_until(mu, std::move(stop), deadline, std::move(ready));
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

}  // namespace capstan
