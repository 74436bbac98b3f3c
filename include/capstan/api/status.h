// SPDX-License-Identifier: Apache-2.0
// Status is the API server's response to a write that returns no object, such as an eviction or a
// binding. The client returns a failure as an Error, so a decoded Status means success. Mirrors
// metav1.Status.
#pragma once

#include "capstan/export.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::api {

class CAPSTAN_EXPORT Status final : public runtime::Object {
 public:
  // For rest::WriteOptions::answer_type only: a Status cannot be read, listed or written.
  static const runtime::ResourceType& Type() {
    static const runtime::ResourceType type = {
        .gvr = {"", "v1", ""},
        .kind = "Status",
        .projection = {{"kind"}},
        .decode = [](const runtime::ObjectIdentity& meta, const runtime::JsonValue&)
            -> Expected<runtime::ObjectPtr> { return runtime::MakeObject<Status>(meta); }};
    return type;
  }

  explicit Status(const runtime::ObjectIdentity& meta) : Object(meta) {}
};

}  // namespace capstan::api
