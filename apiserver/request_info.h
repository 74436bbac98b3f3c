// SPDX-License-Identifier: Apache-2.0
// RequestInfo: what a request asks for, read off its method and path; and what form of answer its
// Accept header takes. Pure functions.
// Mirrors k8s.io/apiserver/pkg/endpoints/request and handlers/negotiation.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/object.h"
#include "apiserver/resources.h"
#include "apiserver/status.h"
#include "httpserver/server.h"

namespace apiserver {

struct RequestInfo {
  std::string verb = {};  // get list watch create update patch delete deletecollection
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string namespace_ = {};
  std::string name = {};
  std::string subresource = {};
  const Resource* resource = nullptr;  // null: not in the table
};

// False when the path is not one of a resource.
bool ParseRequestInfo(const httpserver::Request& request, RequestInfo& info);

enum class Answering { kObject, kList, kWatch };
// The first form in the Accept header that this server knows.
Result<Form> NegotiateForm(std::string_view accept, const Resource& resource, Answering answering);

// Of a query parameter: whatever is not "0" or "false", as apimachinery's conversion of booleans.
bool IsTrue(std::string_view text);

}  // namespace apiserver
