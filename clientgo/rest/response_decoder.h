// SPDX-License-Identifier: Apache-2.0
// From the bytes of a 2xx response to objects, while they stream in. Each function reads the body
// to its end, so that the connection can be used again. Mirrors client-go's Result.Into and
// StreamWatcher; differs in never holding a whole response.
#pragma once

#include <functional>
#include <memory>

#include "clientgo/rest/client.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

util::Expected<runtime::ObjectPtr> ReadObject(const runtime::ResourceType& type,
                                              transport::HttpResponse& response);
// An item that the type cannot decode is logged, and named in ListMeta::undecodable instead.
util::Expected<runtime::ListMeta> ReadList(const runtime::ResourceType& type,
                                           transport::HttpResponse& response,
                                           const std::function<void(runtime::ObjectPtr)>& on_item);
std::unique_ptr<Watcher> NewWatcher(const runtime::ResourceType& type,
                                    std::unique_ptr<transport::HttpResponse> response);
util::Expected<void> DiscardBody(transport::HttpResponse& response);

}  // namespace clientgo::rest
