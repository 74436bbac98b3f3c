// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::meta::v1 {

// ShardInfo describes the shard selector that was applied to produce a list response. Its presence
// on a list response indicates the list is a filtered subset.
struct CAPSTAN_EXPORT ShardInfo {
  // selector is the shard selector string from the request, echoed back so clients can verify which
  // shard they received and merge responses from multiple shards.
  std::string selector = {};
};
CAPSTAN_EXPORT bool operator==(const ShardInfo& a, const ShardInfo& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ShardInfo*);

// ListMeta describes metadata that synthetic resources must have, including lists and various
// status objects. A resource may have only one of {ObjectMeta, ListMeta}.
struct CAPSTAN_EXPORT ListMeta {
  // Deprecated: selfLink is a legacy read-only field that is no longer populated by the system.
  std::string self_link = {};
  // String that identifies the server's internal version of this object that can be used by clients
  // to determine when objects have changed. Value must be treated as opaque by clients and passed
  // unmodified back to the server. Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#concurrency-control-and-consistency
  std::string resource_version = {};
  // continue may be set if the user set a limit on the number of items returned, and indicates that
  // the server has more data available. The value is opaque and may be used to issue another
  // request to the endpoint that served this list to retrieve the next set of available objects.
  // Continuing a consistent list may not be possible if the server configuration has changed or
  // more than a few minutes have passed. The resourceVersion field returned when using this
  // continue value will be identical to the value in the first response, unless you have received
  // this token from an error message.
  std::string continue_ = {};
  // remainingItemCount is the number of subsequent items in the list which are not included in this
  // list response. If the list request contained label or field selectors, then the number of
  // remaining items is unknown and the field will be left unset and omitted during serialization.
  // If the list is complete (either because it is not chunking or because this is the last chunk),
  // then there are no more remaining items and this field will be left unset and omitted during
  // serialization. Servers older than v1.15 do not set this field. The intended use of the
  // remainingItemCount is *estimating* the size of a collection. Clients should not rely on the
  // remainingItemCount to be set or to be exact.
  std::optional<std::int64_t> remaining_item_count = {};
  // shardInfo is set when the list is a filtered subset of the full collection, as selected by a
  // shard selector on the request. It echoes back the selector so clients can verify which shard
  // they received and merge sharded responses. Clients should not cache sharded list responses as a
  // full representation of the collection.
  // This is an alpha field and requires enabling the ShardedListAndWatch feature gate.
  Boxed<ShardInfo> shard_info = {};
};
CAPSTAN_EXPORT bool operator==(const ListMeta& a, const ListMeta& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ListMeta*);

