// SPDX-License-Identifier: Apache-2.0
// How a verb of the Kubernetes API becomes an HTTP request: target, headers and body, all but the
// credentials. Pure functions. Mirrors client-go's rest.Request and metadata client.
//
// kInvalidArgument: a namespace, name or subresource that a path cannot have, an object of a
// namespaced type without a namespace, or a name that is missing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// Percent-encodes all but RFC 3986's unreserved characters.
std::string QueryEscape(std::string_view text);

// The type that the answer to a write is decoded through.
const runtime::ResourceType& AnswerType(const runtime::ResourceType& type,
                                        const WriteOptions& options);

util::Expected<transport::HttpRequest> GetRequest(const runtime::ResourceType& type,
                                                  const runtime::ObjectKey& key);
util::Expected<transport::HttpRequest> ListRequest(const runtime::ResourceType& type,
                                                   const ListOptions& options);
// Its idle timeout follows options.timeout, and so does the time that its answer may take.
util::Expected<transport::HttpRequest> WatchRequest(const runtime::ResourceType& type,
                                                    const ListOptions& options);
util::Expected<transport::HttpRequest> CreateRequest(const runtime::ResourceType& type,
                                                     std::string_view ns, std::string body,
                                                     const WriteOptions& options);
util::Expected<transport::HttpRequest> UpdateRequest(const runtime::ResourceType& type,
                                                     const runtime::ObjectKey& key,
                                                     std::string body, const WriteOptions& options);
util::Expected<transport::HttpRequest> PatchRequest(const runtime::ResourceType& type,
                                                    const runtime::ObjectKey& key,
                                                    PatchType patch_type, std::string body,
                                                    const WriteOptions& options);
util::Expected<transport::HttpRequest> DeleteRequest(const runtime::ResourceType& type,
                                                     const runtime::ObjectKey& key,
                                                     const DeleteOptions& options);

}  // namespace clientgo::rest
