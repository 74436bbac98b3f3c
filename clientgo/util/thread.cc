// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/thread.h"

namespace clientgo::util {

// The thread sanitizer needs more than this for each thread.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STACKS_MUST_BE_LARGE
#endif
#endif

void KeepStacksSmall() {
#if defined(__GLIBC__) && !defined(STACKS_MUST_BE_LARGE)
  constexpr std::size_t kStackBytes = std::size_t{512} << 10U;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace clientgo::util
