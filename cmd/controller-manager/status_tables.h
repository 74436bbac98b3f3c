// SPDX-License-Identifier: Apache-2.0
// The tables and facts of the manager's /statusz. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/clock.h"
#include "capstan/statusz/page.h"
#include "controllers/cainjector/ca_injector.h"

namespace capstan::cmd::controller_manager {

// Lists failing targets first.
statusz::Table TargetsTable(const std::vector<cainjector::CaInjector::TargetStatus>& targets,
                            Clock::WallTime now);
// Lists the servers that are not verified first.
statusz::Table EndpointsTable(const std::vector<cainjector::EndpointVerifier::Status>& endpoints,
                              Clock::WallTime now);
statusz::Table RecentTable(const std::vector<cainjector::TargetOutcome>& recent);
statusz::Table QueuesTable(const std::vector<cainjector::CaInjector::QueueStatus>& queues);

// Returns "20230311, 140 certificates".
std::string SystemCasText(const std::optional<cainjector::SystemSource::Summary>& summary);

}  // namespace capstan::cmd::controller_manager
