// SPDX-License-Identifier: Apache-2.0
// Status is the metav1.Status of a rejected request. Its texts are those of kube-apiserver 1.34,
// because clients match on them. Mirrors k8s.io/apimachinery/pkg/api/errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct Cause {
  std::string reason;  // "FieldValueRequired"
  std::string message;
  std::string field;
};

struct Status {
  int code = 500;
  std::string reason = {};
  std::string message = {};
  bool has_details = false;
  std::string name = {};
  std::string group = {};
  std::string kind = {};
  std::vector<Cause> causes = {};
  std::optional<int> retry_after = {};     // seconds
  std::string continue_token = {};         // in the metadata
  std::vector<std::string> warnings = {};  // of the fields of a rejected object, for the headers

  Json ToJson() const;
};

template <class T>
using Result = tl::expected<T, Status>;

Status NotFound(const Resource& resource, std::string_view name);
Status PathNotFound();  // an unknown resource
Status AlreadyExists(const Resource& resource, std::string_view name);
Status Conflict(const Resource& resource, std::string_view name, std::string_view cause);
Status BadRequest(std::string message);
// For an object whose name is not the name in the URL.
Status WrongName(std::string_view name, std::string_view url_name);
Status NoName(std::string_view url_name);
Status Invalid(const Resource& resource, std::string_view name, std::vector<Cause> causes);
// For a PUT without resourceVersion of a kind that requires it.
Status VersionRequired(const Resource& resource, std::string_view name);
// For a patch whose result `object` cannot be decoded.
Status InvalidPatch(std::string_view object, const std::string& why);
// For the options of a request. `kind` is "ListOptions", "PatchOptions", ...
Status InvalidOptions(std::string_view kind, std::vector<Cause> causes);
Status Unauthorized();
// For an authorizer or an admission plugin that forbids the request.
Status ForbiddenBecause(const Resource& resource, std::string_view name, std::string_view why);
// For a create in a namespace that is being deleted.
Status NamespaceTerminating(const Resource& resource, std::string_view name, std::string_view ns);
// For a non-resource path such as "/apis".
Status ForbiddenPath(std::string_view why);
Status MethodNotAllowed();
Status UnsupportedMediaType();
Status NotAcceptable(std::string message);
Status TooLargeResourceVersion(std::uint64_t wanted, std::uint64_t current);
Status Expired(std::string message);
Status InternalError(std::string message);
// Returns Go's apierrors.NewInternalError.
Status InternalErrorOccurred(const std::string& what);

Cause Required(std::string field, std::string_view detail);
Cause InvalidValue(std::string field, std::string_view value, std::string_view detail);
Cause ForbiddenField(std::string field, std::string_view detail);
// `supported` is a list of quoted values: "\"Exact\", \"NotOlderThan\"".
Cause NotSupported(std::string field, std::string_view value, std::string_view supported);

}  // namespace capstan::testing::apiserver
