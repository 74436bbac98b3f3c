// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/write_error.h"

#include <algorithm>

#include "clientgo/util/backoff.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Clock;
using clientgo::util::Error;
using std::chrono::milliseconds;

// Longer than any server means; a clock that is set or a wrong header must not park a pod.
constexpr std::chrono::minutes kRetryAfterMax{5};

bool Says(const Error& error, std::string_view text) {
  return error.message.find(text) != std::string::npos;
}

Clock::Duration Exponential(milliseconds base, milliseconds cap, int failures, double unit) {
  constexpr int kDoublingsMax = 16;
  const milliseconds grown(base.count() << std::clamp(failures - 1, 0, kDoublingsMax));
  return std::min<Clock::Duration>(cap, clientgo::util::Jitter(std::min(grown, cap), 0.5, unit));
}

}  // namespace

WriteError Classify(const Error& error) {
  if (error.http_code == 404) return WriteError::kGone;
  if (error.http_code == 409) return WriteError::kConflict;
  if (error.http_code == 429) return WriteError::kThrottled;
  if (error.http_code == 422 && Says(error, "metadata.annotations") && Says(error, "Too long")) {
    return WriteError::kTooLong;
  }
  if (error.http_code == 422 && Says(error, "metadata.uid") && Says(error, "immutable")) {
    return WriteError::kReplaced;
  }
  if (error.http_code >= 400 && error.http_code < 500 && error.http_code != 401) {
    return WriteError::kDenied;
  }
  return WriteError::kTransient;
}

std::string_view ToString(WriteError error) {
  switch (error) {
    case WriteError::kGone:
      return "gone";
    case WriteError::kReplaced:
      return "replaced";
    case WriteError::kConflict:
      return "conflict";
    case WriteError::kTooLong:
      return "too-long";
    case WriteError::kDenied:
      return "denied";
    case WriteError::kThrottled:
      return "throttled";
    case WriteError::kTransient:
      return "error";
  }
  return "error";
}

Clock::Duration RetryDelay(WriteError kind, const Error& error, int failures, double unit) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  switch (kind) {
    case WriteError::kConflict:
      // Longer than a pass waits: it looks at the new version first, and may have nothing to write.
      return Exponential(milliseconds(200), seconds(5), failures, unit);
    case WriteError::kDenied:
    case WriteError::kTooLong:
      return Exponential(seconds(1), minutes(5), failures, unit);
    case WriteError::kThrottled:
      if (error.retry_after) return std::min<Clock::Duration>(*error.retry_after, kRetryAfterMax);
      break;
    case WriteError::kGone:
    case WriteError::kReplaced:
    case WriteError::kTransient:
      break;
  }
  return Exponential(milliseconds(250), seconds(30), failures, unit);
}

}  // namespace controllers::readinessgate
