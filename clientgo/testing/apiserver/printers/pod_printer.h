// SPDX-License-Identifier: Apache-2.0
// What `kubectl get pods` shows of a Pod's containers. Mirrors printPod in
// k8s.io/kubernetes/pkg/printers/internalversion/printers.go.
#pragma once

#include <string>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct PodSummary {
  std::string ready = {};     // "1/2"
  std::string status = {};    // "Running", "Init:0/1", "CrashLoopBackOff"
  std::string restarts = {};  // "3 (5m ago)"
};

PodSummary Summarize(const runtime::JsonValue& pod);

}  // namespace capstan::testing::apiserver
