// SPDX-License-Identifier: Apache-2.0
// Durations and ages as `kubectl get` shows them. Mirrors k8s.io/apimachinery/pkg/util/duration.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "capstan/time.h"

namespace capstan::testing::apiserver {

// Returns a duration with at most two units: "45s", "3m20s", "3d4h". "<invalid>" if it is negative
// by more than a second.
std::string HumanDuration(std::chrono::nanoseconds duration);
// Returns the duration from one time to another. As with Go's Time.Sub, it is at most 292 years.
std::string HumanDuration(MicroTime from, MicroTime to);

// Returns the duration since `time` (RFC 3339), "<unknown>" if it is empty or Go's zero time, and
// "<invalid>" if it is not a time or in the future.
std::string AgeText(std::string_view time);

}  // namespace capstan::testing::apiserver
