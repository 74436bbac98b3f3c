// SPDX-License-Identifier: Apache-2.0
// The forms in which kube-apiserver shows objects. Mirrors the transforms of
// k8s.io/apiserver/pkg/endpoints/handlers/response.go.
#pragma once

#include <string_view>

namespace capstan::testing::apiserver {

// Form is how a client requests objects: whole, as PartialObjectMetadata, or as a Table
// (printers/table.h).
class Form {
 public:
  enum Shape { kFull, kMetadata, kTable };

  // `beta` selects meta.k8s.io/v1beta1 instead of v1 for kMetadata and kTable.
  Form(Shape shape, bool beta = false) : shape_(shape), beta_(beta) {}
  bool operator==(Shape shape) const { return shape_ == shape; }
  std::string_view ApiVersion() const { return beta_ ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1"; }

 private:
  Shape shape_;
  bool beta_;
};

}  // namespace capstan::testing::apiserver
