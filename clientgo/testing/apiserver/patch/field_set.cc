// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/field_set.h"

#include <iterator>
#include <utility>

#include "capstan/text.h"

namespace capstan::testing::apiserver {

std::string ReadableElement(const std::string& element) {
  if (element.starts_with("f:")) return "." + element.substr(2);
  if (element.starts_with("v:")) return "[=" + element.substr(2) + "]";
  runtime::JsonDocument keys;
  if (element.starts_with("k:")) keys.Parse(element.data() + 2, element.size() - 2);
  if (!keys.IsObject()) return element;
  const auto text = [](const auto& member) {
    return std::string(member.name) + "=" + runtime::ToJson(member.value);
  };
  return "[" + Join(runtime::JsonMembers(keys), ",", text) + "]";
}

const FieldSet* FieldSet::Below(const std::string& element) const {
  const auto at = children.find(element);
  return at == children.end() ? nullptr : &at->second;
}

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
  FieldSet rest = *this;
  rest.Subtract(other);
  FieldSet both = *this;
  both.Subtract(rest);
  return both;
}

void FieldSet::Prune() {
  for (auto child = children.begin(); child != children.end();) {
    child->second.Prune();
    child = child->second.empty() ? children.erase(child) : std::next(child);
  }
}

FieldSet FieldSet::WithDeclared(const MergeType& type) const {
  FieldSet all;
  all.member = member;
  for (const auto& [element, child] : children) {
    if (element.starts_with("f:")) {
      const std::string_view name = std::string_view(element).substr(2);
      FieldSet below = child.WithDeclared(type.Member(name));
      // A leaf is a member already.
      below.member = below.member || type.Declares(name);
      all.children.emplace(element, std::move(below));
    } else {
      all.children.emplace(element, child.WithDeclared(type.Items()));
    }
  }
  return all;
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  if (member) paths.emplace_back();
  for (const auto& [element, child] : children) {
    for (const std::string& path : child.Paths()) paths.push_back(ReadableElement(element) + path);
  }
  return paths;
}

FieldSet FieldSet::FromJson(const runtime::JsonValue& fields_v1) {
  FieldSet set;
  if (!fields_v1.IsObject()) return set;
  for (const auto& member : fields_v1.GetObject()) {
    const std::string element(runtime::ToView(member.name));
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

runtime::JsonValue FieldSet::ToJson(JsonAllocator& allocator) const {
  runtime::JsonValue json(rapidjson::kObjectType);
  if (member && !children.empty())
    Set(json, ".", runtime::JsonValue(rapidjson::kObjectType), allocator);
  for (const auto& [element, child] : children) {
    json.AddMember(NewString(element, allocator), child.ToJson(allocator), allocator);
  }
  return json;
}

std::string FieldElement(std::string_view name) { return "f:" + std::string(name); }

}  // namespace capstan::testing::apiserver
