// SPDX-License-Identifier: Apache-2.0
// ConfigMap is the identity and data of a core/v1 ConfigMap, without binaryData and other metadata.
// Immutable, so threads can share it. It keeps all keys, because readers choose a key only when
// they read. Use a label selector to limit the cached ConfigMaps.
//
// It can only be read: to create or change ConfigMaps, declare a kind of your own with an
// ObjectMeta and the field "data" (include/capstan/kind.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "capstan/export.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::api {

class CAPSTAN_EXPORT ConfigMap final : public runtime::Object {
 public:
  using Data = std::map<std::string, std::string, std::less<>>;
  static const runtime::ResourceType& Type();
  ConfigMap(const runtime::ObjectIdentity& meta, Data data);

  // Returns nullopt if the key is missing. A value may be empty.
  std::optional<std::string_view> Find(std::string_view key) const;
  const Data& data() const { return data_; }
  std::size_t ByteSize() const override;

 private:
  Data data_;
};

using ConfigMapPtr = runtime::ObjectPtrTo<ConfigMap>;

// Returns a type that keeps the data of ConfigMaps with one of `names`. All others keep only their
// identity.
CAPSTAN_EXPORT runtime::ResourceType MakeConfigMapType(std::set<std::string, std::less<>> names);

}  // namespace capstan::api
