// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/cron_schedule.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::int64_t kManyCompletions = 100'000;
constexpr std::size_t kRulesMax = 20;

// Reports whether there is a number that is greater than this one.
bool IsAbove(const Place& field, std::int64_t most) { return field.Number().value_or(most) > most; }

void AtMost(const Place& field, std::int64_t most, const std::string& when, FieldRules& rules) {
  if (!IsAbove(field, most)) return;
  rules.Invalid(field, "must be less than or equal to " + std::to_string(most) + when);
}

void CheckManager(const Place& manager, FieldRules& rules) {
  if (!manager.Given()) return;
  const std::string_view text = manager.Text();
  const std::size_t slash = text.find('/');
  if (text.empty()) {
    rules.Required(manager);
  } else if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    rules.Invalid(manager, R"(must be a domain-prefixed path (such as "acme.io/foo"))");
  } else {
    const std::string_view host = text.substr(0, slash);
    for (const std::string& error : SubdomainErrors(host)) {
      rules.InvalidAs(manager, Quote(host), error);
    }
    static const cel::GoRegexp form(R"(^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$)");
    const std::string_view path = text.substr(slash + 1);
    if (!form.Matches(path)) {
      rules.InvalidAs(manager, Quote(path),
                      "Invalid path (regex used for validation is "
                      R"('[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))");
    }
  }
  constexpr std::size_t kMost = 63;
  if (text.size() > kMost) rules.TooLong(manager, kMost);
}

// An indexed Job numbers its Pods.
void CheckIndexed(const Place& spec, FieldRules& rules) {
  const Place completions = spec["completions"];
  const Place failed = spec["maxFailedIndexes"];
  const Place parallelism = spec["parallelism"];
  if (!completions.Given()) rules.Required(completions, "when completion mode is Indexed");
  AtMost(parallelism, kManyCompletions, " when completion mode is Indexed", rules);
  if (completions.Given() && IsAbove(failed, completions.Number().value_or(0))) {
    rules.Invalid(failed, "must be less than or equal to completions");
  }
  AtMost(failed, kManyCompletions, "", rules);
  if (!IsAbove(completions, kManyCompletions) || !spec["backoffLimitPerIndex"].Given()) return;
  if (!failed.Given()) {
    rules.Required(failed, "must be specified when completions is above 100000");
  }
  constexpr std::int64_t kMost = 10'000;
  for (const Place& number : {parallelism, failed}) {
    AtMost(number, kMost,
           " when completions are above 100000 and used with backoff limit per index", rules);
  }
}

void CheckExitCodes(const Place& codes, const std::set<std::string_view>& containers,
                    FieldRules& rules) {
  if (const Place op = codes["operator"];
      rules.RequireText(op, R"(valid values: ["In" "NotIn"])")) {
    rules.OneOf(op, {"In", "NotIn"});
  }
  const Place name = codes["containerName"];
  if (name.Given() && !containers.contains(name.Text())) {
    rules.InvalidText(name,
                      "must be one of the container or initContainer names in the pod template");
  }
  constexpr std::size_t kMost = 255;
  const Place values = codes["values"];
  const auto items = values.Items();
  if (items.empty()) {
    rules.Invalid(values, "at least one value is required");
  } else if (items.size() > kMost) {
    rules.TooMany(values, items.size(), kMost);
  }
  bool ordered = true;
  std::int64_t last = 0;
  std::set<std::int64_t> seen;
  for (const Place& value : items) {
    const std::int64_t number = value.Number().value_or(0);
    if (codes["operator"].Text() == "In" && number == 0) {
      rules.InvalidAs(value, "0", "must not be 0 for the In operator");
    }
    if (!seen.empty() && last > number) ordered = false;
    if (!seen.insert(number).second) rules.DuplicateAs(value, std::to_string(number));
    last = number;
  }
  if (!ordered) rules.Invalid(values, "must be ordered");
}

void CheckConditions(const Place& conditions, FieldRules& rules) {
  const auto items = conditions.Items();
  if (items.size() > kRulesMax) rules.TooMany(conditions, items.size(), kRulesMax);
  for (const Place& condition : items) {
    rules.InvalidText(condition["type"], QualifiedNameErrors(condition["type"].Text()));
    rules.OneOf(condition["status"], {"False", "True", "Unknown"});
  }
}

