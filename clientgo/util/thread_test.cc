// SPDX-License-Identifier: Apache-2.0
#include "capstan/thread.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace capstan {
namespace {

TEST(ThreadTest, KeepStacksSmallLimitsStacksOfLaterThreads) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer needs larger stacks";
#endif
  KeepStacksSmall();
  std::size_t size = 0;
  StartThread("small", [&size](const std::stop_token&) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }).join();

  EXPECT_NEAR(static_cast<double>(size), 512 << 10, 16 << 10);
}

}  // namespace
}  // namespace capstan
