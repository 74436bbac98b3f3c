// SPDX-License-Identifier: Apache-2.0
// From a Config to what its requests show: credentials, and whom they act as. Pure functions but
// for what the credentials do later. Mirrors client-go's transport.HTTPWrappersForConfig.
#pragma once

#include <memory>

#include "clientgo/auth/credentials.h"
#include "clientgo/rest/config.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// Never null; Check() tells what cannot work. `clock` outlives them. Clients of one Config may
// share them (ClientOptions::credentials): a plugin then runs once for all. `metrics`, of a plugin,
// is not owned and outlives them.
std::shared_ptr<auth::Credentials> NewCredentials(const Config& config, util::Clock& clock,
                                                  auth::MetricsProvider* metrics = nullptr);

// Whether those of this Config come from its exec plugin, not from something that goes before it.
bool UsesExecPlugin(const Config& config);

// Impersonate-User, -Uid, -Group (one each), -Extra-<key>. kInvalidArgument: a value that cannot be
// sent in a header, or something besides a user without one.
util::Expected<transport::Headers> ImpersonationHeaders(const ImpersonationConfig& impersonate);

}  // namespace clientgo::rest