void CheckFailurePolicy(const Place& spec, FieldRules& rules) {
  const Place list = spec["podFailurePolicy"]["rules"];
  if (list.Items().size() > kRulesMax) rules.TooMany(list, list.Items().size(), kRulesMax);
  std::set<std::string_view> containers;
  for (const char* const member : {"containers", "initContainers"}) {
    for (const Place& container : spec["template"]["spec"][member].Items()) {
      containers.insert(container["name"].Text());
    }
  }
  for (const Place& rule : list.Items()) {
    const Place action = rule["action"];
    if (action.Text() == "FailIndex") {
      if (!spec["backoffLimitPerIndex"].Given()) {
        rules.Invalid(action, "requires the backoffLimitPerIndex to be set");
      }
    } else if (rules.RequireText(action,
                                 R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])")) {
      rules.OneOf(action, {"Count", "FailIndex", "FailJob", "Ignore"});
    }
    const Place codes = rule["onExitCodes"];
    const Place conditions = rule["onPodConditions"];
    const bool has_conditions = !conditions.Items().empty();
    if (codes.Given()) CheckExitCodes(codes, containers, rules);
    CheckConditions(conditions, rules);
    if (codes.Given() != has_conditions) continue;
    const std::string how = has_conditions ? "specifying both OnExitCodes and OnPodConditions is "
                                             "not supported"
                                           : "specifying one of OnExitCodes and OnPodConditions "
                                             "is required";
    rules.causes().push_back(
        {.reason = "FieldValueInvalid", .message = "Invalid value: " + how, .field = rule.path()});
  }
}

// Indexes is a list such as "1,3-5".
class Indexes {
 public:
  Indexes(std::string_view text, std::int64_t completions) : completions_(completions) {
    if (!text.empty()) Parse(text);
  }

  const std::string& error() const { return error_; }
  std::int64_t count() const { return count_; }

 private:
  void Parse(std::string_view text) {
    std::optional<std::int64_t> last;
    for (const std::string_view interval : SplitAll(text, ',')) {
      const auto ends = SplitAll(interval, '-');
      if (ends.size() > 2) {
        return Fail("the fragment " + Quote(interval) +
                    " violates the requirement that an index interval can have at most two parts "
                    "separated by '-'");
      }
      std::int64_t first = 0;
      if (!Read(ends.front(), first)) return;
      std::int64_t end = first;
      if (ends.size() == 2) {
        if (!Read(ends[1], end)) return;
        if (first >= end) return FailOrder(first, end);
      }
      if (last && *last >= first) return FailOrder(*last, first);
      count_ += end - first + 1;
      last = end;
    }
  }
  void Fail(std::string error) {
    error_ = std::move(error);
    count_ = 0;
  }
  void FailOrder(std::int64_t previous, std::int64_t current) {
    Fail("non-increasing order, previous: " + std::to_string(previous) +
         ", current: " + std::to_string(current));
  }
  bool Read(std::string_view text, std::int64_t& number) {
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
      Fail("cannot convert string to integer for index: " + Quote(text));
    } else if (number >= completions_) {
      Fail("too large index: " + Quote(text));
    }
    return error_.empty();
  }

  std::int64_t completions_;
  std::string error_;
  std::int64_t count_ = 0;
};

void CheckSuccessRule(const Place& rule, std::int64_t completions, FieldRules& rules) {
  const Place count = rule["succeededCount"];
  const Place indexes = rule["succeededIndexes"];
  if (!count.Given() && !indexes.Given()) {
    rules.Required(rule, "at least one of succeededCount or succeededIndexes must be specified");
  }
  constexpr std::size_t kMost = std::size_t{64} * 1024;
  if (indexes.Text().size() > kMost) rules.TooLong(indexes, kMost);
  const Indexes read(indexes.Text(), completions);
  if (!read.error().empty()) {
    rules.Invalid(indexes, "error parsing succeededIndexes: " + read.error());
  }
  rules.NotNegative(count);
  AtMost(count, completions, " (the number of specified completions)", rules);
  if (!indexes.Given()) return;
  AtMost(count, read.count(), " (the number of indexes in the specified succeededIndexes field)",
         rules);
}

