// SPDX-License-Identifier: Apache-2.0
// The choice of a response's form by the header Accept. Mirrors
// k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
#pragma once

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

enum class Answering { kObject, kList, kWatch };

// Returns the first form in the Accept header that is supported.
Result<Form> NegotiateForm(const httpserver::Request& request, const Resource& resource,
                           Answering answering);

}  // namespace capstan::testing::apiserver
