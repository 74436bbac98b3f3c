// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/pager.h"

#include <iterator>
#include <utility>

namespace capstan::rest {
namespace {

Expected<ObjectList> ListPage(const CallOptions& call, Client& client,
                              const runtime::ResourceType& type, const ListOptions& options) {
  ObjectList page;
  auto meta = client.List(call, type, options, [&](runtime::ObjectPtr object) {
    page.items.push_back(std::move(object));
  });
  if (!meta) return Err(std::move(meta.error()));
  page.meta = *std::move(meta);
  return page;
}

// Appends a page, whose version and continue token are those of the list from now on.
void Append(ObjectList& list, ObjectList page) {
  std::move(page.items.begin(), page.items.end(), std::back_inserter(list.items));
  auto& undecodable = list.meta.undecodable;
  std::move(undecodable.begin(), undecodable.end(),
            std::inserter(page.meta.undecodable, page.meta.undecodable.begin()));
  list.meta = std::move(page.meta);
}

}  // namespace

Expected<ObjectList> ListAll(const CallOptions& call, Client& client,
                             const runtime::ResourceType& type, ListOptions options) {
  if (options.limit == 0) options.limit = kDefaultPageSize;
  ListOptions whole = options;
  whole.limit = 0;
  whole.continue_token.clear();
  ObjectList list;
  for (;;) {
    auto page = ListPage(call, client, type, options);
    if (!page) {
      const bool is_first = options.continue_token.empty();
      if (is_first || !IsExpired(page.error())) return Err(std::move(page.error()));
      return ListPage(call, client, type, whole);
    }
    Append(list, *std::move(page));
    if (list.meta.continue_token.empty()) return list;
    options.continue_token = std::exchange(list.meta.continue_token, {});
    // The token contains the version, and a server rejects a request with both.
    options.resource_version.clear();
    options.resource_version_match.clear();
  }
}

}  // namespace capstan::rest
