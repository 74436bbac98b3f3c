// SPDX-License-Identifier: Apache-2.0
// ListAll reads a whole list into memory. It blocks and is thread-safe.
#pragma once

#include <stop_token>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::inspect {

// Reads every page. An error names the resource.
clientgo::util::Expected<std::vector<clientgo::runtime::ObjectPtr>> ListAll(
    const std::stop_token& stop, clientgo::rest::Client& client,
    const clientgo::runtime::ResourceType& type, clientgo::rest::ListOptions options);

}  // namespace cmd::capstan::inspect
