// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/list_all.h"

#include <utility>

namespace cmd::capstan::inspect {

using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ResourceType;
using clientgo::util::Err;
using clientgo::util::Expected;

namespace {

constexpr std::int64_t kPage = 500;

}  // namespace

Expected<std::vector<ObjectPtr>> ListAll(const std::stop_token& stop,
                                         clientgo::rest::Client& client, const ResourceType& type,
                                         clientgo::rest::ListOptions options) {
  std::vector<ObjectPtr> items;
  options.limit = kPage;
  do {
    auto page =
        client.List(stop, type, options, [&](ObjectPtr item) { items.push_back(std::move(item)); });
    if (!page) return Err(page.error().Wrap("failed to list " + type.gvr.resource));
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());
  return items;
}

}  // namespace cmd::capstan::inspect
