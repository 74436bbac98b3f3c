// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/util/error.h"

// Returns the names of the cluster's namespaces.
capstan::clientgo::util::Expected<std::vector<std::string>> ListNamespaces(
    capstan::clientgo::rest::Client& client);
