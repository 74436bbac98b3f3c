// SPDX-License-Identifier: Apache-2.0
// Clang's thread-safety attributes under their usual names. Under other compilers they are nothing;
// the `clang` preset makes a violation an error.
#pragma once

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
