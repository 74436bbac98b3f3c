// SPDX-License-Identifier: Apache-2.0
// The subresources with a kind of their own: scale of workloads, and eviction and binding of Pods.
// They do not depend on HTTP. Mirrors k8s.io/kubernetes/pkg/registry/{apps,core/pod}/storage.
//
// A manager that scales to 0 does not own the replicas, because Go's Scale omits 0. The Scale
// of a custom kind cannot be applied: kube-apiserver fails to convert it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Parses a body that must have this kind and apiVersion, if it has any.
Result<std::unique_ptr<runtime::JsonDocument>> ParseSubresource(std::string_view body,
                                                                std::string_view api_version,
                                                                std::string_view kind);

// Returns the autoscaling/v1 Scale of an object. Missing replicas are 0.
Json ScaleJson(const Resource& resource, const runtime::JsonValue& object);
// Returns why an object has no Scale to read: its custom kind has replicas, and it does not.
std::optional<Status> FindNoReplicas(const Resource& resource, const runtime::JsonValue& object);
// Return the Scale in the body of an update, and the result of patching the one of `live`. It has
// its managers.
Result<std::unique_ptr<runtime::JsonDocument>> UpdateScale(const WriteRequest& request,
                                                           const runtime::JsonValue& live,
                                                           std::string_view body);
Result<std::unique_ptr<runtime::JsonDocument>> PatchScale(const WriteRequest& request,
                                                          const runtime::JsonValue& live,
                                                          PatchKind kind, std::string_view body);
// Calls the webhooks with the new Scale, before it replaces the Scale of `live`.
Result<void> AdmitScale(const WriteRequest& request, const runtime::JsonValue& live,
                        runtime::JsonDocument& scale);
// Returns the body of a merge patch of the object `live`, which sets the replicas of the Scale and
// their managers. It has the preconditions of the Scale.
Result<std::string> PatchFromScale(const WriteRequest& request, const runtime::JsonValue& live,
                                   const runtime::JsonValue& scale, bool update);

// Returns the JSON of the options of the deletion that an Eviction of request.name requests.
Result<std::string> OptionsFromEviction(const WriteRequest& request, std::string_view body);
// Returns the body of a merge patch that assigns the Pod `live` to the Node of a Binding.
Result<std::string> PatchFromBinding(const WriteRequest& request, const runtime::JsonValue& live,
                                     std::string_view body);

}  // namespace capstan::testing::apiserver
