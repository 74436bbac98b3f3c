// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/certificate.h"

#include <memory>
#include <utility>

#include "clientgo/api/gvr.h"

namespace clientgo::api {

Certificate::Certificate(const runtime::ObjectMeta& meta, std::string secret_name)
    : Object(meta), secret_name_(std::move(secret_name)) {}

const runtime::ResourceType& Certificate::Type() {
  static const runtime::ResourceType type = {
      .gvr = CertificatesResource(),
      .kind = "Certificate",
      .namespaced = true,
      .projection = {{"spec", "secretName"}},
      .decode = [](const runtime::ObjectMeta& meta,
                   const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
        const runtime::JsonValue* spec = runtime::Find(value, "spec");
        return std::make_shared<const Certificate>(
            meta,
            spec == nullptr ? std::string() : std::string(runtime::GetString(*spec, "secretName")));
      }};
  return type;
}

}  // namespace clientgo::api
