// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/ca_bundle.h"

#include "clientgo/runtime/json.h"
#include "clientgo/util/base64.h"

namespace clientgo::api {

util::Expected<std::shared_ptr<const std::string>> DecodeCaBundle(const runtime::JsonValue* holder,
                                                                  std::string_view what,
                                                                  util::Interner& bundles) {
  const std::string_view text =
      holder != nullptr ? runtime::GetString(*holder, "caBundle") : std::string_view();
  const auto bytes = util::Base64Decode(text);
  if (!bytes) {
    return util::Err(util::ErrorReason::kDecode,
                     "caBundle of " + std::string(what) + " is not base64");
  }
  return bundles.Intern(*bytes);
}

bool IsDeleting(const runtime::JsonValue& object) {
  const runtime::JsonValue* at = runtime::FindPath(object, {"metadata", "deletionTimestamp"});
  return at != nullptr && !at->IsNull();
}

}  // namespace clientgo::api
