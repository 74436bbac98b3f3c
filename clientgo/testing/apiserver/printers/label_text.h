// SPDX-License-Identifier: Apache-2.0
// Labels and label selectors as `kubectl get` shows them. Mirrors FormatLabels and
// FormatLabelSelector in k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go.
#pragma once

#include <string>

#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

// Returns labels as "a=b,c=d", or "<none>". `labels` may be null.
std::string FormatLabels(const runtime::JsonValue* labels);
// Returns a label selector as "a=b,c in (d,e),!f", or "<none>". `selector` may be null.
std::string FormatSelector(const runtime::JsonValue* selector);

}  // namespace capstan::testing::apiserver
