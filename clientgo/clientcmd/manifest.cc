// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/manifest.h"

#include <utility>

#include "capstan/text.h"
#include "clientgo/yaml/documents.h"
#include "clientgo/yaml/parse.h"
#include "clientgo/yaml/value.h"

namespace capstan::clientcmd {
namespace {

constexpr std::string_view kListSuffix = "List";

// Returns a member that is a string, or "".
std::string Text(const yaml::Value& map, std::string_view key) {
  const yaml::Value* value = map.Find(key);
  return value != nullptr && value->IsString() ? value->text : "";
}

// Adds the missing kind and apiVersion to an item of a typed list, as the API server leaves them
// out of the items of a SecretList.
yaml::Value WithKindOf(const yaml::Value& list, yaml::Value item) {
  if (!item.IsMap() || !Text(item, "kind").empty() || !Text(item, "apiVersion").empty()) {
    return item;
  }
  std::string kind = Text(list, "kind");
  if (kind.ends_with(kListSuffix)) kind.resize(kind.size() - kListSuffix.size());
  const auto set = [&](std::string_view key, std::string text) {
    if (text.empty()) return;
    std::erase_if(item.members, [&](const yaml::Member& member) { return member.key == key; });
    item.members.push_back({.key = std::string(key),
                            .line = item.line,
                            .value = std::make_shared<const yaml::Value>(yaml::Value{
                                .type = yaml::Value::Type::kString, .text = std::move(text)})});
  };
  set("kind", std::move(kind));
  set("apiVersion", Text(list, "apiVersion"));
  return item;
}

// Adds the object in `value`, or the items of a list, which may be lists themselves.
Expected<void> Add(const yaml::Value& value, const std::string& name,
                   std::vector<Manifest>& manifests) {
  const yaml::Value* items = value.Find("items");
  if (items != nullptr && (items->IsList() || items->IsNull())) {
    for (const yaml::ValuePtr& item : items->items) {
      if (auto added = Add(WithKindOf(value, *item), name, manifests); !added) return added;
    }
    return {};
  }
  std::string where = yaml::FileAndLine(name, value.line);
  auto json = ToJson(value);
  if (!json) return Err(json.error().reason, where + ": " + json.error().message);
  manifests.push_back({.json = *std::move(json), .where = std::move(where)});
  return {};
}

}  // namespace

Expected<std::vector<Manifest>> ParseManifests(std::string_view text, const std::string& name) {
  const std::string utf8 = ToValidUtf8(yaml::ToUtf8(text));
  const auto documents = yaml::SplitDocuments(utf8, name);
  if (!documents) return Err(documents.error());
  std::vector<Manifest> manifests;
  for (const yaml::Document& document : *documents) {
    const auto value =
        yaml::Parse(document.json ? yaml::JsonAsYaml(document.text) : std::string(document.text),
                    name, document.line);
    if (!value) return Err(value.error());
    if ((*value)->IsNull()) continue;
    if (auto added = Add(**value, name, manifests); !added) return Err(added.error());
  }
  return manifests;
}

}  // namespace capstan::clientcmd
