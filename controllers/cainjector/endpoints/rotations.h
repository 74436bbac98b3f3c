// SPDX-License-Identifier: Apache-2.0
// Rotations follows the former CAs of targets to their end, in three steps. The new CA is published
// beside the former one. Every endpoint of the target verifies with the new CA alone. Then the
// former CA is retired: it leaves the target before it expires. A CA that an endpoint still needs
// is never retired, and none is while not all endpoints are known.
//
// Its state is only in memory, so the time until a retirement begins again after a change of the
// leader.
// Thread-safe. Has no upstream.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cainjector {

// RotationEvent is what has just happened to the CAs of one target.
enum class RotationEvent {
  kNone,
  kPublished,       // the new CA is in the target, beside a former one
  kVerified,        // every endpoint verifies with the new CA alone
  kVerifiedInPart,  // the same, but not all endpoints are known
  kStillNeeded,  // some endpoint does not, after two verifications in a row, and then from time to
                 // time
  kDue,          // the former CA may be retired: reconcile the target
  kRetired,      // the former CA has left the target
};

// TrialResult is the result of verifying the endpoints of a target with the new CA alone.
enum class TrialResult {
  kFailed,
  kVerified,
  kVerifiedInPart,  // every endpoint that is known; a host name may stand for more
};

// A fault that lasts is reported again after this time, because an Event expires after an hour.
inline constexpr std::chrono::minutes kReportAgain{45};

// RotationTrial is what a rotation's end is verified with.
struct RotationTrial {
  std::string bundle;   // PEM of the source's certificates alone
  Certificates former;  // those that only the target holds
};

class Rotations {
 public:
  // Not the wall time, which may be set forward.
  using TimePoint = Clock::TimePoint;
  // A former CA is retired when every endpoint has verified without it for `retire_after`, in each
  // verification of that time. nullopt: never.
  explicit Rotations(std::optional<std::chrono::nanoseconds> retire_after)
      : retire_after_(retire_after) {}

  // Records a target after its reconciliation: the certificates of its source, and the `former`
  // ones that only the target holds. Returns kPublished, kRetired or kNone. The first call for a
  // target returns kNone: a rotation before the start of this process is no news.
  RotationEvent Put(std::string_view kind, std::string_view name, const Certificates& source,
                    Certificates former);
  void Forget(std::string_view kind, std::string_view name);

  // nullopt: the target holds no former CA.
  std::optional<RotationTrial> Trial(std::string_view kind, std::string_view name) const;
  // Records the result of a verification with `bundle` alone. A bundle that is no longer that of
  // the target's Trial is ignored.
  RotationEvent Tried(std::string_view kind, std::string_view name, std::string_view bundle,
                      TrialResult result, TimePoint now);
  // Records that the servers could not be verified, or that one of them is new. The time until a
  // retirement begins again.
  void Interrupted(std::string_view kind, std::string_view name);

  // Returns the certificates that may leave the target now.
  Certificates Retired(std::string_view kind, std::string_view name) const;

 private:
  struct State {
    RotationTrial trial;
    bool reported_verified = false;                // since the last failure
    std::optional<TimePoint> verified_since = {};  // all endpoints
    int failures = 0;                              // in a row
    std::optional<TimePoint> reported = {};        // kStillNeeded, in that row
    bool due = false;
  };
  using Key = std::pair<std::string, std::string>;  // kind, name

  // The time until a retirement begins again.
  static void Restart(State& state);

  const std::optional<std::chrono::nanoseconds> retire_after_;
  mutable Mutex mu_;
  std::set<Key> known_ CAPSTAN_GUARDED_BY(mu_);
  std::map<Key, State> states_ CAPSTAN_GUARDED_BY(mu_);  // of targets with a former CA
};

}  // namespace capstan::cainjector
