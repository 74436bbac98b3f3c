// SPDX-License-Identifier: Apache-2.0
// VolumeProtection removes the finalizer of a deleted PersistentVolumeClaim that no Pod uses, and
// of a deleted PersistentVolume that is not bound. Mirrors
// k8s.io/kubernetes/pkg/controller/volume/{pvcprotection,pvprotection}.
#pragma once

#include "clientgo/testing/apiserver/registry/controller.h"

namespace capstan::testing::apiserver {

class VolumeProtection : public Controller {
 public:
  explicit VolumeProtection(const Server& server);

  void Observe(const Resource& resource, const Event& event) override;

 private:
  void Process(const Item& item) override;
  bool IsUsed(const Item& item, const runtime::JsonValue& object) const;

  const Resource& claims_;
  const Resource& volumes_;
  const Resource& pods_;
};

}  // namespace capstan::testing::apiserver
