// SPDX-License-Identifier: Apache-2.0
// AccessAttributes is what a user wants to do: a verb on a resource or on a path. Mirrors
// k8s.io/apiserver/pkg/authorization/authorizer.Attributes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct AccessAttributes {
  UserInfo user = {};
  std::string verb = {};      // "list"; of a path: the HTTP method in lower case
  std::string path = {};      // of a non-resource request; empty: this is a resource request
  std::string group = {};     // of the API
  std::string version = {};   // of the API, or "*"; only webhooks read it
  std::string resource = {};  // "pods"
  std::string subresource = {};
  std::string namespace_ = {};  // empty: the cluster scope, or all namespaces
  std::string name = {};

  bool IsResource() const { return path.empty(); }
};

// Returns the error for a user who may not do this. `reason` is why, if it is known. Mirrors
// Forbidden in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
Status Forbidden(const AccessAttributes& attributes, std::string_view reason = {});

// Returns the text without characters that make a browser take an error for HTML.
std::string WithoutMarkup(std::string_view text);

// Returns the text of several errors: "a", or "[a, b]". Equal errors count once. Mirrors
// k8s.io/apimachinery/pkg/util/errors.Aggregate.
std::string Aggregate(const std::vector<std::string>& errors);

}  // namespace capstan::testing::apiserver
