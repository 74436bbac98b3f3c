// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/client.h"

// Returns the names of the cluster's namespaces.
capstan::Expected<std::vector<std::string>> ListNamespaces(capstan::rest::Client& client);
