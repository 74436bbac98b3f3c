// SPDX-License-Identifier: Apache-2.0
// ListAll: a whole list in memory, for who looks once. Blocks; thread-safe.
#pragma once

#include <stop_token>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::inspect {

// Every page. The error names the resource.
clientgo::util::Expected<std::vector<clientgo::runtime::ObjectPtr>> ListAll(
    const std::stop_token& stop, clientgo::rest::Client& client,
    const clientgo::runtime::ResourceType& type, clientgo::rest::ListOptions options);

}  // namespace cmd::capstan::inspect
