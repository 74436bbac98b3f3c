// SPDX-License-Identifier: Apache-2.0
// Status: a metav1.Status of a refused request, with the texts of the real API server (1.34), since
// clients and people match on them. Pure data. Mirrors k8s.io/apimachinery/pkg/api/errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/resources.h"
#include "clientgo/util/error.h"

namespace apiserver {

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
  std::optional<int> retry_after = {};  // seconds
  std::string continue_token = {};      // in its metadata

  std::string ToJson() const;
};

template <class T>
using Result = tl::expected<T, Status>;

Status NotFound(const Resource& resource, std::string_view name);
Status PathNotFound();  // a resource that nobody serves
Status AlreadyExists(const Resource& resource, std::string_view name);
Status Conflict(const Resource& resource, std::string_view name, std::string_view cause);
Status ObjectModified(const Resource& resource, std::string_view name);
Status BadRequest(std::string message);
// An object that Go cannot decode.
Status CannotBeHandled(const Resource& resource, const std::string& why);
// The object's name is not the one in the URL.
Status WrongName(std::string_view name, std::string_view url_name);
Status Invalid(const Resource& resource, std::string_view name, std::vector<Cause> causes);
// A PUT without resourceVersion of a kind that requires one.
Status VersionRequired(const Resource& resource, std::string_view name);
// A patch whose outcome, `object`, cannot be decoded.
Status InvalidPatch(std::string_view object, const std::string& why);
// Of the options of a request: "ListOptions", "PatchOptions".
Status InvalidOptions(std::string_view kind, std::vector<Cause> causes);
Status TooLarge(std::size_t bytes_max);  // the request's body
Status Unauthorized();
Status Forbidden(const Resource& resource, std::string_view name, std::string_view ns,
                 std::string_view user, std::string_view verb);
// What is no resource: "/apis".
Status ForbiddenPath(std::string_view path, std::string_view user, std::string_view verb);
Status MethodNotAllowed();
Status UnsupportedMediaType();
Status NotAcceptable(std::string message);
Status TooLargeResourceVersion(std::uint64_t wanted, std::uint64_t current);
Status Expired(std::string message);
Status InternalError(std::string message);

Cause Required(std::string field, std::string_view detail);
Cause InvalidValue(std::string field, std::string_view value, std::string_view detail);
Cause ForbiddenField(std::string field, std::string_view detail);
// `supported` as in the text: "\"Exact\", \"NotOlderThan\"".
Cause NotSupported(std::string field, std::string_view value, std::string_view supported);

}  // namespace apiserver
