// SPDX-License-Identifier: Apache-2.0
// The errors of client-go in a real API server, which calls webhooks with it. Mirrors
// NewGenericServerResponse of k8s.io/apimachinery/pkg/api/errors.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"

namespace capstan::testing::apiserver {

// Returns what Go's client says of an error of the transport, or else the error's own message.
std::string GoErrorText(const Error& error, std::string_view host);

// Returns the error for a response that is not a success and has no Status.
std::string ServerErrorText(int code, std::string_view content_type, std::string_view body);

}  // namespace capstan::testing::apiserver
