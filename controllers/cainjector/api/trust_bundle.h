// SPDX-License-Identifier: Apache-2.0
// ClusterTrustBundle (certificates.k8s.io, v1 and v1beta1): its signer, its certificates as PEM,
// and its labels. Immutable and safe to read from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::cainjector {

class ClusterTrustBundle final : public runtime::Object {
 public:
  using Labels = std::map<std::string, std::string, std::less<>>;
  struct Fields {
    std::string signer_name = {};                     // empty: none
    std::shared_ptr<const std::string> trust_bundle;  // never nullptr; interned
    Labels labels = {};
  };
  // Of both versions, whose fields are the same. Prefer v1: Kubernetes before 1.37 serves v1beta1.
  static const runtime::ResourceType& TypeV1();
  static const runtime::ResourceType& TypeV1Beta1();
  ClusterTrustBundle(const runtime::ObjectIdentity& meta, Fields fields);

  const std::string& signer_name() const { return fields_.signer_name; }
  const std::string& trust_bundle() const { return *fields_.trust_bundle; }
  const Labels& labels() const { return fields_.labels; }
  // Without the trust bundle, which is shared by both versions and equal bundles.
  std::size_t ByteSize() const override;

 private:
  Fields fields_;
};

}  // namespace capstan::cainjector
