// SPDX-License-Identifier: Apache-2.0
// Giving memory back: glibc keeps freed pages for itself unless it is told not to, so what a big
// list needed for a moment would stay in the process's resident size for ever.
#pragma once

#include <cstddef>

namespace clientgo::cache {

// From this many objects on it is worth the few milliseconds that ReleaseFreeMemory takes.
inline constexpr std::size_t kManyObjects = 1000;

// malloc_trim(0) on glibc, nothing elsewhere. Thread-safe.
void ReleaseFreeMemory();

}  // namespace clientgo::cache
