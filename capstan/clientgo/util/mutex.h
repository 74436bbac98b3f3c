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

// Clang's thread-safety attributes under their usual names. The `clang` preset makes a violation an
// error. Other compilers ignore them.
#if defined(__clang__)
#define CAPSTAN_TSA(x) __attribute__((x))
#else
#define CAPSTAN_TSA(x)
#endif

#define CAPABILITY(x) CAPSTAN_TSA(capability(x))
#define SCOPED_CAPABILITY CAPSTAN_TSA(scoped_lockable)
#define GUARDED_BY(x) CAPSTAN_TSA(guarded_by(x))
#define PT_GUARDED_BY(x) CAPSTAN_TSA(pt_guarded_by(x))
#define REQUIRES(...) CAPSTAN_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) CAPSTAN_TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) CAPSTAN_TSA(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) CAPSTAN_TSA(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) CAPSTAN_TSA(release_capability(__VA_ARGS__))
#define RETURN_CAPABILITY(x) CAPSTAN_TSA(lock_returned(x))
#define NO_THREAD_SAFETY_ANALYSIS CAPSTAN_TSA(no_thread_safety_analysis)

namespace capstan::clientgo::util {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // These names make Mutex a standard Lockable, which CondVar needs.
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
  // Returns the final value of `ready()`. It is false only when `stop` was requested, and may be
  // true even then. A loop that must end at a stop checks the token. `ready` runs with `mu` held.
  // Clang cannot see that through a lambda, so write the lambda as `[&]() REQUIRES(mu_) { ... }`.
  template <class Predicate>
  bool Wait(Mutex& mu, std::stop_token stop, Predicate ready)
      REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    return cv_.wait(mu, std::move(stop), std::move(ready));
  }
  template <class Predicate>
  void Wait(Mutex& mu, Predicate ready) REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    cv_.wait(mu, std::move(ready));
  }
  // Like Wait, but limited in real time. Only Clock and code that guards against a lost peer use
  // this.
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

}  // namespace capstan::clientgo::util
