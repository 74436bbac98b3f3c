// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/validate.h"

#include <cstdint>

#include "clientgo/util/time_format.h"
#include "cmd/internal/injector/injector_flags.h"

namespace cmd::controller_manager {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::FormatDuration;

Expected<void> CheckOrder(std::string_view longer, std::chrono::nanoseconds longer_value,
                          std::string_view shorter, std::chrono::nanoseconds shorter_value,
                          double factor) {
  const auto least = std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(shorter_value.count()) * factor));
  if (longer_value > least) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--leader-election-" + std::string(longer) + " (" + FormatDuration(longer_value) +
                 ") must be greater than " + (factor > 1 ? "1.2 times " : "") +
                 "--leader-election-" + std::string(shorter) + " (" +
                 FormatDuration(shorter_value) + ")");
}

}  // namespace

Expected<void> CheckLeaderElection(const LeaderElectionOptions& options) {
  if (!options.enabled) return {};
  if (auto ok = injector::CheckNamespace("leader-election-namespace", options.namespace_); !ok)
    return ok;
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-lease-duration must be at least 1s");
  }
  if (options.retry_period.count() == 0) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-retry-period must be greater than zero");
  }
  if (auto ok = CheckOrder("lease-duration", options.lease_duration, "renew-deadline",
                           options.renew_deadline, 1);
      !ok) {
    return ok;
  }
  return CheckOrder("renew-deadline", options.renew_deadline, "retry-period", options.retry_period,
                    1.2);
}

tl::unexpected<clientgo::util::Error> NoDynamicServing() {
  return Err(ErrorReason::kInvalidArgument,
             "--metrics-dynamic-serving-* is not supported: this program does not issue "
             "certificates to itself; mount a Secret that a cert-manager Certificate fills and "
             "name its files with --metrics-tls-cert-file and --metrics-tls-private-key-file, "
             "which are read again when they change");
}

}  // namespace cmd::controller_manager
