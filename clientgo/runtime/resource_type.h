// SPDX-License-Identifier: Apache-2.0
// ResourceType: all that the client needs to know about one kind as one reader sees it: where it
// lives in the API, which paths survive the prefilter, and how what survives becomes an Object.
//
// Two readers that need different fields of one kind have two ResourceTypes. Immutable after
// construction; a ResourceType outlives the clients and informers that use it (normally a static).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "clientgo/runtime/json_value.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/projection.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

struct GroupVersionResource {
  std::string group;  // empty: the core group
  std::string version;
  std::string resource;  // plural, lower case

  // "v1" or "admissionregistration.k8s.io/v1".
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  friend bool operator==(const GroupVersionResource&, const GroupVersionResource&) = default;
};

struct ResourceType {
  GroupVersionResource gvr;
  std::string kind;
  bool namespaced = false;
  // Ask the server for PartialObjectMetadata: it then sends no spec, status or data at all.
  bool metadata_only = false;
  // Paths of the object. metadata.{namespace,name,uid,resourceVersion} are always kept.
  WireProjection projection;
  // Makes the object from what is left of it. Runs on the reader's thread; `meta` and `value` are
  // views that die with the call. An error drops this object with a log line; the stream goes on.
  std::function<util::Expected<ObjectPtr>(const ObjectMeta& meta, const JsonValue& value)> decode;

  // "/api/v1/namespaces/ns/secrets/name", "/apis/<group>/<version>/<resource>", ...
  // Name and subresource may be empty; a namespaced type with an empty namespace means all of them.
  std::string Path(std::string_view ns, std::string_view name = {},
                   std::string_view subresource = {}) const;
};

// Reads metadata.{namespace,name,uid,resourceVersion}; kDecode when the name is missing, or one
// of them is no string or longer than 4096 bytes.
util::Expected<ObjectMeta> DecodeMeta(const JsonValue& object);

}  // namespace clientgo::runtime
