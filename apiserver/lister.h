// SPDX-License-Identifier: Apache-2.0
// List: one page, or all, of a collection as of a resourceVersion, sent as the client takes it: a
// list of 100 MB is never in memory as one text. Runs on the server's thread.
// Mirrors the LIST half of k8s.io/apiserver/pkg/storage/cacher.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/list_options.h"
#include "apiserver/object.h"
#include "apiserver/storage.h"
#include "httpserver/server.h"

namespace apiserver {

struct Page {
  std::vector<ObjectPtr> items;
  std::uint64_t resource_version = 0;
  std::string continue_token;   // empty: the last page
  std::int64_t remaining = -1;  // < 0: not known
};

Result<Page> ReadPage(const Storage& storage, const Resource& resource, std::string_view ns,
                      const ListOptions& options);
void SendPage(const std::shared_ptr<httpserver::Exchange>& exchange, const Resource& resource,
              Page page, Form form);

}  // namespace apiserver
