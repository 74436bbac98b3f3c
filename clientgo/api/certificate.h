// SPDX-License-Identifier: Apache-2.0
// Certificate (cert-manager.io/v1): the name of the Secret that it is kept in, and nothing else.
// Immutable; safe to read from any thread.
#pragma once

#include <string>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class Certificate final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();
  Certificate(const runtime::ObjectMeta& meta, std::string secret_name);

  const std::string& secret_name() const { return secret_name_; }  // spec.secretName
  runtime::ObjectKey Secret() const { return {std::string(namespace_()), secret_name_}; }
  std::size_t ByteSize() const override {
    return sizeof *this + TextSize() + secret_name_.capacity();
  }

 private:
  std::string secret_name_;
};

}  // namespace clientgo::api
