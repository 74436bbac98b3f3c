// SPDX-License-Identifier: Apache-2.0
// ListAll reads every page of a list. Mirrors k8s.io/client-go/tools/pager.
#pragma once

#include <cstdint>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/object.h"

namespace capstan::rest {

// The objects of a page if ListOptions::limit is 0. Mirrors pager's defaultPageSize.
inline constexpr std::int64_t kDefaultPageSize = 500;

struct CAPSTAN_EXPORT ObjectList {
  std::vector<runtime::ObjectPtr> items = {};
  // The version of the list, and all items that cannot be decoded.
  runtime::ListMeta meta = {};
};

// Reads all pages, from options.continue_token on, with options.limit objects in each. If the
// continue token expires after the first page, the whole list is read again in one response, at the
// requested version, as client-go's pager does with FullListIfExpired. Then the pages before are
// dropped, so the items are always those of one version. The deadline of `call` is for all pages
// together. Thread-safe.
CAPSTAN_EXPORT Expected<ObjectList> ListAll(const CallOptions& call, Client& client,
                                            const runtime::ResourceType& type,
                                            ListOptions options = {});

}  // namespace capstan::rest
