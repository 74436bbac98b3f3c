// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"

namespace capstan::testing::apiserver {
namespace {

std::int64_t StatusNumber(const Place& status, std::string_view member) {
  return status[member].Number().value_or(0);
}

void NotNegative(const Place& status, std::initializer_list<const char*> members,
                 FieldRules& rules) {
  for (const char* const member : members) rules.NotNegative(status[member]);
}

// The members count a part of what `whole` counts.
void NotAbove(const Place& status, std::string_view whole,
              std::initializer_list<const char*> members, std::string_view detail,
              FieldRules& rules) {
  for (const char* const member : members) {
    if (StatusNumber(status, member) > StatusNumber(status, whole))
      rules.Invalid(status[member], detail);
  }
}

void NotDecremented(const Place& live, const Place& status, const char* member, FieldRules& rules) {
  if (StatusNumber(status, member) >= StatusNumber(live, member)) return;
  rules.InvalidAs(status[member], std::to_string(StatusNumber(status, member)),
                  "cannot be decremented");
}

constexpr const char* kAboveReplicas = "cannot be greater than status.replicas";
constexpr const char* kAboveReady = "cannot be greater than readyReplicas";

bool IsTrueCondition(const Place& status, std::string_view type) {
  const auto conditions = status["conditions"].Items();
  return std::any_of(conditions.begin(), conditions.end(), [&](const Place& condition) {
    return condition["type"].Text() == type && condition["status"].Text() == "True";
  });
}

bool Differs(const Place& live, const Place& status, std::string_view member) {
  return live[member].value() != status[member].value();
}

// Adds a cause without the value.
void InvalidBare(const Place& field, const std::string& detail, FieldRules& rules) {
  rules.causes().push_back({.reason = "FieldValueInvalid",
                            .message = "Invalid value: " + detail,
                            .field = field.path()});
}

struct IndexInterval {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Parses an interval of the indexes of a Job: "3" or "3-5". The error is Go's.
std::pair<IndexInterval, std::string> ParseInterval(std::string_view text,
                                                    std::int64_t completions) {
  const auto parse = [](std::string_view number) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value);
    if (number.empty() || error != std::errc() || stop != end) return std::nullopt;
    return value;
  };
  const auto limits = SplitAll(text, '-');
  const std::string shown = Quote(text);
  if (limits.size() > 2) {
    return {{},
            "the fragment " + shown +
                " violates the requirement that an index interval can "
                "have at most two parts separated by '-'"};
  }
  IndexInterval interval;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto number = parse(limits[i]);
    if (!number) return {{}, "cannot convert string to integer for index: " + Quote(limits[i])};
    if (*number >= completions) return {{}, "too large index: " + Quote(limits[i])};
    (i == 0 ? interval.first : interval.last) = *number;
  }
  if (limits.size() == 1) interval.last = interval.first;
  if (limits.size() == 2 && interval.first >= interval.last) {
    return {{},
            "non-increasing order, previous: " + std::to_string(interval.first) +
                ", current: " + std::to_string(interval.last)};
  }
  return {interval, ""};
}

// Returns the valid intervals. The error is about the first one that is not.
std::pair<std::vector<IndexInterval>, std::string> ParseIndexes(std::string_view text,
                                                                std::int64_t completions) {
  std::vector<IndexInterval> all;
  std::string why;
  if (text.empty()) return {all, why};
  for (const std::string_view part : SplitAll(text, ',')) {
    auto [interval, error] = ParseInterval(part, completions);
    if (error.empty() && !all.empty() && all.back().last >= interval.first) {
      error = "non-increasing order, previous: " + std::to_string(all.back().last) +
              ", current: " + std::to_string(interval.first);
    }
    if (why.empty()) why = error;
    if (error.empty()) all.push_back(interval);
  }
  return {all, why};
}

// JobStatusRules checks an update of a Job's status. A rule about a field applies only if the
// field, or whether the Job is finished, changes.
class JobStatusRules {
 public:
  JobStatusRules(const Place& live, const Place& next, FieldRules& rules)
      : spec_(live["spec"]),
        live_(live["status"]),
        status_(next["status"]),
        conditions_(status_["conditions"]),
        rules_(rules) {}

