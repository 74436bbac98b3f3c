// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/label_text.h"

#include <map>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

std::vector<std::string> LabelTexts(const runtime::JsonValue& labels) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& label : labels.GetObject()) {
    if (label.value.IsString()) sorted[runtime::ToView(label.name)] = runtime::ToView(label.value);
  }
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (const auto& [key, value] : sorted) {
    texts.push_back(std::string(key).append("=").append(value));
  }
  return texts;
}

std::string TextOrNone(const std::vector<std::string>& texts) {
  return texts.empty() ? "<none>" : Join(texts, ",");
}

}  // namespace

std::string FormatLabels(const runtime::JsonValue* labels) {
  return TextOrNone(labels == nullptr || !labels->IsObject() ? std::vector<std::string>()
                                                             : LabelTexts(*labels));
}

std::string FormatSelector(const runtime::JsonValue* selector) {
  if (selector == nullptr || !selector->IsObject()) return TextOrNone({});
  std::vector<std::string> all = LabelTexts(ObjectAt(*selector, "matchLabels"));
  for (const runtime::JsonValue& one : ListAt(*selector, "matchExpressions").GetArray()) {
    const std::string_view op = runtime::GetString(one, "operator");
    std::string text = op == "DoesNotExist" ? "!" : "";
    text.append(runtime::GetString(one, "key"));
    if (op == "In" || op == "NotIn") {
      text.append(op == "In" ? " in (" : " notin (")
          .append(Join(TextsAt(one, "values"), ","))
          .append(")");
    }
    all.push_back(std::move(text));
  }
  return TextOrNone(all);
}

}  // namespace capstan::testing::apiserver
