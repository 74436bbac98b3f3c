// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of ControllerMetrics: controller_runtime_* with controller-runtime's names,
// labels and buckets, and capstan_cache_sync_timeouts_total. A controller's series exist from
// Register on. Thread-safe.
#pragma once

#include <memory>

#include "controllers/runtime/controller.h"
#include "metrics/metrics.h"

namespace controllers::runtime {

// `metrics` outlives the result. One for all controllers of a process.
std::unique_ptr<ControllerMetrics> NewControllerMetrics(metrics::Metrics& metrics);

}  // namespace controllers::runtime