  void Check();

 private:
  bool Has(std::string_view type) const { return IsTrueCondition(status_, type); }
  bool Had(std::string_view type) const { return IsTrueCondition(live_, type); }
  bool Turned(std::string_view type) const { return Has(type) != Had(type); }
  bool Changed(std::string_view member) const { return Differs(live_, status_, member); }
  bool IsFinished() const { return Has(kComplete) || Has(kFailed); }
  bool FinishTurned() const { return IsFinished() != (Had(kComplete) || Had(kFailed)); }

  void Counts();
  void Completion();
  void Finished();
  void Indexes();
  void Success();
  void Transitions();

  static constexpr std::string_view kComplete = "Complete";
  static constexpr std::string_view kFailed = "Failed";
  static constexpr std::string_view kTarget = "FailureTarget";
  static constexpr std::string_view kSuccess = "SuccessCriteriaMet";

  const Place spec_;
  const Place live_;
  const Place status_;
  const Place conditions_;
  FieldRules& rules_;
};

void JobStatusRules::Counts() {
  NotNegative(status_, {"active", "succeeded", "failed", "ready", "terminating"}, rules_);
  std::set<std::string_view> seen;
  for (const char* const list : {"succeeded", "failed"}) {
    for (const Place& uid : status_["uncountedTerminatedPods"][list].Items()) {
      if (uid.Text().empty()) {
        rules_.InvalidText(uid, "must not be empty");
      } else if (!seen.insert(uid.Text()).second) {
        rules_.Duplicate(uid);
      }
    }
  }
}

void JobStatusRules::Completion() {
  const Place completion = status_["completionTime"];
  const bool turned = Turned(kComplete);
  if ((turned || Turned(kFailed)) && Has(kComplete) && Has(kFailed)) {
    InvalidBare(conditions_, "cannot set Complete=True and Failed=true conditions", rules_);
  }
  if ((turned || Turned(kTarget)) && Has(kComplete) && Has(kTarget)) {
    InvalidBare(conditions_, "cannot set Complete=True and FailureTarget=true conditions", rules_);
  }
  const bool applies = turned || Changed("completionTime");
  if (applies && completion.Given() && !Has(kComplete)) {
    rules_.Invalid(completion,
                   "cannot set completionTime when there is no Complete=True condition");
  }
  if (applies && !completion.Given() && Has(kComplete)) {
    rules_.Required(completion, "completionTime is required for Complete jobs");
  }
  const Place start = status_["startTime"];
  const bool times = Changed("startTime") || Changed("completionTime");
  // Times in this form sort as texts.
  if (times && start.Given() && completion.Given() && completion.Text() < start.Text()) {
    rules_.Invalid(completion, "must be equal to or after `startTime`");
  }
  if ((Turned(kFailed) || Changed("failedIndexes")) && Has(kFailed) && !Has(kTarget)) {
    InvalidBare(conditions_,
                "cannot set Failed=True condition without the FailureTarget=true condition",
                rules_);
  }
  if ((turned || Turned(kSuccess)) && Has(kComplete) && !Has(kSuccess)) {
    InvalidBare(conditions_,
                "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
                rules_);
  }
}

void JobStatusRules::Finished() {
  if (!IsFinished()) return;
  const bool turned = FinishTurned();
  if ((turned || Changed("active")) && StatusNumber(status_, "active") > 0) {
    rules_.Invalid(status_["active"], "active>0 is invalid for finished job");
  }
  const bool never_ran = spec_["suspend"].IsTrue() && spec_["completions"].Number() == 0;
  if ((turned || Changed("startTime")) && !never_ran && !status_["startTime"].Given()) {
    rules_.Required(status_["startTime"], "startTime is required for finished job");
  }
  const Place uncounted = status_["uncountedTerminatedPods"];
  const bool counted =
      uncounted["failed"].Items().empty() && uncounted["succeeded"].Items().empty();
  if ((turned || Changed("uncountedTerminatedPods")) && !counted) {
    rules_.Invalid(uncounted, "must be empty for finished job");
  }
}

