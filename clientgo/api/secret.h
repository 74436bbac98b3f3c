// SPDX-License-Identifier: Apache-2.0
// Secret (core/v1): one key of its data, decoded, and a few annotations. The other keys are dropped
// on the wire, so a private key beside the wanted value is never in our memory as a value.
//
// The decoded bytes are overwritten when the object dies; do not copy them further than needed and
// never log them. Immutable; safe to read from any thread. For a cache of Secrets use
// MakeMetadataType, which holds no data at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/kept_strings.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class Secret final : public runtime::Object {
 public:
  Secret(const runtime::ObjectMeta& meta, KeptStrings annotations, std::optional<std::string> data);
  ~Secret() override;

  // nullopt: the Secret does not have the type's data key. A present value may be empty.
  std::optional<std::string_view> data() const { return data_; }
  std::optional<std::string_view> Annotation(std::string_view name) const {
    return annotations_.Find(name);
  }
  std::size_t ByteSize() const override;

 private:
  KeptStrings annotations_;
  std::optional<std::string> data_;
};

struct SecretTypeOptions {
  std::string data_key;                       // "ca.crt"
  std::vector<std::string> annotations = {};  // those to keep
};

// The type whose objects are Secret.
runtime::ResourceType MakeSecretType(SecretTypeOptions options);

}  // namespace clientgo::api
