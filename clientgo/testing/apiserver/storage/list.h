// SPDX-License-Identifier: Apache-2.0
// The LIST verb: its options with the checks of kube-apiserver, the continue token, and pages of a
// collection at a resourceVersion. WATCH shares the options.
// Mirrors k8s.io/apimachinery/pkg/apis/meta/internalversion/validation and
// k8s.io/apiserver/pkg/storage/cacher.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/storage/selectors.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct ListOptions {
  Selector selector;
  // version_number is its value: 0 for "" and "0".
  std::string resource_version;
  std::uint64_t version_number = 0;
  std::string resource_version_match;
  std::int64_t limit = 0;
  std::string continue_token;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<std::chrono::seconds> timeout;
};

Result<ListOptions> ParseListOptions(const Resource& resource, const httpserver::Request& request,
                                     bool watch, bool watch_list_enabled);

// Parses a resourceVersion. The error is the text that Go reports.
tl::expected<std::uint64_t, std::string> ParseVersion(std::string_view text);

// Reports whether a query parameter is true, as apimachinery converts booleans: not "", "0" or
// "false".
bool IsTrue(std::string_view text);

struct Page {
  std::vector<ObjectPtr> items;
  std::uint64_t resource_version = 0;
  std::string continue_token;   // empty on the last page
  std::int64_t remaining = -1;  // < 0: unknown
};

// ReadPage returns one page, or all, of a collection at the resourceVersion of the options.
Result<Page> ReadPage(const Storage& storage, const Resource& resource, std::string_view ns,
                      const ListOptions& options);
// Returns the Warning about a deprecated version, which each response has.
httpserver::Headers DeprecationHeaders(const Resource& resource);
// Returns the members of the metadata of a list.
Json ListMetadata(const Page& page);
// SendPage streams a large page, so that it is never in memory as one text. REQUIRES: not a Table.
void SendPage(const std::shared_ptr<httpserver::Exchange>& exchange, const Resource& resource,
              Page page, Form form, bool protobuf = false);

}  // namespace capstan::testing::apiserver
