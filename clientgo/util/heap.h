// SPDX-License-Identifier: Apache-2.0
// How a process that should stay small uses the heap: glibc keeps freed pages for itself unless it
// is told not to, so what a big list needed for a moment would stay in the process's resident size
// for ever. No upstream: Go's runtime decides for itself, and keeps twice what is alive.
#pragma once

namespace clientgo::util {

// Call first in main, before any thread. On glibc: one arena, because a few threads share it well
// and each further one costs megabytes; and fixed thresholds, because otherwise the first large
// block that is freed raises them, and later ones (a list's temporary tables) stay in the heap for
// good. Elsewhere: nothing.
void KeepHeapSmall();

// Gives freed pages back to the system: malloc_trim(0) on glibc, nothing elsewhere. Takes a few
// milliseconds. Thread-safe.
void ReleaseFreeMemory();

}  // namespace clientgo::util