// CauseType is a machine readable value providing more detail about what occurred in a status
// response. An operation may have multiple causes for a status (whether Failure or Success).
// CauseTypeFieldValueNotFound is used to report failure to find a requested value (e.g. looking up
// an ID).
inline constexpr std::string_view kCauseTypeFieldValueNotFound = "FieldValueNotFound";
// CauseTypeFieldValueRequired is used to report required values that are not provided (e.g. empty
// strings, null values, or empty arrays).
inline constexpr std::string_view kCauseTypeFieldValueRequired = "FieldValueRequired";
// CauseTypeFieldValueDuplicate is used to report collisions of values that must be unique (e.g.
// unique IDs).
inline constexpr std::string_view kCauseTypeFieldValueDuplicate = "FieldValueDuplicate";
// CauseTypeFieldValueInvalid is used to report malformed values (e.g. failed regex match).
inline constexpr std::string_view kCauseTypeFieldValueInvalid = "FieldValueInvalid";
// CauseTypeFieldValueNotSupported is used to report valid (as per formatting rules) values that can
// not be handled (e.g. an enumerated string).
inline constexpr std::string_view kCauseTypeFieldValueNotSupported = "FieldValueNotSupported";
// CauseTypeForbidden is used to report valid (as per formatting rules) values which would be
// accepted under some conditions, but which are not permitted by the current conditions (such as
// security policy).  See Forbidden().
inline constexpr std::string_view kCauseTypeForbidden = "FieldValueForbidden";
// CauseTypeTooLong is used to report that the given value is too long. This is similar to
// ErrorTypeInvalid, but the error will not include the too-long value.  See TooLong().
inline constexpr std::string_view kCauseTypeTooLong = "FieldValueTooLong";
// CauseTypeTooMany is used to report "too many". This is used to report that a given list has too
// many items. This is similar to FieldValueTooLong, but the error indicates quantity instead of
// length.
inline constexpr std::string_view kCauseTypeTooMany = "FieldValueTooMany";
// CauseTypeInternal is used to report other errors that are not related to user input.  See
// InternalError().
inline constexpr std::string_view kCauseTypeInternal = "InternalError";
// CauseTypeTypeInvalid is for the value did not match the schema type for that field
inline constexpr std::string_view kCauseTypeTypeInvalid = "FieldValueTypeInvalid";
// CauseTypeUnexpectedServerResponse is used to report when the server responded to the client
// without the expected return type. The presence of this cause indicates the error may be due to an
// intervening proxy or the server software malfunctioning.
inline constexpr std::string_view kCauseTypeUnexpectedServerResponse = "UnexpectedServerResponse";
// FieldManagerConflict is used to report when another client claims to manage this field, It should
// only be returned for a request using server-side apply.
inline constexpr std::string_view kCauseTypeFieldManagerConflict = "FieldManagerConflict";
// CauseTypeResourceVersionTooLarge is used to report that the requested resource version is newer
// than the data observed by the API server, so the request cannot be served.
inline constexpr std::string_view kCauseTypeResourceVersionTooLarge = "ResourceVersionTooLarge";

// StatusCause provides more information about an api.Status failure, including cases when multiple
// errors are encountered.
struct CAPSTAN_EXPORT StatusCause {
  // A machine-readable description of the cause of the error. If this value is empty there is no
  // information available.
  std::string reason = {};
  // A human-readable description of the cause of the error.  This field may be presented as-is to a
  // reader.
  std::string message = {};
  // The field of the resource that has caused this error, as named by its JSON serialization. May
  // include dot and postfix notation for nested attributes. Arrays are zero-indexed.  Fields may
  // appear more than once in an array of causes due to fields having multiple errors. Optional.
  // Examples:
  // "name" - the field "name" on the current resource
  // "items[0].name" - the field "name" on the first array entry in "items"
  std::string field = {};
};
CAPSTAN_EXPORT bool operator==(const StatusCause& a, const StatusCause& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatusCause*);

// StatusDetails is a set of additional properties that MAY be set by the server to provide
// additional information about a response. The Reason field of a Status object defines what
// attributes will be set. Clients must ignore fields that do not match the defined type of each
// attribute, and should assume that any attribute may be empty, invalid, or under defined.
struct CAPSTAN_EXPORT StatusDetails {
  // The name attribute of the resource associated with the status StatusReason (when there is a
  // single name which can be described).
  std::string name = {};
  // The group attribute of the resource associated with the status StatusReason.
  std::string group = {};
  // The kind attribute of the resource associated with the status StatusReason. On some operations
  // may differ from the requested resource Kind. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
  std::string kind = {};
  // UID of the resource. (when there is a single resource which can be described). More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/names#uids
  std::string uid = {};
  // The Causes array includes more details associated with the StatusReason failure. Not all
  // StatusReasons may provide detailed causes.
  List<StatusCause> causes = {};
  // If specified, the time in seconds before the operation should be retried. Some errors may
  // indicate the client must take an alternate action - for those errors this field may indicate
  // how long to wait before taking the alternate action.
  std::int32_t retry_after_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const StatusDetails& a, const StatusDetails& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const StatusDetails*);

