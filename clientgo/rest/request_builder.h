// SPDX-License-Identifier: Apache-2.0
// How a verb of the Kubernetes API becomes an HTTP request: target, headers and body, all but the
// credentials. Pure functions. Mirrors client-go's rest.Request and metadata client.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/rest/transport.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::rest {

// Percent-encodes all but RFC 3986's unreserved characters.
std::string QueryEscape(std::string_view text);

HttpRequest GetRequest(const runtime::ResourceType& type, const runtime::ObjectKey& key);
HttpRequest ListRequest(const runtime::ResourceType& type, const ListOptions& options);
// Its idle timeout follows options.timeout.
HttpRequest WatchRequest(const runtime::ResourceType& type, const ListOptions& options);
HttpRequest CreateRequest(const runtime::ResourceType& type, std::string_view ns, std::string body,
                          const WriteOptions& options);
HttpRequest UpdateRequest(const runtime::ResourceType& type, const runtime::ObjectKey& key,
                          std::string body, const WriteOptions& options);
HttpRequest PatchRequest(const runtime::ResourceType& type, const runtime::ObjectKey& key,
                         PatchType patch_type, std::string body, const WriteOptions& options);
HttpRequest DeleteRequest(const runtime::ResourceType& type, const runtime::ObjectKey& key,
                          const DeleteOptions& options);

}  // namespace clientgo::rest
