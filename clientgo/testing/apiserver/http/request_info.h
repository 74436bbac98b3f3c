// SPDX-License-Identifier: Apache-2.0
// RequestInfo is the resource and verb of a request, from its method and path. Mirrors
// k8s.io/apiserver/pkg/endpoints/request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct RequestInfo {
  std::string verb = {};  // get list watch create update patch delete deletecollection
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string subresource = {};
  const Resource* resource = nullptr;  // null: unknown
};

// Returns false when the path is not a resource path.
bool ParseRequestInfo(const httpserver::Request& request, const CustomResources& resources,
                      RequestInfo& info);
// Returns the name that the request is about. A list or watch with metadata.name=<name> is about
// that name, so that RBAC's resourceNames apply. Mirrors apiserver's RequestInfoFactory.
std::string NameOf(const httpserver::Request& request, const RequestInfo& info);
// Returns what the request does, without its user.
AccessAttributes AccessTo(const httpserver::Request& request, const RequestInfo& info);
// Returns why the query has no valid timeout; nullopt: it has, or the request needs none. Watches
// have an option of their own.
std::optional<Status> FindBadTimeout(const httpserver::Request& request, const RequestInfo& info);
// Returns why this path or method is not served; nullopt: it is.
std::optional<Status> FindUnserved(const RequestInfo& info, std::string_view method);

}  // namespace capstan::testing::apiserver
