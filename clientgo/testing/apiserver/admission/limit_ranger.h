// SPDX-License-Identifier: Apache-2.0
// The admission plugin LimitRanger: the defaults and limits that the LimitRanges of a namespace set
// for containers, Pods and PersistentVolumeClaims. Mirrors
// k8s.io/kubernetes/plugin/pkg/admission/limitranger.
#pragma once

#include <optional>

#include "clientgo/testing/apiserver/admission/plugins.h"

namespace capstan::testing::apiserver {

// Sets the missing requests and limits of a new Pod's containers.
void SetLimitDefaults(const PluginRequest& request, runtime::JsonDocument& next);
// Returns why the object is outside of a limit; nullopt: it is not.
std::optional<Status> CheckLimits(const PluginRequest& request, const runtime::JsonDocument& next);

}  // namespace capstan::testing::apiserver
