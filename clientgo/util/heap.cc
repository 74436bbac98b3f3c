// SPDX-License-Identifier: Apache-2.0
#include "capstan/heap.h"

#include <cstdlib>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace capstan {

void KeepHeapSmall() {
#if defined(__GLIBC__)
  constexpr int kLargeBytes = 64 << 10;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, kLargeBytes);
  mallopt(M_TOP_PAD, kLargeBytes / 4);
#endif
}

void ReleaseFreeMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

std::optional<HeapStats> ReadHeapStats() {
#if defined(__GLIBC__)
  const struct mallinfo2 heap = mallinfo2();
  return HeapStats{.in_use = heap.uordblks + heap.hblkhd, .free = heap.fordblks};
#else
  return std::nullopt;
#endif
}

}  // namespace capstan
