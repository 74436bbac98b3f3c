// SPDX-License-Identifier: Apache-2.0
// VolumeProtection removes the finalizer of a deleted PersistentVolumeClaim that no Pod uses, and
// of a deleted PersistentVolume that is not bound. Mirrors
// k8s.io/kubernetes/pkg/controller/volume/{pvcprotection,pvprotection}.
#pragma once

#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/object_queue.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

class VolumeProtection {
 public:
  VolumeProtection(const Storage& storage, Registry& registry, ObjectQueue::Post post);

  // Called after every change.
  void Observe(const Resource& resource, const Event& event);
  // Continues with what was observed while the server's thread did not run.
  void Start() { queue_.Start(); }

 private:
  void Process(const ObjectQueue::Item& item);
  bool IsUsed(const ObjectQueue::Item& item, const runtime::JsonValue& object) const;

  const Storage& storage_;
  Registry& registry_;
  const Resource& claims_;
  const Resource& volumes_;
  const Resource& pods_;
  ObjectQueue queue_;
};

}  // namespace capstan::testing::apiserver
