// SPDX-License-Identifier: Apache-2.0
// QueueFixture is a queue with a fake clock.
#pragma once

#include <gtest/gtest.h>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/workqueue/queue.h"

namespace clientgo::workqueue {

struct QueueFixture : ::testing::Test {
  testing::FakeClock clock;
  RateLimitingQueue queue{{.clock = clock}};
};

}  // namespace clientgo::workqueue
