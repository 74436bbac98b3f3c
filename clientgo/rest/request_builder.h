// SPDX-License-Identifier: Apache-2.0
// Builds the HTTP request for each verb of the Kubernetes API: the target, headers and body,
// without credentials. Pure functions. Mirrors client-go's rest.Request and metadata client.
//
// These functions fail with kInvalidArgument for a namespace, name or subresource that a path
// cannot contain, for an object of a namespaced type without a namespace, and for a missing name.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/transport/http_transport.h"

namespace capstan::rest {

// Percent-encodes all characters except RFC 3986's unreserved ones.
std::string QueryEscape(std::string_view text);

// Returns the type that decodes the response to a Get or a write.
template <class Options>
const runtime::ResourceType& AnswerType(const runtime::ResourceType& type, const Options& options) {
  return options.answer_type != nullptr ? *options.answer_type : type;
}

Expected<transport::HttpRequest> GetRequest(const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key,
                                            const GetOptions& options,
                                            ContentType content_type = ContentType::kJson);
Expected<transport::HttpRequest> ListRequest(const runtime::ResourceType& type,
                                             const ListOptions& options,
                                             ContentType content_type = ContentType::kJson);
// The idle timeout and the answer timeout depend on options.timeout.
Expected<transport::HttpRequest> WatchRequest(const runtime::ResourceType& type,
                                              const ListOptions& options,
                                              ContentType content_type = ContentType::kJson);
Expected<transport::HttpRequest> CreateRequest(const runtime::ResourceType& type,
                                               std::string_view ns, std::string body,
                                               const WriteOptions& options);
Expected<transport::HttpRequest> UpdateRequest(const runtime::ResourceType& type,
                                               const runtime::ObjectKey& key, std::string body,
                                               const WriteOptions& options);
Expected<transport::HttpRequest> PatchRequest(const runtime::ResourceType& type,
                                              const runtime::ObjectKey& key, PatchType patch_type,
                                              std::string body, const WriteOptions& options);
Expected<transport::HttpRequest> DeleteRequest(const runtime::ResourceType& type,
                                               const runtime::ObjectKey& key,
                                               const DeleteOptions& options);
Expected<transport::HttpRequest> DeleteCollectionRequest(const runtime::ResourceType& type,
                                                         const ListOptions& list,
                                                         const DeleteOptions& options);
Expected<transport::HttpRequest> EvictRequest(const runtime::ObjectKey& pod,
                                              const DeleteOptions& options);
Expected<transport::HttpRequest> BindRequest(const runtime::ObjectKey& pod, std::string_view node,
                                             std::string_view uid);

}  // namespace capstan::rest
