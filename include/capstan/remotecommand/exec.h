// SPDX-License-Identifier: Apache-2.0
// A command in a container. Mirrors client-go's tools/remotecommand over WebSocket. Differs: the
// input is a text that is known before, and there is no size of a terminal. Thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"

namespace capstan::remotecommand {

struct CAPSTAN_EXPORT ExecOptions {
  std::string container = {};  // empty: the only one, or the default one of the pod
  std::vector<std::string> command = {};
  // What the command reads before the end of its input; nullopt: it has no input. The server is at
  // least Kubernetes 1.30.
  std::optional<std::string> input = {};
  bool tty = false;  // then all output is that of on_output
  // They are called on the thread of Exec, with parts of any size. Null: it is dropped.
  std::function<void(std::string_view)> on_output = {};
  std::function<void(std::string_view)> on_error_output = {};
};

// Runs the command until it ends, or until the call ends. Returns its exit code. Errors: those of
// rest::Client, such as kNotFound and kForbidden; kInternalError with the text of the container
// runtime, such as for a program that does not exist. What the command does when the connection
// breaks is not known.
CAPSTAN_EXPORT Expected<int> Exec(rest::Client& client, const rest::CallOptions& call,
                                  const runtime::ObjectKey& pod, const ExecOptions& options);

}  // namespace capstan::remotecommand
