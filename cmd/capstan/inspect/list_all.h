// SPDX-License-Identifier: Apache-2.0
// ListAll reads a whole list into memory. It blocks and is thread-safe.
#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/client.h"

namespace capstan::cmd::cli::inspect {

// Reads every page. An error names the resource.
inline Expected<std::vector<runtime::ObjectPtr>> ListAll(const std::stop_token& stop,
                                                         rest::Client& client,
                                                         const runtime::ResourceType& type,
                                                         rest::ListOptions options) {
  std::vector<runtime::ObjectPtr> items;
  options.limit = 500;
  do {
    const auto page =
        client.List(stop, type, options, [&](auto item) { items.push_back(std::move(item)); });
    if (!page) {
      return Err(page.error().Wrap("failed to list " + type.gvr.resource));
    }
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());
  return items;
}

}  // namespace capstan::cmd::cli::inspect
