// SPDX-License-Identifier: Apache-2.0
// Keeps the heap of a process small. By default glibc keeps freed pages, so the memory of one big
// list would stay in the resident size forever. There is no upstream; Go's runtime keeps twice the
// live memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "capstan/export.h"

namespace capstan {

// Call it first in main, before any thread. With glibc it sets one arena, because each further one
// costs megabytes and few threads share one well. It also fixes the thresholds. Otherwise the first
// freed large block raises them, and later ones (a list's temporary tables) stay in the heap. Does
// nothing with other C libraries.
CAPSTAN_EXPORT void KeepHeapSmall();

// Returns freed pages to the system with glibc's malloc_trim(0). Takes a few milliseconds. Does
// nothing with other C libraries. Thread-safe.
CAPSTAN_EXPORT void ReleaseFreeMemory();

struct CAPSTAN_EXPORT HeapStats {
  std::size_t in_use = 0;
  std::size_t free = 0;  // between blocks in use; the system may have taken back some of its pages
};
// Returns the bytes of the heap, as glibc's mallinfo2 counts them; nullopt with other C libraries.
// Takes microseconds. Thread-safe.
CAPSTAN_EXPORT std::optional<HeapStats> ReadHeapStats();

// Returns the bytes that the heap uses for a block of `requested` bytes. These are glibc's rules: a
// block has a word of its own and begins at a multiple of 16. Other heaps are similar.
constexpr std::size_t HeapBlockBytes(std::size_t requested) {
  constexpr std::size_t kOwnBytes = 8;
  constexpr std::size_t kAlignment = 16;
  constexpr std::size_t kBytesMin = 32;
  return std::max(kBytesMin, (requested + kOwnBytes + kAlignment - 1) / kAlignment * kAlignment);
}

// Returns the heap bytes of a text. A short one has none, because it is inside the std::string.
inline std::size_t HeapBytesOf(const std::string& text) {
  return text.capacity() <= std::string().capacity() ? 0 : HeapBlockBytes(text.capacity() + 1);
}

}  // namespace capstan