// Returns a policy as Go prints its internal type.
std::string SuccessPolicyText(const Place& policy) {
  std::vector<Json> list;
  for (const Place& rule : policy["rules"].Items()) {
    list.push_back({{"SucceededIndexes", Json(rule["succeededIndexes"].value())},
                    {"SucceededCount", Json(rule["succeededCount"].value())}});
  }
  const Json items = policy["rules"].Given() ? Json::List(list) : Json(nullptr);
  return Json({{"Rules", items}}).text();
}

void CheckSuccessPolicy(const Place& spec, FieldRules& rules) {
  const Place policy = spec["successPolicy"];
  if (!policy.Given()) return;
  if (spec["completionMode"].Text() != "Indexed") {
    return rules.InvalidAs(policy, SuccessPolicyText(policy), "requires indexed completion mode");
  }
  const Place list = policy["rules"];
  const std::size_t count = list.Items().size();
  if (count == 0) {
    rules.Required(list,
                   "at least one rules must be specified when the successPolicy is specified");
  }
  if (count > kRulesMax) rules.TooMany(list, count, kRulesMax);
  // kube-apiserver does not survive a policy without completions.
  const auto completions = spec["completions"].Number();
  if (!completions) return;
  for (const Place& rule : list.Items()) CheckSuccessRule(rule, *completions, rules);
}

void CheckRestartPolicy(const Place& spec, FieldRules& rules) {
  const Place policy = spec["template"]["spec"]["restartPolicy"];
  const std::string_view text = policy.Text();
  if (text.empty() || text == "Always") {
    rules.Required(policy, R"(valid values: "OnFailure", "Never")");
  } else if (text != "OnFailure" && text != "Never") {
    rules.Unsupported(policy, Quote(text), {"OnFailure", "Never"});
  } else if (spec["podFailurePolicy"].Given() && text != "Never") {
    rules.Invalid(policy, R"(only "Never" is supported when podFailurePolicy is specified)");
  }
}

// The spec of a Job, or of a CronJob's template.
void CheckJobSpec(const Place& spec, FieldRules& rules) {
  for (const char* const number :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    rules.NotNegative(spec[number]);
  }
  if (spec["maxFailedIndexes"].Given() && !spec["backoffLimitPerIndex"].Given()) {
    rules.Required(spec["backoffLimitPerIndex"], "when maxFailedIndexes is specified");
  }
  CheckManager(spec["managedBy"], rules);
  const Place mode = spec["completionMode"];
  rules.GivenOneOf(mode, {"NonIndexed", "Indexed"});
  if (mode.Text() == "Indexed") CheckIndexed(spec, rules);
  if (!mode.Given() || mode.Text() == "NonIndexed") {
    for (const char* const member : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
      if (spec[member].Given()) rules.Invalid(spec[member], "requires indexed completion mode");
    }
  }
  const bool failure_policy = spec["podFailurePolicy"].Given();
  if (failure_policy) CheckFailurePolicy(spec, rules);
  CheckSuccessPolicy(spec, rules);
  if (failure_policy) {
    rules.GivenOneOf(spec["podReplacementPolicy"], {"Failed"});
  } else {
    rules.GivenOneOf(spec["podReplacementPolicy"], {"Failed", "TerminatingOrFailed"});
  }
  CheckPodTemplate(spec["template"], rules);
  CheckRestartPolicy(spec, rules);
}

// The server generates the selector and the labels that it selects. Those of a request are kept.
void CheckGeneratedSelector(const Place& job, FieldRules& rules) {
  const Place metadata = job["metadata"];
  const Place pod_template = job["spec"]["template"];
  const Place labels = pod_template["metadata"]["labels"];
  runtime::JsonDocument wanted;
  const auto expect = [&](const char* key, const char* member) {
    const std::string_view value = metadata[member].Text();
    const Place label = labels.Entry(key);
    const std::string how = "must be '" + std::string(value) + "'";
    if (!label.Given()) rules.Required(label, how);
    if (label.Text() != value) rules.InvalidAs(label, labels.Json(), how);
    SetString(wanted, key, value, wanted.GetAllocator());
  };
  wanted.SetObject();
  expect("controller-uid", "uid");
  expect("job-name", "name");
  expect("batch.kubernetes.io/controller-uid", "uid");
  expect("batch.kubernetes.io/job-name", "name");
  const Place selector = job["spec"]["selector"];
  std::vector<Cause> causes;
  FieldRules own(causes);
  own.LabelSelector(selector);
  if (!causes.empty() || SelectorMatches(selector, Place(wanted, ""))) return;
  rules.Invalid(selector, "`selector` not auto-generated");
}

