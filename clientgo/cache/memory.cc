// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/memory.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace clientgo::cache {

void ReleaseFreeMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace clientgo::cache