// StatusReasonUnknown means the server has declined to indicate a specific reason. The details
// field may contain other information about this error. Status code 500.
inline constexpr std::string_view kStatusReasonUnknown = "";
// StatusReasonUnauthorized means the server can be reached and understood the request, but requires
// the user to present appropriate authorization credentials (identified by the WWW-Authenticate
// header) in order for the action to be completed. If the user has specified credentials on the
// request, the server considers them insufficient. Status code 401
inline constexpr std::string_view kStatusReasonUnauthorized = "Unauthorized";
// StatusReasonForbidden means the server can be reached and understood the request, but refuses to
// take any further action.  It is the result of the server being configured to deny access for some
// reason to the requested resource by the client. Details (optional):
// "kind" string - the kind attribute of the forbidden resource
// on some operations may differ from the requested
// resource.
// "id"   string - the identifier of the forbidden resource Status code 403
inline constexpr std::string_view kStatusReasonForbidden = "Forbidden";
// StatusReasonNotFound means one or more resources required for this operation could not be found.
// Details (optional):
// "kind" string - the kind attribute of the missing resource
// on some operations may differ from the requested
// resource.
// "id"   string - the identifier of the missing resource Status code 404
inline constexpr std::string_view kStatusReasonNotFound = "NotFound";
// StatusReasonAlreadyExists means the resource you are creating already exists. Details (optional):
// "kind" string - the kind attribute of the conflicting resource
// "id"   string - the identifier of the conflicting resource Status code 409
inline constexpr std::string_view kStatusReasonAlreadyExists = "AlreadyExists";
// StatusReasonConflict means the requested operation cannot be completed due to a conflict in the
// operation. The client may need to alter the request. Each resource may define custom details that
// indicate the nature of the conflict. Status code 409
inline constexpr std::string_view kStatusReasonConflict = "Conflict";
// StatusReasonGone means the item is no longer available at the server and no forwarding address is
// known. Status code 410
inline constexpr std::string_view kStatusReasonGone = "Gone";
// StatusReasonInvalid means the requested create or update operation cannot be completed due to
// invalid data provided as part of the request. The client may need to alter the request. When set,
// the client may use the StatusDetails message field as a summary of the issues encountered.
// Details (optional):
// "kind" string - the kind attribute of the invalid resource
// "id"   string - the identifier of the invalid resource
// "causes"      - one or more StatusCause entries indicating the data in the
// provided resource that was invalid.  The code, message, and
// field attributes will be set. Status code 422
inline constexpr std::string_view kStatusReasonInvalid = "Invalid";
// StatusReasonServerTimeout means the server can be reached and understood the request, but cannot
// complete the action in a reasonable time. The client should retry the request. This is may be due
// to temporary server load or a transient communication issue with another server. Status code 500
// is used because the HTTP spec provides no suitable server-requested client retry and the 5xx
// class represents actionable errors. Details (optional):
// "kind" string - the kind attribute of the resource being acted on.
// "id"   string - the operation that is being attempted.
// "retryAfterSeconds" int32 - the number of seconds before the operation should be retried Status
// code 500
inline constexpr std::string_view kStatusReasonServerTimeout = "ServerTimeout";
// StatusReasonStoreReadError means that the server encountered an error while retrieving resources
// from the backend object store. This may be due to backend database error, or because processing
// of the read resource failed. Details:
// "kind" string - the kind attribute of the resource being acted on.
// "name" string - the prefix where the reading error(s) occurred
// "causes" []StatusCause
// - (optional):
// - "type" CauseType - CauseTypeUnexpectedServerResponse
// - "message" string - the error message from the store backend
// - "field" string - the full path with the key of the resource that failed reading
// Status code 500
inline constexpr std::string_view kStatusReasonStoreReadError = "StorageReadError";
// StatusReasonTimeout means that the request could not be completed within the given time. Clients
// can get this response only when they specified a timeout param in the request, or if the server
// cannot complete the operation within a reasonable amount of time. The request might succeed with
// an increased value of timeout param. The client *should* wait at least the number of seconds
// specified by the retryAfterSeconds field. Details (optional):
// "retryAfterSeconds" int32 - the number of seconds before the operation should be retried Status
// code 504
inline constexpr std::string_view kStatusReasonTimeout = "Timeout";
// StatusReasonTooManyRequests means the server experienced too many requests within a given window
// and that the client must wait to perform the action again. A client may always retry the request
// that led to this error, although the client should wait at least the number of seconds specified
// by the retryAfterSeconds field. Details (optional):
// "retryAfterSeconds" int32 - the number of seconds before the operation should be retried Status
// code 429
inline constexpr std::string_view kStatusReasonTooManyRequests = "TooManyRequests";
// StatusReasonBadRequest means that the request itself was invalid, because the request doesn't
// make any sense, for example deleting a read-only object.  This is different than
// StatusReasonInvalid above which indicates that the API call could possibly succeed, but the data
// was invalid.  API calls that return BadRequest can never succeed. Status code 400
inline constexpr std::string_view kStatusReasonBadRequest = "BadRequest";
// StatusReasonMethodNotAllowed means that the action the client attempted to perform on the
// resource was not supported by the code - for instance, attempting to delete a resource that can
// only be created. API calls that return MethodNotAllowed can never succeed. Status code 405
inline constexpr std::string_view kStatusReasonMethodNotAllowed = "MethodNotAllowed";
// StatusReasonNotAcceptable means that the accept types indicated by the client were not acceptable
// to the server - for instance, attempting to receive protobuf for a resource that supports only
// json and yaml. API calls that return NotAcceptable can never succeed. Status code 406
inline constexpr std::string_view kStatusReasonNotAcceptable = "NotAcceptable";
// StatusReasonRequestEntityTooLarge means that the request entity is too large. Status code 413
inline constexpr std::string_view kStatusReasonRequestEntityTooLarge = "RequestEntityTooLarge";
// StatusReasonUnsupportedMediaType means that the content type sent by the client is not acceptable
// to the server - for instance, attempting to send protobuf for a resource that supports only json
// and yaml. API calls that return UnsupportedMediaType can never succeed. Status code 415
inline constexpr std::string_view kStatusReasonUnsupportedMediaType = "UnsupportedMediaType";
// StatusReasonInternalError indicates that an internal error occurred, it is unexpected and the
// outcome of the call is unknown. Details (optional):
// "causes" - The original error Status code 500
inline constexpr std::string_view kStatusReasonInternalError = "InternalError";
// StatusReasonExpired indicates that the request is invalid because the content you are requesting
// has expired and is no longer available. It is typically associated with watches that can't be
// serviced. Status code 410 (gone)
inline constexpr std::string_view kStatusReasonExpired = "Expired";
// StatusReasonServiceUnavailable means that the request itself was valid, but the requested service
// is unavailable at this time. Retrying the request after some time might succeed. Status code 503
inline constexpr std::string_view kStatusReasonServiceUnavailable = "ServiceUnavailable";

// Status is a return value for calls that don't return other objects.
struct CAPSTAN_EXPORT Status {
  // Standard list metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
  ListMeta metadata = {};
  // Status of the operation. One of: "Success" or "Failure". More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  std::string status = {};
  // A human-readable description of the status of this operation.
  std::string message = {};
  // A machine-readable description of why this operation is in the "Failure" status. If this value
  // is empty there is no information available. A Reason clarifies an HTTP status code but does not
  // override it.
  std::string reason = {};
  // Extended data associated with the reason.  Each reason may define its own extended details.
  // This field is optional and the data returned is not guaranteed to conform to any schema except
  // that defined by the reason type.
  Boxed<StatusDetails> details = {};
  // Suggested HTTP return code for this status, 0 if not set.
  std::int32_t code = {};
};
CAPSTAN_EXPORT bool operator==(const Status& a, const Status& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Status*);

}  // namespace capstan::api::meta::v1

extern template class capstan::Boxed<capstan::api::meta::v1::ShardInfo>;
extern template class capstan::List<capstan::api::meta::v1::StatusCause>;
extern template class capstan::Boxed<capstan::api::meta::v1::StatusDetails>;
