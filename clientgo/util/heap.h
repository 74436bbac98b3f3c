// SPDX-License-Identifier: Apache-2.0
// Keeps the heap of a process small. By default glibc keeps freed pages, so the memory of one big
// list would stay in the resident size forever. There is no upstream; Go's runtime keeps twice the
// live memory.
#pragma once

namespace clientgo::util {

// Call it first in main, before any thread. With glibc it sets one arena, because each further one
// costs megabytes and few threads share one well. It also fixes the thresholds. Otherwise the first
// freed large block raises them, and later ones (a list's temporary tables) stay in the heap. Does
// nothing with other C libraries.
void KeepHeapSmall();

// Returns freed pages to the system with glibc's malloc_trim(0). Takes a few milliseconds. Does
// nothing with other C libraries. Thread-safe.
void ReleaseFreeMemory();

}  // namespace clientgo::util
