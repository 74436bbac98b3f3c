// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/finding.h"

#include <algorithm>
#include <utility>

namespace capstan::cmd::cli::inspect {

std::string_view ToString(State state) {
  switch (state) {
    case State::kInSync:
      return "InSync";
    case State::kPending:
      return "Pending";
    case State::kSkipped:
      return "Skipped";
    case State::kUnknown:
      return "Unknown";
    case State::kBroken:
      break;
  }
  return "Broken";
}

bool IsWell(const Finding& finding) {
  return finding.state == State::kInSync || finding.state == State::kSkipped;
}

void Break(Finding& finding, cainjector::Failure failure) {
  finding.reason = failure.reason;
  finding.state =
      failure.reason == cainjector::Reason::kNothingToInjectInto ? State::kSkipped : State::kBroken;
  finding.failure = std::move(failure);
}

bool IsAboutCaller(const cainjector::Failure& failure, bool as_oneself) {
  if (!failure.causes.empty()) {
    return std::all_of(
        failure.causes.begin(), failure.causes.end(),
        [&](const cainjector::Failure& cause) { return IsAboutCaller(cause, as_oneself); });
  }
  switch (failure.reason) {
    case cainjector::Reason::kError:
      return true;
    case cainjector::Reason::kForbidden:
      return as_oneself;
    case cainjector::Reason::kSourceUnavailable:
      if (IsForbidden(failure.error)) return as_oneself;
      // That a kind is not served is a finding, not a failure to read.
      return !IsNotFound(failure.error) && !IsNoMatch(failure.error);
    default:
      return false;
  }
}

}  // namespace capstan::cmd::cli::inspect
