// SPDX-License-Identifier: Apache-2.0
// LargeStacks gives the threads that start during its life stacks for objects of kDepthMax levels,
// which recursive functions read. Only the used part of a stack costs memory. It changes the
// default of the process, so no other thread should start LargeStacks at the same time.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace capstan::testing::apiserver {

class LargeStacks {
 public:
  LargeStacks() {
    pthread_attr_t large;
    if (pthread_attr_init(&before_) != 0 || pthread_attr_init(&large) != 0) return;
    has_before_ = pthread_getattr_default_np(&before_) == 0;
    // In a debug build with a sanitizer, one level may take 16 KiB.
    constexpr std::size_t kBytes = std::size_t{256} << 20U;
    pthread_attr_setstacksize(&large, kBytes);
    if (has_before_) pthread_setattr_default_np(&large);
    pthread_attr_destroy(&large);
  }
  ~LargeStacks() {
    if (has_before_) pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  LargeStacks(const LargeStacks&) = delete;
  LargeStacks& operator=(const LargeStacks&) = delete;

 private:
  pthread_attr_t before_{};
  bool has_before_ = false;
};

}  // namespace capstan::testing::apiserver
