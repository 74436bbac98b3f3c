// SPDX-License-Identifier: Apache-2.0
// Adds the last link of an explanation: the server that answers is trusted. The manager's last
// outcome is not used instead, because its Events report only changes and expire.
#pragma once

#include <stop_token>

#include "cmd/capstan/inspect/explain.h"
#include "controllers/cainjector/endpoints/endpoint_check.h"

namespace capstan::cmd::cli::inspect {

// Adds a link for each server that the API server calls for the target. Opens connections to the
// servers, but only if the target holds its bundle. `as_oneself`: as of IsAboutCaller.
void AddServerLinks(const std::stop_token& stop, const cainjector::EndpointCheck& check,
                    const Finding& finding, bool as_oneself, Explanation& explanation);

}  // namespace capstan::cmd::cli::inspect
