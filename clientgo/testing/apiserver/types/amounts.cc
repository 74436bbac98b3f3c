// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/amounts.h"

#include <limits>
#include <string_view>
#include <utility>

namespace capstan::testing::apiserver {

std::string Amount::Text() const {
  if (milli % 1000 == 0) return Quantity(milli / 1000, format).ToString();
  return Quantity::FromMilli(milli).ToString();
}

Amounts ParseAmounts(const runtime::JsonValue& list) {
  Amounts amounts;
  if (!list.IsObject()) return amounts;
  for (const auto& member : list.GetObject()) {
    if (!member.value.IsString()) continue;
    const auto quantity = Quantity::Parse(runtime::ToView(member.value));
    if (!quantity) continue;
    amounts[std::string(runtime::ToView(member.name))] = {.milli = quantity->milli(),
                                                          .format = quantity->format()};
  }
  return amounts;
}

std::int64_t SaturatingSum(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < Limits::min() - b) return Limits::min();
  return a + b;
}

void Add(Amounts& total, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    Amount& sum = total[name];
    if (sum.milli == 0) sum.format = amount.format;
    sum.milli = SaturatingSum(sum.milli, amount.milli);
  }
}

void KeepLarger(Amounts& total, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto known = total.find(name);
    if (known == total.end() || known->second.milli < amount.milli) total[name] = amount;
  }
}

Amounts ContainerAmounts(const runtime::JsonValue& spec, std::string_view key) {
  const auto of = [&](const runtime::JsonValue& container) {
    return ParseAmounts(ObjectAt(ObjectAt(container, "resources"), key));
  };
  Amounts total;
  for (const runtime::JsonValue& container : ListAt(spec, "containers").GetArray()) {
    Add(total, of(container));
  }
  Amounts sidecars;
  Amounts largest;
  for (const runtime::JsonValue& container : ListAt(spec, "initContainers").GetArray()) {
    Amounts own = of(container);
    if (runtime::GetString(container, "restartPolicy") == "Always") {
      Add(total, own);
      Add(sidecars, own);
      own = sidecars;
    } else {
      Add(own, sidecars);
    }
    KeepLarger(largest, own);
  }
  KeepLarger(total, largest);
  return total;
}

Amounts PodAmounts(const runtime::JsonValue& spec, std::string_view key) {
  Amounts total = ContainerAmounts(spec, key);
  for (const auto& [name, amount] : ParseAmounts(ObjectAt(ObjectAt(spec, "resources"), key))) {
    total[name] = amount;
  }
  return total;
}

}  // namespace capstan::testing::apiserver
