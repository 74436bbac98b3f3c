// SPDX-License-Identifier: Apache-2.0
// JsonPath finds values in an object by a path, as in additionalPrinterColumns:
// `.status.conditions[?(@.type=="Ready")].status`. Mirrors the part of
// k8s.io/client-go/util/jsonpath that these columns use: fields, `['key']`, indices, `[*]`, and
// filters with ==. Other expressions are errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

class JsonPath {
 public:
  // Returns nullopt for text that is not such a path.
  static std::optional<JsonPath> Parse(std::string_view text);

  // Returns the first value that the path selects, or null if there is none.
  const runtime::JsonValue* FindFirst(const runtime::JsonValue& object) const;

 private:
  struct Step {
    enum class Kind { kField, kIndex, kAll, kFilter };
    Kind kind = Kind::kField;
    std::string name = {};                // of a field
    std::int64_t index = 0;               // negative: from the end
    std::vector<std::string> field = {};  // of a filter
    std::string value = {};               // of a filter: the JSON of a scalar
  };

  static std::optional<Step> ParseBracket(std::string_view inside);
  static std::optional<Step> ParseFilter(std::string_view condition);
  static bool Matches(const Step& filter, const runtime::JsonValue& item);
  const runtime::JsonValue* FindFrom(std::size_t step, const runtime::JsonValue& value) const;

  std::vector<Step> steps_;
};

}  // namespace capstan::testing::apiserver