void CheckTimeZone(const Place& zone, FieldRules& rules) {
  if (!zone.Given()) return;
  static const cel::GoRegexp part_form(R"(^[A-Za-z\.\-_0-9+]{1,14}$)");
  const std::string text(zone.Text());
  if (text.empty()) return rules.InvalidText(zone, "timeZone must be nil or non-empty string");
  for (const std::string_view part : SplitAll(text, '/')) {
    if (part != "." && part != ".." && !part.starts_with('-') && part_form.Matches(part)) continue;
    return rules.InvalidText(zone, "unknown time zone " + text);
  }
  if (LowerAscii(text) == "local") {
    rules.InvalidText(zone,
                      "timeZone must be an explicit time zone as defined in "
                      "https://www.iana.org/time-zones");
  }
  const std::string error = TimeZoneError(text);
  if (!error.empty()) rules.InvalidText(zone, error);
}

void CheckSchedule(const Place& schedule, FieldRules& rules) {
  if (!rules.RequireText(schedule)) return;
  const std::string error = ScheduleError(schedule.Text());
  if (!error.empty()) rules.Invalid(schedule, error);
  if (schedule.Text().find("TZ") == std::string_view::npos) return;
  rules.Invalid(schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
}

}  // namespace

void CheckJob(const Place& job, FieldRules& rules) {
  const Place spec = job["spec"];
  CheckJobSpec(spec, rules);
  const Place selector = spec["selector"];
  if (!selector.Given()) rules.Required(selector);
  const auto before = rules.causes().size();
  rules.LabelSelector(selector);
  if (rules.causes().size() != before) return;
  const Place labels = spec["template"]["metadata"]["labels"];
  if (SelectorMatches(selector, labels)) return;
  rules.Invalid(labels, "`selector` does not match template `labels`");
}

void CheckJobSelector(const Place& job, FieldRules& rules) {
  if (!job["spec"]["manualSelector"].IsTrue()) CheckGeneratedSelector(job, rules);
}

void CheckNewJob(const Place& job, FieldRules& rules) {
  const Place spec = job["spec"];
  const Place name = job["metadata"]["name"];
  const auto completions = spec["completions"].Number().value_or(0);
  if (spec["completionMode"].Text() != "Indexed" || completions < 1) return;
  const std::string host = std::string(name.Text()) + "-" + std::to_string(completions - 1);
  if (DnsLabelErrors(host).empty()) return;
  rules.InvalidText(name, "will not able to create pod with invalid DNS label: " + host);
}

void CheckCronJob(const Place& object, FieldRules& rules) {
  const Place spec = object["spec"];
  CheckSchedule(spec["schedule"], rules);
  rules.NotNegative(spec["startingDeadlineSeconds"]);
  CheckTimeZone(spec["timeZone"], rules);
  rules.RequireOneOf(spec["concurrencyPolicy"], {"Allow", "Forbid", "Replace"});
  const Place job = spec["jobTemplate"]["spec"];
  CheckJobSpec(job, rules);
  if (job["selector"].Given()) {
    rules.Invalid(job["selector"], "`selector` will be auto-generated");
  }
  if (job["manualSelector"].IsTrue()) {
    rules.Unsupported(job["manualSelector"], "true", {"nil", "false"});
  }
  rules.NotNegative(spec["successfulJobsHistoryLimit"]);
  rules.NotNegative(spec["failedJobsHistoryLimit"]);
}

void CheckNewCronJob(const Place& object, FieldRules& rules) {
  constexpr std::size_t kNameMax = 52;  // a Job's name has 11 more characters
  const Place name = object["metadata"]["name"];
  if (name.Text().size() > kNameMax) rules.Invalid(name, "must be no more than 52 characters");
}

}  // namespace capstan::testing::apiserver
