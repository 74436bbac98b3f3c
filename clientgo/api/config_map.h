// SPDX-License-Identifier: Apache-2.0
// ConfigMap (core/v1): its data. binaryData and all metadata but the identity are dropped.
// Immutable; safe to read from any thread. Which key a reader wants is known only when it reads, so
// all are kept: cache no more ConfigMaps than a label selector asks for.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

class ConfigMap final : public runtime::Object {
 public:
  using Data = std::map<std::string, std::string, std::less<>>;
  static const runtime::ResourceType& Type();
  ConfigMap(const runtime::ObjectMeta& meta, Data data);

  // nullopt: there is no such key. A present value may be empty.
  std::optional<std::string_view> Find(std::string_view key) const;
  const Data& data() const { return data_; }
  std::size_t ByteSize() const override;

 private:
  Data data_;
};

// The ConfigMaps of a namespace, with the data of those that have one of `names`. The others keep
// their identity alone, about 200 bytes each.
runtime::ResourceType MakeConfigMapType(std::set<std::string, std::less<>> names);

}  // namespace clientgo::api
