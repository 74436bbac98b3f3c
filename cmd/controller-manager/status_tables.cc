// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/status_tables.h"

#include <algorithm>
#include <string>

#include "capstan/clientgo/util/time_format.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cmd::controller_manager {

using clientgo::util::Clock;
using clientgo::util::FormatTime;
using controllers::cainjector::CaInjector;
using controllers::cainjector::CertificateTime;
using controllers::cainjector::Reason;
using controllers::cainjector::TargetOutcome;
using statusz::Cell;
using statusz::Level;

namespace {

constexpr std::chrono::hours kExpiresSoon(14 * 24);

bool IsInSync(Reason reason) { return reason == Reason::kInjected || reason == Reason::kUnchanged; }

Level LevelOf(Reason reason) {
  if (IsInSync(reason)) return Level::kGood;
  return IsNormal(reason) ? Level::kNone : Level::kBad;
}

Cell ExpiryCell(CertificateTime expires, Clock::WallTime now) {
  if (expires == CertificateTime::max()) return {};
  // In seconds, because nanoseconds cannot hold every expiry.
  const CertificateTime today = std::chrono::floor<std::chrono::seconds>(now);
  const Level level = expires <= today                  ? Level::kBad
                      : expires <= today + kExpiresSoon ? Level::kWarning
                                                        : Level::kNone;
  return {controllers::cainjector::ExpiryText(expires), level};
}

}  // namespace

statusz::Table TargetsTable(const std::vector<CaInjector::TargetStatus>& targets,
                            Clock::WallTime now) {
  statusz::Table table{
      .name = "targets",
      .title = "Targets",
      .columns = {"Kind", "Name", "Source", "State", "Reason", "Since", "Expires", "Message"},
      .when_empty =
          "no target requests a CA bundle, or the leader has not reconciled one yet; a standby "
          "reconciles none"};
  for (const auto& [outcome, source, expires] : targets) {
    const Level level = LevelOf(outcome.reason);
    const std::string state = IsInSync(outcome.reason) ? "in sync"
                              : level == Level::kBad   ? "failing"
                                                       : "not injected";
    table.rows.push_back({{outcome.kind},
                          {outcome.name},
                          {source},
                          {state, level},
                          {std::string(ToString(outcome.reason))},
                          {FormatTime(outcome.since)},
                          ExpiryCell(expires, now),
                          {outcome.message}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[3].level == Level::kBad; });
  return table;
}

statusz::Table EndpointsTable(
    const std::vector<controllers::cainjector::EndpointVerifier::Status>& endpoints,
    Clock::WallTime now) {
  using controllers::cainjector::EndpointOutcome;
  statusz::Table table{
      .name = "endpoints",
      .title = "Servers",
      .columns = {"Kind", "Name", "Place", "Server", "Address", "Outcome", "Expires", "Message"},
      .when_empty = "no server was verified yet; a standby verifies none"};
  for (const auto& [kind, name, result] : endpoints) {
    const bool good = result.verdict.outcome == EndpointOutcome::kVerified;
    table.rows.push_back(
        {{kind},
         {name},
         {result.place},
         {result.server},
         {result.address},
         {std::string(ToString(result.verdict.outcome)), good ? Level::kGood : Level::kBad},
         ExpiryCell(result.verdict.expires.value_or(CertificateTime::max()), now),
         {result.verdict.message}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[5].level == Level::kBad; });
  return table;
}

statusz::Table RecentTable(const std::vector<TargetOutcome>& recent) {
  statusz::Table table{.name = "recent",
                       .title = "Recent changes",
                       .columns = {"Time", "Kind", "Name", "Reason", "Message"},
                       .when_empty = "nothing yet"};
  for (const TargetOutcome& outcome : recent) {
    table.rows.push_back({{FormatTime(outcome.since)},
                          {outcome.kind},
                          {outcome.name},
                          {std::string(ToString(outcome.reason)), LevelOf(outcome.reason)},
                          {outcome.message}});
  }
  return table;
}

statusz::Table QueuesTable(const std::vector<CaInjector::QueueStatus>& queues) {
  statusz::Table table{
      .name = "queues", .title = "Queues", .columns = {"Controller", "Length", "First pass"}};
  for (const auto& [name, length, first_pass_done] : queues) {
    table.rows.push_back(
        {{name}, {std::to_string(length)}, {first_pass_done ? "done" : "not yet"}});
  }
  return table;
}

std::string SystemCasText(
    const std::optional<controllers::cainjector::SystemSource::Summary>& summary) {
  if (!summary) return "not used";
  return (summary->version.empty() ? "unknown version" : summary->version) + ", " +
         std::to_string(summary->certificates) + " certificates";
}

}  // namespace capstan::cmd::controller_manager
