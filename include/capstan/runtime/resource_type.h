// SPDX-License-Identifier: Apache-2.0
// ResourceType describes a kind for one reader: its place in the API, the paths that are kept, and
// the function that makes an Object from them.
//
// Two readers that need different fields of one kind have two ResourceTypes. Immutable after
// construction. It must outlive the clients and informers that use it, so it is normally a static.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/projection.h"

namespace capstan::runtime {

struct CAPSTAN_EXPORT GroupVersionResource {
  std::string group = {};  // empty: the core group
  std::string version = {};
  std::string resource = {};  // plural, lower case

  // Returns "v1" or "admissionregistration.k8s.io/v1", for example.
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  // Returns "/v1, Resource=pods" or "apps/v1, Resource=deployments", as in client-go's messages.
  std::string String() const { return group + "/" + version + ", Resource=" + resource; }
  friend bool operator==(const GroupVersionResource&, const GroupVersionResource&) = default;
};

struct CAPSTAN_EXPORT ResourceType {
  GroupVersionResource gvr;
  std::string kind;
  bool namespaced = false;
  // Requests PartialObjectMetadata: the server then sends no spec, status or data.
  bool metadata_only = false;
  // The paths of the object to keep. metadata.{namespace,name,uid,resourceVersion} are always kept.
  WireProjection projection;
  // Makes the object from the kept fields. Runs on the reader's thread. `meta` and `value` are only
  // valid during the call. An error drops this object and is logged; the stream continues.
  std::function<Expected<ObjectPtr>(const ObjectIdentity& meta, const JsonValue& value)> decode;

  // Returns the URL path, such as "/api/v1/namespaces/ns/secrets/name" or
  // "/apis/<group>/<version>/<resource>". `name` and `subresource` may be empty. An empty namespace
  // means all namespaces.
  std::string Path(std::string_view ns, std::string_view name = {},
                   std::string_view subresource = {}) const;
};

// Reads metadata.{namespace,name,uid,resourceVersion}. Fails with kDecode when the name is missing,
// or one of them is not a string or is longer than 4096 bytes.
CAPSTAN_EXPORT Expected<ObjectIdentity> DecodeIdentity(const JsonValue& object);

}  // namespace capstan::runtime
