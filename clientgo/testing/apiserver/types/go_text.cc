// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/go_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/cel/number_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

// The encoder uses an exponent only outside of this range.
constexpr double kFixedMin = 1e-6;
constexpr double kFixedMax = 1e21;

void AppendJson(const runtime::JsonValue& value, std::string& text) {
  if (value.IsObject()) {
    std::vector<const runtime::JsonValue::Member*> members;
    for (const auto& member : value.GetObject()) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
      return runtime::ToView(a->name) < runtime::ToView(b->name);
    });
    text += '{';
    for (const auto* member : members) {
      if (text.back() != '{') text += ',';
      text.append(HtmlQuote(runtime::ToView(member->name))).append(":");
      AppendJson(member->value, text);
    }
    text += '}';
  } else if (value.IsArray()) {
    text += '[';
    for (const runtime::JsonValue& item : value.GetArray()) {
      if (&item != value.Begin()) text += ',';
      AppendJson(item, text);
    }
    text += ']';
  } else if (value.IsString()) {
    text += HtmlQuote(runtime::ToView(value));
  } else if (value.IsNumber() && !value.IsInt64()) {
    const double size = std::abs(value.GetDouble());
    const bool fixed = size == 0 || (size >= kFixedMin && size < kFixedMax);
    text += fixed ? cel::FixedText(value.GetDouble()) : cel::GoFloatText(value.GetDouble());
  } else {
    text += runtime::ToJson(value);
  }
}

}  // namespace

std::string_view TrimSpace(std::string_view text) { return Trim(text, " \t\r\n\v\f"); }

std::vector<std::string_view> SplitAll(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string MemberPath(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::string HtmlQuote(std::string_view text) {
  std::string quoted;
  for (const char c : Quote(text)) {
    if (c == '<') {
      quoted += "\\u003c";
    } else if (c == '>') {
      quoted += "\\u003e";
    } else if (c == '&') {
      quoted += "\\u0026";
    } else {
      quoted += c;
    }
  }
  return quoted;
}

std::string MarshalJson(const runtime::JsonValue& value) {
  std::string text;
  AppendJson(value, text);
  return text;
}

std::string ShownValue(const runtime::JsonValue& value) {
  if (value.IsString()) return Quoted(runtime::ToView(value));
  if (value.IsNumber() && !value.IsInt64()) return cel::GoFloatText(value.GetDouble());
  return MarshalJson(value);
}

}  // namespace capstan::testing::apiserver
