// SPDX-License-Identifier: Apache-2.0
#include "capstan/client/patch.h"

#include <glog/logging.h>

#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/runtime/parsed_json.h"

namespace capstan::detail {
namespace {

using clientgo::runtime::Find;
using clientgo::runtime::IsJsonObject;
using clientgo::runtime::JsonMembers;
using clientgo::runtime::JsonValue;
using clientgo::runtime::JsonWriter;

// Returns the object with what differs, "{}" for no difference.
std::string Difference(const JsonValue& original, const JsonValue& modified) {
  JsonWriter patch;
  patch.StartObject();
  for (const auto& [name, value] : JsonMembers(modified)) {
    const JsonValue* const before = Find(original, name);
    std::string text;
    if (before != nullptr && IsJsonObject(*before) && IsJsonObject(value)) {
      text = Difference(*before, value);
      if (text == "{}") continue;
    } else {
      text = clientgo::runtime::ToJson(value);
      if (before != nullptr && clientgo::runtime::ToJson(*before) == text) continue;
    }
    patch.Key(name);
    patch.RawValue(text);
  }
  for (const auto& member : JsonMembers(original)) {
    if (Find(modified, member.name) != nullptr) continue;
    patch.Key(member.name);
    patch.Null();
  }
  patch.EndObject();
  return std::move(patch).Take();
}

}  // namespace

std::string CreateMergePatch(std::string_view original, std::string_view modified) {
  const auto before = clientgo::runtime::ParsedJson::Parse(original);
  const auto after = clientgo::runtime::ParsedJson::Parse(modified);
  CHECK(before && after) << "an object is not valid JSON";
  return Difference(before->root(), after->root());
}

}  // namespace capstan::detail
