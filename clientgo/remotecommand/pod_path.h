// SPDX-License-Identifier: Apache-2.0
// What exec, logs and port-forward have in common: the path of a subresource of a Pod. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/runtime/object.h"

namespace capstan::remotecommand {

// The most bytes of data in one message: what io.Copy in kubectl sends.
inline constexpr std::size_t kMessageBytes = std::size_t{32} * 1024;

using Query = std::vector<std::pair<std::string_view, std::string>>;

// Returns "/api/v1/namespaces/ns/pods/a/log?follow=true". kInvalidArgument: the key has no
// namespace or no name.
Expected<std::string> PodPath(const runtime::ObjectKey& pod, std::string_view subresource,
                              const Query& query);

}  // namespace capstan::remotecommand
