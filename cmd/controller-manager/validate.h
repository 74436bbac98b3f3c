// SPDX-License-Identifier: Apache-2.0
// The rules that the options of capstan-controller-manager have to keep, each told in the program's
// flags: one line with the flag, the value and what was expected. Pure functions.
// Mirrors cert-manager's internal/apis/config/cainjector/validation.
#pragma once

#include "clientgo/util/error.h"
#include "cmd/controller-manager/options.h"

namespace cmd::controller_manager {

// client-go's rules.
clientgo::util::Expected<void> CheckLeaderElection(const LeaderElectionOptions& options);
// Of a metrics server without certificate files, when a certificate that the program issues to
// itself is asked for.
tl::unexpected<clientgo::util::Error> NoDynamicServing();

}  // namespace cmd::controller_manager
