// SPDX-License-Identifier: Apache-2.0
// Amounts are the resources of a Pod or of a namespace, by their names. Mirrors the functions on
// ResourceList in k8s.io/apiserver/pkg/quota/v1 and k8s.io/component-helpers/resource.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "capstan/quantity.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct Amount {
  std::int64_t milli = 0;  // thousandths; at most the range of its type
  Quantity::Format format = Quantity::Format::kDecimalSi;

  static Amount Of(std::int64_t count) { return {.milli = count * 1000}; }
  std::string Text() const;
};

using Amounts = std::map<std::string, Amount, std::less<>>;

// Returns the quantities of a map such as spec.hard of a ResourceQuota.
Amounts ParseAmounts(const runtime::JsonValue& list);
// Returns the sum, or the largest or least number if it is out of range.
std::int64_t SaturatingSum(std::int64_t a, std::int64_t b);
void Add(Amounts& total, const Amounts& more);
// Keeps the larger amount of each resource.
void KeepLarger(Amounts& total, const Amounts& other);

// Returns what the containers of a PodSpec request, or their limits: those of its containers
// together, or those of an init container if they are larger. `key`: "requests" or "limits".
Amounts ContainerAmounts(const runtime::JsonValue& spec, std::string_view key);
// Returns the same with the resources of the whole Pod, which replace those of its containers.
Amounts PodAmounts(const runtime::JsonValue& spec, std::string_view key);

}  // namespace capstan::testing::apiserver
