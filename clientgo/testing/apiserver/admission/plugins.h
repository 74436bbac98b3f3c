// SPDX-License-Identifier: Apache-2.0
// The admission plugins of kube-apiserver that are on by default and change or reject objects of
// users: LimitRanger, DefaultTolerationSeconds, Priority, RuntimeClass, TaintNodesByCondition,
// StorageObjectInUseProtection, DefaultStorageClass and DefaultIngressClass; ResourceQuota is in
// quota.h. They do not run for objects that Server::CreateObjects makes. Mirrors
// k8s.io/kubernetes/plugin/pkg/admission. Not there: ServiceAccount, which envtest turns off, too.
#pragma once

#include <optional>
#include <string_view>

#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct PluginRequest {
  const Storage& storage;
  const Resource& resource;
  std::string_view subresource = {};
  std::string_view namespace_ = {};
  const runtime::JsonValue* live = nullptr;  // null for a create
  const UserInfo* user = nullptr;            // who makes the request, if that is known
  bool in_process = false;
  bool dry_run = false;
};

// Return why a plugin rejects the object; nullopt: none does. The mutating ones run before the
// webhooks.
std::optional<Status> RunMutatingPlugins(const PluginRequest& request, runtime::JsonDocument& next);
// Allocates what a Service needs. It is no plugin: a kube-apiserver does it behind the mutating
// webhooks and before the validation.
std::optional<Status> BeginWrite(const PluginRequest& request, runtime::JsonDocument& next);
std::optional<Status> RunValidatingPlugins(const PluginRequest& request,
                                           const runtime::JsonDocument& next);

}  // namespace capstan::testing::apiserver
