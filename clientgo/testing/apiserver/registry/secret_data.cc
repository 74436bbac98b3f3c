// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/secret_data.h"

#include <string_view>

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kHidden = "<secret contents redacted>";

void Hide(runtime::JsonValue& value) {
  if (!value.IsNull()) value.SetString(rapidjson::StringRef(kHidden.data(), kHidden.size()));
}

}  // namespace

runtime::JsonDocument WithoutSecretData(const Resource& resource,
                                        const runtime::JsonValue& object) {
  runtime::JsonDocument shown;
  shown.CopyFrom(object, shown.GetAllocator());
  if (!resource.secret || !shown.IsObject()) return shown;
  for (const char* const key : {"data", "stringData"}) {
    runtime::JsonValue* const data = FindMutable(shown, key);
    if (data == nullptr) continue;
    if (!data->IsObject()) {
      Hide(*data);
      continue;
    }
    for (auto member = data->MemberBegin(); data->MemberEnd() - member > 0; ++member) {
      if (!runtime::ToView(member->name).starts_with('$')) Hide(member->value);  // not a directive
    }
  }
  runtime::JsonValue* const applied = FindMutablePath(
      shown, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"});
  if (applied != nullptr) Hide(*applied);
  return shown;
}

}  // namespace capstan::testing::apiserver
