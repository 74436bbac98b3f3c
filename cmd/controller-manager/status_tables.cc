// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/status_tables.h"

#include <algorithm>
#include <string>

#include "capstan/time.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cmd::controller_manager {

namespace {

constexpr std::chrono::hours kExpiresSoon(14 * 24);

statusz::Level LevelOf(cainjector::Reason reason) {
  if (IsInSync(reason)) return statusz::Level::kGood;
  return IsNormal(reason) ? statusz::Level::kNone : statusz::Level::kBad;
}

statusz::Cell ExpiryCell(cainjector::CertificateTime expires, Clock::WallTime now) {
  if (expires == cainjector::CertificateTime::max()) return {};
  // In seconds, because nanoseconds cannot hold every expiry.
  const cainjector::CertificateTime today = std::chrono::floor<std::chrono::seconds>(now);
  const statusz::Level level = expires <= today                  ? statusz::Level::kBad
                               : expires <= today + kExpiresSoon ? statusz::Level::kWarning
                                                                 : statusz::Level::kNone;
  return {cainjector::ExpiryText(expires), level};
}

}  // namespace

statusz::Table TargetsTable(const std::vector<cainjector::CaInjector::TargetStatus>& targets,
                            Clock::WallTime now) {
  statusz::Table table{
      .name = "targets",
      .title = "Targets",
      .columns = {"Kind", "Name", "Source", "State", "Reason", "Since", "Expires", "Message"},
      .when_empty =
          "no target requests a CA bundle, or the leader has not reconciled one yet; a standby "
          "reconciles none"};
  for (const auto& [outcome, source, expires] : targets) {
    const statusz::Level level = LevelOf(outcome.reason);
    const std::string state = IsInSync(outcome.reason)        ? "in sync"
                              : level == statusz::Level::kBad ? "failing"
                                                              : "not injected";
    table.rows.push_back({{outcome.kind},
                          {outcome.name},
                          {source},
                          {state, level},
                          {std::string(ToString(outcome.reason))},
                          {FormatTime(ToTime(outcome.since))},
                          ExpiryCell(expires, now),
                          {outcome.message}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[3].level == statusz::Level::kBad; });
  return table;
}

statusz::Table EndpointsTable(const std::vector<cainjector::EndpointVerifier::Status>& endpoints,
                              Clock::WallTime now) {
  statusz::Table table{
      .name = "endpoints",
      .title = "Servers",
      .columns = {"Kind", "Name", "Place", "Server", "Address", "Outcome", "Expires", "Message"},
      .when_empty = "no server was verified yet; a standby verifies none"};
  for (const auto& [kind, name, result] : endpoints) {
    const bool good = result.verdict.outcome == cainjector::EndpointOutcome::kVerified;
    table.rows.push_back(
        {{kind},
         {name},
         {result.place},
         {result.server},
         {result.address},
         {std::string(ToString(result.verdict.outcome)),
          good ? statusz::Level::kGood : statusz::Level::kBad},
         ExpiryCell(result.verdict.expires.value_or(cainjector::CertificateTime::max()), now),
         {result.verdict.message}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[5].level == statusz::Level::kBad; });
  return table;
}

statusz::Table RecentTable(const std::vector<cainjector::TargetOutcome>& recent) {
  statusz::Table table{.name = "recent",
                       .title = "Recent changes",
                       .columns = {"Time", "Kind", "Name", "Reason", "Message"},
                       .when_empty = "nothing yet"};
  const auto earlier = [](const auto& a, const auto& b) { return a.since < b.since; };
  const auto [first, last] = std::minmax_element(recent.begin(), recent.end(), earlier);
  for (const cainjector::TargetOutcome& outcome : recent) {
    statusz::Cell time{FormatTime(ToTime(outcome.since))};
    if (first->since < last->since) {  // the column is a timeline
      const std::chrono::duration<double> span = last->since - first->since;
      const double at = (outcome.since - first->since) / span;
      time.bar = statusz::Bar{.begin = at, .end = at};
    }
    table.rows.push_back({std::move(time),
                          {outcome.kind},
                          {outcome.name},
                          {std::string(ToString(outcome.reason)), LevelOf(outcome.reason)},
                          {outcome.message}});
  }
  return table;
}

statusz::Table QueuesTable(const std::vector<cainjector::CaInjector::QueueStatus>& queues) {
  statusz::Table table{
      .name = "queues", .title = "Queues", .columns = {"Controller", "Length", "First pass"}};
  for (const auto& [name, length, first_pass_done] : queues) {
    table.rows.push_back(
        {{name}, {std::to_string(length)}, {first_pass_done ? "done" : "not yet"}});
  }
  return table;
}

std::string SystemCasText(const std::optional<cainjector::SystemSource::Summary>& summary) {
  if (!summary) return "not used";
  return (summary->version.empty() ? "unknown version" : summary->version) + ", " +
         std::to_string(summary->certificates) + " certificates";
}

}  // namespace capstan::cmd::controller_manager
