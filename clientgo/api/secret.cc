// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/secret.h"

#include <openssl/crypto.h>

#include <memory>
#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"

namespace clientgo::api {

Secret::Secret(const runtime::ObjectMeta& meta, KeptStrings annotations,
               std::optional<std::string> data)
    : Object(meta), annotations_(std::move(annotations)), data_(std::move(data)) {}

Secret::~Secret() {
  if (data_) OPENSSL_cleanse(data_->data(), data_->size());
}

std::size_t Secret::ByteSize() const {
  return sizeof *this + TextSize() + annotations_.HeapBytes() + (data_ ? data_->capacity() : 0U);
}

runtime::ResourceType MakeSecretType(SecretTypeOptions options) {
  auto keys = std::make_shared<const KeptStrings::Keys>(std::move(options.annotations));
  auto paths = AnnotationPaths(*keys);
  paths.push_back({"data", options.data_key});
  auto decode = [keys, data_key = std::move(options.data_key)](
                    const runtime::ObjectMeta& meta,
                    const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
    std::optional<std::string> data;
    if (const runtime::JsonValue* text = runtime::FindPath(value, {"data", data_key})) {
      if (text->IsString()) data = util::Base64Decode(runtime::ToView(*text));
      // The text itself stays out of the message.
      if (!data)
        return util::Err(util::ErrorReason::kDecode, "data." + data_key + " is not base64");
    }
    KeptStrings annotations(keys, runtime::FindPath(value, {"metadata", "annotations"}));
    return std::make_shared<const Secret>(meta, std::move(annotations), std::move(data));
  };
  return {.gvr = SecretsResource(),
          .kind = "Secret",
          .namespaced = true,
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace clientgo::api
