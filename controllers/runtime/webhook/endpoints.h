// SPDX-License-Identifier: Apache-2.0
// What answers the requests of a webhook::Server. Internal to this folder; thread-safe.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "capstan/controller_metrics.h"
#include "capstan/webhook/admission.h"
#include "capstan/webhook/server.h"

namespace capstan::webhook {

// Returns an endpoint for AdmissionReviews. `metrics` may be null.
BodyHandler AdmissionEndpoint(std::string path, AdmissionHandler handler, WebhookMetrics* metrics);

// The converters by group and kind.
using Converters = std::map<std::pair<std::string, std::string>, Converter>;

// Returns an endpoint for ConversionReviews. `converters` outlives it and changes no more once it
// is used.
BodyHandler ConversionEndpoint(const Converters& converters, WebhookMetrics* metrics);

}  // namespace capstan::webhook
