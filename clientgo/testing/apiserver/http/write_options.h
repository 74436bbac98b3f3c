// SPDX-License-Identifier: Apache-2.0
// The options of writing requests: CreateOptions, UpdateOptions, PatchOptions and DeleteOptions.
// All but the last are in the query. Mirrors k8s.io/apimachinery/pkg/apis/meta/v1/validation.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns what is invalid in the options of a create, update or patch.
std::vector<Cause> CheckWriteOptions(const httpserver::Request& query);
// Parses the options of a deletion. They are in `text`, or in the query if it is empty.
Result<DeleteOptions> ParseDeleteOptions(const httpserver::Request& request, std::string_view text);
// Returns the options of a write as JSON, for webhooks. Invalid ones are left out.
std::unique_ptr<runtime::JsonDocument> WriteOptionsJson(const httpserver::Request& request);

}  // namespace capstan::testing::apiserver
