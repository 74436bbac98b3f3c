// SPDX-License-Identifier: Apache-2.0
// QueueFixture is a queue with a fake clock.
#pragma once

#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"
#include "capstan/workqueue/queue.h"

namespace capstan::workqueue {

struct QueueFixture : ::testing::Test {
  testing::FakeClock clock;
  RateLimitingQueue queue{{.clock = clock}};
};

}  // namespace capstan::workqueue
