// SPDX-License-Identifier: Apache-2.0
// ListAll reads a whole list into memory. It blocks and is thread-safe.
#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/pager.h"

namespace capstan::cmd::cli::inspect {

// Reads every page. An error names the resource.
inline Expected<std::vector<runtime::ObjectPtr>> ListAll(const std::stop_token& stop,
                                                         rest::Client& client,
                                                         const runtime::ResourceType& type,
                                                         rest::ListOptions options) {
  auto list = rest::ListAll(stop, client, type, std::move(options));
  if (!list) return Err(list.error().Wrap("failed to list " + type.gvr.resource));
  return std::move(list->items);
}

}  // namespace capstan::cmd::cli::inspect
