// SPDX-License-Identifier: Apache-2.0
// The log of a container. Mirrors GetLogs of client-go's PodInterface. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"
#include "capstan/time.h"

namespace capstan::remotecommand {

// Mirrors corev1.PodLogOptions.
struct CAPSTAN_EXPORT LogOptions {
  std::string container = {};  // empty: the only one of the pod
  bool follow = false;         // until the container ends, or the call
  bool previous = false;       // of the container before its last restart
  bool timestamps = false;     // at the beginning of each line
  std::optional<std::chrono::seconds> since = {};
  std::optional<Time> since_time = {};
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> limit_bytes = {};
};

// Calls `on_bytes` on this thread with each part of the log as it arrives; a part may end within a
// line. Returns at the end of the log. Errors: those of rest::Client, such as kNotFound,
// kBadRequest (the pod has several containers, or has not started), kCanceled.
CAPSTAN_EXPORT Expected<void> Logs(rest::Client& client, const rest::CallOptions& call,
                                   const runtime::ObjectKey& pod, const LogOptions& options,
                                   const std::function<void(std::string_view)>& on_bytes);

}  // namespace capstan::remotecommand
