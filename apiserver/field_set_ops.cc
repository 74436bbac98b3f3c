// SPDX-License-Identifier: Apache-2.0
// The algebra and the JSON form of FieldSet, declared in field_set.h.
#include <utility>

#include "apiserver/field_set.h"

namespace apiserver {
namespace {

// `k:{"name":"a"}` as `[name="a"]`, `f:x` as `.x`, `v:"a"` as `["a"]`.
std::string Readable(const std::string& element) {
  if (element.starts_with("f:")) return "." + element.substr(2);
  if (element.starts_with("v:")) return "[=" + element.substr(2) + "]";
  const std::size_t colon = element.find("\":");
  if (colon == std::string::npos) return element;
  return "[" + element.substr(4, colon - 4) + "=" +
         element.substr(colon + 2, element.size() - colon - 3) + "]";
}

void AppendPaths(const FieldSet& set, const std::string& prefix, std::vector<std::string>& out) {
  if (set.member) out.push_back(prefix);
  for (const auto& [element, child] : set.children) {
    AppendPaths(child, prefix + Readable(element), out);
  }
}

}  // namespace

void FieldSet::Add(const FieldSet& other) {
  member = member || other.member;
  for (const auto& [element, child] : other.children) children[element].Add(child);
}

void FieldSet::Subtract(const FieldSet& other) {
  member = member && !other.member;
  for (const auto& [element, child] : other.children) {
    const auto own = children.find(element);
    if (own == children.end()) continue;
    own->second.Subtract(child);
    if (own->second.empty()) children.erase(own);
  }
}

FieldSet FieldSet::Intersect(const FieldSet& other) const {
  FieldSet both{.member = member && other.member, .children = {}};
  for (const auto& [element, child] : children) {
    const auto theirs = other.children.find(element);
    if (theirs == other.children.end()) continue;
    FieldSet common = child.Intersect(theirs->second);
    if (!common.empty()) both.children.emplace(element, std::move(common));
  }
  return both;
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  AppendPaths(*this, "", paths);
  return paths;
}

FieldSet FieldSet::FromJson(const JsonValue& fields_v1) {
  FieldSet set;
  if (!fields_v1.IsObject()) return set;
  for (const auto& member : fields_v1.GetObject()) {
    const std::string element(ToView(member.name));
    if (element == ".") {
      set.member = true;
      continue;
    }
    FieldSet child = FromJson(member.value);
    if (child.children.empty()) child.member = true;  // {} is a leaf
    set.children.emplace(element, std::move(child));
  }
  return set;
}

JsonValue FieldSet::ToJson(JsonAllocator& allocator) const {
  JsonValue json(rapidjson::kObjectType);
  if (member && !children.empty()) Set(json, ".", JsonValue(rapidjson::kObjectType), allocator);
  for (const auto& [element, child] : children) {
    json.AddMember(NewString(element, allocator), child.ToJson(allocator), allocator);
  }
  return json;
}

}  // namespace apiserver
