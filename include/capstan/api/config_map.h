// SPDX-License-Identifier: Apache-2.0
// ConfigMap is the data of a core/v1 ConfigMap, without binaryData and metadata. In a cache or a
// response, TypedObject adds the identity. All keys are kept, because readers choose a key only
// when they read. Use a label selector to limit the cached ConfigMaps.
//
// It can only be read: to create or change ConfigMaps, declare a kind of your own with an
// ObjectMeta and the field "data" (capstan/kind.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/typed_object.h"

namespace capstan::api {

struct CAPSTAN_EXPORT ConfigMap {
  using Data = std::map<std::string, std::string, std::less<>>;
  Data data = {};

  // Returns nullopt if the key is missing. A value may be empty.
  std::optional<std::string_view> Find(std::string_view key) const {
    const auto found = data.find(key);
    if (found == data.end()) return std::nullopt;
    return found->second;
  }
};

using ConfigMapPtr = Ptr<ConfigMap>;

}  // namespace capstan::api

namespace capstan {

template <>
inline constexpr auto kKind<api::ConfigMap> = Kind("", "v1", "ConfigMap", "configmaps")
                                                  .Namespaced()
                                                  .Partial()
                                                  .Fields(Field("data", &api::ConfigMap::data));

}  // namespace capstan
