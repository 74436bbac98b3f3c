// SPDX-License-Identifier: Apache-2.0
#include "capstan/thread.h"

namespace capstan {

void KeepStacksSmall() {
// The thread sanitizer needs larger stacks.
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__)
  constexpr std::size_t kStackBytes = std::size_t{512} << 10U;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace capstan