void JobStatusRules::Indexes() {
  const Place completed = status_["completedIndexes"];
  const Place failed = status_["failedIndexes"];
  const bool completed_changed = completed.Text() != live_["completedIndexes"].Text();
  const bool failed_changed = Changed("failedIndexes");
  const auto completions = spec_["completions"].Number();
  const bool per_index = spec_["backoffLimitPerIndex"].Given();
  const auto completed_parts = ParseIndexes(completed.Text(), completions.value_or(0));
  const auto failed_parts = ParseIndexes(failed.Text(), completions.value_or(0));
  if (completed_changed && completions && !completed_parts.second.empty()) {
    rules_.InvalidText(completed, "error parsing completedIndexes: " + completed_parts.second);
  }
  if (failed_changed && completions && per_index && !failed_parts.second.empty()) {
    rules_.InvalidText(failed, "error parsing failedIndexes: " + failed_parts.second);
  }
  if (completed_changed && !completed.Text().empty() &&
      spec_["completionMode"].Text() != "Indexed") {
    rules_.InvalidText(completed,
                       "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed_changed && !per_index && failed.Given()) {
    rules_.InvalidText(failed,
                       "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if (!failed_changed && !completed_changed) return;
  if (!completions || !failed.Given()) return;
  for (const IndexInterval& one : completed_parts.first) {
    for (const IndexInterval& other : failed_parts.first) {
      if (one.first > other.last || other.first > one.last) continue;
      return rules_.InvalidText(failed, "failedIndexes and completedIndexes overlap at index: " +
                                            std::to_string(std::max(one.first, other.first)));
    }
  }
}

void JobStatusRules::Success() {
  if ((FinishTurned() || Changed("terminating")) && IsFinished() &&
      StatusNumber(status_, "terminating") > 0) {
    rules_.Invalid(status_["terminating"], "terminating>0 is invalid for finished job");
  }
  if ((Changed("ready") || Changed("active")) &&
      StatusNumber(status_, "ready") > StatusNumber(status_, "active")) {
    rules_.Invalid(status_["ready"], "cannot set more ready pods than active");
  }
  if (Has(kSuccess) && Has(kFailed)) {
    InvalidBare(conditions_, "cannot set SuccessCriteriaMet=True and Failed=true conditions",
                rules_);
  }
  if (Has(kSuccess) && Has(kTarget)) {
    InvalidBare(conditions_, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
                rules_);
  }
  if (spec_["successPolicy"].Given() && !Has(kSuccess) && Has(kComplete)) {
    InvalidBare(conditions_,
                "cannot set Complete=True for Job with SuccessPolicy unless "
                "SuccessCriteriaMet=True",
                rules_);
  }
}

void JobStatusRules::Transitions() {
  for (const std::string_view type : {kFailed, kComplete, kTarget}) {
    if (!Had(type) || Has(type)) continue;
    InvalidBare(conditions_, "cannot disable the terminal " + std::string(type) + "=True condition",
                rules_);
  }
  const auto decreased = [&](std::string_view member) {
    return StatusNumber(status_, member) < StatusNumber(live_, member);
  };
  const auto reject = [&](const char* member) {
    rules_.InvalidAs(status_[member], std::to_string(StatusNumber(status_, member)),
                     std::string("cannot decrease the ") + member + " counter");
  };
  if (decreased("failed")) reject("failed");
  // An indexed Job with as many Pods as completions can be scaled down.
  const bool elastic = spec_["completionMode"].Text() == "Indexed" &&
                       spec_["completions"].Number() == spec_["parallelism"].Number();
  if (decreased("succeeded") && !elastic) reject("succeeded");
  const Place completion = status_["completionTime"];
  if (completion.Given() && live_["completionTime"].Given() && Changed("completionTime")) {
    rules_.Invalid(completion, "field is immutable");
  }
  const auto conditions = conditions_.Items();
  const bool resuming =
      IsTrueCondition(live_, "Suspended") &&
      std::any_of(conditions.begin(), conditions.end(), [](const Place& condition) {
        return condition["type"].Text() == "Suspended" && condition["status"].Text() == "False";
      });
  if (!resuming && live_["startTime"].Given() && Changed("startTime") &&
      !spec_["suspend"].IsTrue()) {
    rules_.Required(status_["startTime"], "startTime cannot be removed for unsuspended job");
  }
  if (Had(kSuccess) && !Has(kSuccess)) {
    InvalidBare(conditions_, "cannot disable the SuccessCriteriaMet=True condition", rules_);
  }
  if (Had(kComplete) && !Had(kSuccess) && Has(kSuccess)) {
    InvalidBare(conditions_,
                "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
                rules_);
  }
}

void JobStatusRules::Check() {
  Counts();
  Completion();
  Finished();
  Indexes();
  Success();
  Transitions();
}

}  // namespace

void CheckJobStatus(const Place& live, const Place& next, FieldRules& rules) {
  JobStatusRules(live, next, rules).Check();
}

void CheckDeploymentStatus(const Place& live, const Place& next, FieldRules& rules) {
  const Place status = next["status"];
  NotNegative(status,
              {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
               "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount"},
              rules);
  NotAbove(status, "replicas", {"updatedReplicas", "readyReplicas", "availableReplicas"},
           kAboveReplicas, rules);
  NotAbove(status, "readyReplicas", {"availableReplicas"}, kAboveReady, rules);
  NotDecremented(live["status"], status, "collisionCount", rules);
}

// Also that of a ReplicationController.
void CheckReplicaSetStatus(const Place& /*live*/, const Place& next, FieldRules& rules) {
  const Place status = next["status"];
  NotNegative(status,
              {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
               "observedGeneration", "terminatingReplicas"},
              rules);
  NotAbove(status, "replicas", {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
           kAboveReplicas, rules);
  NotAbove(status, "readyReplicas", {"availableReplicas"}, kAboveReady, rules);
}

void CheckStatefulSetStatus(const Place& live, const Place& next, FieldRules& rules) {
  const Place status = next["status"];
  NotNegative(status,
              {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
               "availableReplicas", "observedGeneration", "collisionCount"},
              rules);
  NotAbove(status, "replicas",
           {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"},
           kAboveReplicas, rules);
  NotAbove(status, "readyReplicas", {"availableReplicas"},
           "cannot be greater than status.readyReplicas", rules);
  NotDecremented(live["status"], status, "collisionCount", rules);
}

void CheckDaemonSetStatus(const Place& live, const Place& next, FieldRules& rules) {
  const Place status = next["status"];
  NotNegative(status,
              {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
               "numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable",
               "numberUnavailable", "collisionCount"},
              rules);
  NotDecremented(live["status"], status, "collisionCount", rules);
}

void CheckPodStatus(const Place& live, const Place& next, FieldRules& rules) {
  const Place status = next["status"];
  const Place nominated = status["nominatedNodeName"];
  if (nominated.Text() != live["status"]["nominatedNodeName"].Text()) rules.Subdomain(nominated);
  if (StatusNumber(status, "observedGeneration") < 0) {
    rules.Invalid(status["observedGeneration"], "must be a non-negative integer");
  }
  if (status["qosClass"].Given()) rules.Immutable(live["status"]["qosClass"], status["qosClass"]);
  const std::string_view policy = live["spec"]["restartPolicy"].Text();
  if (policy == "Always") return;
  const auto containers = status["containerStatuses"].Items();
  std::size_t index = 0;
  for (const Place& before : live["status"]["containerStatuses"].Items()) {
    const std::string at = status["containerStatuses"].path() + "[" + std::to_string(index++) + "]";
    const Place terminated = before["state"]["terminated"];
    if (!terminated.Given()) continue;
    if (policy == "OnFailure" && StatusNumber(terminated, "exitCode") != 0) continue;
    const bool revived = std::any_of(containers.begin(), containers.end(), [&](const Place& one) {
      return one["name"].Text() == before["name"].Text() && !one["state"]["terminated"].Given();
    });
    if (!revived) continue;
    rules.Forbidden(before.At(at + ".state"), "may not be transitioned to non-terminated state");
  }
}

}  // namespace capstan::testing::apiserver
