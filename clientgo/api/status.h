// SPDX-License-Identifier: Apache-2.0
// Status is what the API server answers to a write whose answer is no object, such as an eviction
// or a binding. The client returns a Status of failure as an Error, so one that is decoded means
// success. Mirrors metav1.Status.
#pragma once

#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class Status final : public runtime::Object {
 public:
  // For rest::WriteOptions::answer_type only: a Status cannot be read, listed or written.
  static const runtime::ResourceType& Type();

  Status() : Object({}) {}
};

}  // namespace clientgo::api
