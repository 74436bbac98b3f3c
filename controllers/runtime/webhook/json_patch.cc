// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/json_patch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"

namespace capstan::webhook {
namespace {

// Deeper values are compared as a whole, so that neither the stack nor the time depends on the
// nesting of an object.
constexpr int kDepthMax = 64;

using Elements = std::vector<const runtime::JsonValue*>;

Elements ElementsOf(const runtime::JsonValue& array) {
  Elements elements;
  for (const runtime::JsonValue& element : runtime::JsonElements(array))
    elements.push_back(&element);
  return elements;
}

// MemberIndex finds the members of one object in a time that does not depend on their number.
class MemberIndex {
 public:
  explicit MemberIndex(const runtime::JsonValue& object) : object_(object) {
    const runtime::JsonMembers members(object);
    if (members.size() <= kMembersMax) return;
    for (const auto& member : members) by_name_.emplace(member.name, &member.value);
  }
  const runtime::JsonValue* Find(std::string_view name) const {
    if (by_name_.empty()) return runtime::Find(object_, name);
    const auto member = by_name_.find(name);
    return member == by_name_.end() ? nullptr : member->second;
  }

 private:
  static constexpr std::size_t kMembersMax = 16;  // up to here a search is as fast

  const runtime::JsonValue& object_;
  std::unordered_map<std::string_view, const runtime::JsonValue*> by_name_;
};

bool BothObjects(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  return runtime::IsJsonObject(a) && runtime::IsJsonObject(b);
}

bool Equal(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  return runtime::ToJson(a) == runtime::ToJson(b);
}

// Returns a path of RFC 6901 with one more part.
std::string Below(const std::string& path, std::string_view member) {
  std::string below = path + "/";
  for (const char c : member) {
    if (c == '~') {
      below += "~0";
    } else if (c == '/') {
      below += "~1";
    } else {
      below += c;
    }
  }
  return below;
}

// The members that identify an element of a list beside its position, in the lists of Kubernetes.
constexpr std::string_view kIdentityKeys[] = {"name", "key", "type", "uid"};

// Returns the text of a member; empty if it has none.
std::string_view TextOf(const runtime::JsonValue& element, std::string_view key) {
  const runtime::JsonValue* const value = runtime::Find(element, key);
  return value == nullptr ? std::string_view() : runtime::AsString(*value).value_or("");
}

std::string IdentityOf(const runtime::JsonValue& element) {
  for (const std::string_view key : kIdentityKeys) {
    const std::string_view text = TextOf(element, key);
    if (!text.empty()) return std::string(key) + "=" + std::string(text);
  }
  return {};
}

// Reports whether an identity of the one contradicts that of the other.
bool AreDifferent(const runtime::JsonValue& before, const runtime::JsonValue& after) {
  for (const std::string_view key : kIdentityKeys) {
    const std::string_view from = TextOf(before, key);
    const std::string_view to = TextOf(after, key);
    if (!from.empty() && !to.empty() && from != to) return true;
  }
  return false;
}

// ElementMatcher finds, for each element of a list that was changed, the element that it was.
class ElementMatcher {
 public:
  ElementMatcher(const Elements& before, const Elements& after)
      : before_(before), after_(after), used_(before.size()), matches_(after.size()) {
    MatchBy([](const runtime::JsonValue& element) { return runtime::ToJson(element); });
    MatchBy(&IdentityOf);
    if (before.size() != after.size()) return;
    for (std::size_t i = 0; i < after.size(); ++i) {
      // An element that gets or loses its name is the one that was at its place.
      if (matches_[i] || used_[i] || AreDifferent(*before[i], *after[i])) continue;
      matches_[i] = i;
      used_[i] = true;
    }
  }

  // Returns the index before of the element that is at `i` now.
  std::optional<std::size_t> match(std::size_t i) const { return matches_[i]; }
  // Reports whether the element that was at `i` is still in the list.
  bool stays(std::size_t i) const { return used_[i]; }
  // Reports whether the elements that stay have the order that they had.
  bool InOrder() const {
    std::size_t next = 0;
    for (const auto& match : matches_) {
      if (!match) continue;
      if (*match < next) return false;
      next = *match + 1;
    }
    return true;
  }

 private:
  template <class KeyOf>
  void MatchBy(const KeyOf& key_of) {
    std::map<std::string, std::vector<std::size_t>> unused;
    for (std::size_t i = before_.size(); i > 0; --i) {
      if (!used_[i - 1]) unused[key_of(*before_[i - 1])].push_back(i - 1);
    }
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (matches_[i]) continue;
      const std::string key = key_of(*after_[i]);
      const auto found = unused.find(key);
      if (key.empty() || found == unused.end() || found->second.empty()) continue;
      matches_[i] = found->second.back();
      used_[found->second.back()] = true;
      found->second.pop_back();
    }
  }

  const Elements& before_;
  const Elements& after_;
  std::vector<bool> used_;
  std::vector<std::optional<std::size_t>> matches_;
};

// PatchWriter collects the operations that change one value into another.
class PatchWriter {
 public:
  PatchWriter() { writer_.StartArray(); }

  void Compare(const std::string& path, const runtime::JsonValue& from,
               const runtime::JsonValue& to) {
    const bool is_deep = depth_ == kDepthMax;
    ++depth_;
    if (BothObjects(from, to) && !is_deep) {
      CompareMembers(path, from, to);
    } else if (!Equal(from, to)) {
      if (runtime::IsJsonArray(from) && runtime::IsJsonArray(to) && !is_deep) {
        CompareElements(path, from, to);
      } else {
        Write("replace", path, &to);
      }
    }
    --depth_;
  }
  std::string Take() && {
    writer_.EndArray();
    return std::move(writer_).Take();
  }

 private:
  void CompareMembers(const std::string& path, const runtime::JsonValue& from,
                      const runtime::JsonValue& to) {
    const MemberIndex wanted(to);
    for (const auto& member : runtime::JsonMembers(from)) {
      if (wanted.Find(member.name) == nullptr) Write("remove", Below(path, member.name), nullptr);
    }
    const MemberIndex known(from);
    for (const auto& member : runtime::JsonMembers(to)) {
      const runtime::JsonValue* const old = known.Find(member.name);
      if (old == nullptr) {
        Write("add", Below(path, member.name), &member.value);
      } else {
        Compare(Below(path, member.name), *old, member.value);
      }
    }
  }

  // Elements that go are removed from the end on. Then the list is made longer and changed from its
  // start, so that each index is that of the result.
  void CompareElements(const std::string& path, const runtime::JsonValue& from,
                       const runtime::JsonValue& to) {
    const Elements old = ElementsOf(from);
    const Elements wanted = ElementsOf(to);
    const ElementMatcher matcher(old, wanted);
    if (!matcher.InOrder()) return Write("replace", path, &to);
    for (std::size_t i = old.size(); i > 0; --i) {
      if (!matcher.stays(i - 1)) Write("remove", Below(path, std::to_string(i - 1)), nullptr);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string at = Below(path, std::to_string(i));
      if (const auto match = matcher.match(i)) {
        Compare(at, *old[*match], *wanted[i]);
      } else {
        Write("add", at, wanted[i]);
      }
    }
  }

  void Write(std::string_view op, const std::string& path, const runtime::JsonValue* value) {
    writer_.StartObject();
    writer_.Key("op");
    writer_.String(op);
    writer_.Key("path");
    writer_.String(path);
    if (value != nullptr) {
      writer_.Key("value");
      writer_.Value(*value);
    }
    writer_.EndObject();
  }

  runtime::JsonWriter writer_;
  int depth_ = 0;  // of the values that are being compared
};

const runtime::JsonValue& EmptyObject() {
  static const runtime::ParsedJson empty = *runtime::ParsedJson::Parse("{}");
  return empty.root();
}

const runtime::JsonValue& ObjectOrEmpty(const runtime::JsonValue* value) {
  return value != nullptr && runtime::IsJsonObject(*value) ? *value : EmptyObject();
}

// `depth` is the number of containers around the values.
std::string Merge(const runtime::JsonValue& original, const runtime::JsonValue& before,
                  const runtime::JsonValue& after, int depth);

std::string MergeElements(const runtime::JsonValue& original, const runtime::JsonValue& before,
                          const runtime::JsonValue& after, int depth) {
  const Elements sources = ElementsOf(original);
  const Elements from = ElementsOf(before);
  const Elements to = ElementsOf(after);
  if (sources.size() != from.size()) return runtime::ToJson(after);
  const ElementMatcher matcher(from, to);
  runtime::JsonWriter merged;
  merged.StartArray();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto match = matcher.match(i);
    merged.RawValue(match ? Merge(*sources[*match], *from[*match], *to[i], depth + 1)
                          : runtime::ToJson(*to[i]));
  }
  merged.EndArray();
  return std::move(merged).Take();
}

// Returns a member after the change, or nullopt if it is not there any more. Each of the three
// values may be missing.
std::optional<std::string> MergeMember(const runtime::JsonValue* original,
                                       const runtime::JsonValue* before,
                                       const runtime::JsonValue* after, int depth) {
  const bool unchanged =
      before == nullptr ? after == nullptr : after != nullptr && Equal(*before, *after);
  if (unchanged) {
    if (original == nullptr) return std::nullopt;  // a field that is written although it is zero
    return runtime::ToJson(*original);
  }
  const runtime::JsonValue* const known = after != nullptr ? after : before;
  const bool is_object =
      runtime::IsJsonObject(*known) && (original == nullptr || runtime::IsJsonObject(*original));
  if (is_object) {
    std::string merged =
        Merge(ObjectOrEmpty(original), ObjectOrEmpty(before), ObjectOrEmpty(after), depth);
    if (after == nullptr && merged == "{}") return std::nullopt;
    return merged;
  }
  if (after == nullptr) return std::nullopt;
  if (original == nullptr || before == nullptr) return runtime::ToJson(*after);
  return Merge(*original, *before, *after, depth);
}

std::string Merge(const runtime::JsonValue& original, const runtime::JsonValue& before,
                  const runtime::JsonValue& after, int depth) {
  const bool is_deep = depth == kDepthMax;
  if (runtime::IsJsonArray(original) && runtime::IsJsonArray(before) &&
      runtime::IsJsonArray(after) && !is_deep) {
    return MergeElements(original, before, after, depth);
  }
  if (!runtime::IsJsonObject(original) || !BothObjects(before, after) || is_deep) {
    return Equal(before, after) ? runtime::ToJson(original) : runtime::ToJson(after);
  }
  runtime::JsonWriter merged;
  merged.StartObject();
  const MemberIndex in_original(original);
  const MemberIndex in_before(before);
  const MemberIndex in_after(after);
  const auto write = [&](std::string_view name, const runtime::JsonValue* value) {
    const auto text = MergeMember(value, in_before.Find(name), in_after.Find(name), depth + 1);
    if (!text) return;
    merged.Key(name);
    merged.RawValue(*text);
  };
  for (const auto& member : runtime::JsonMembers(original)) write(member.name, &member.value);
  for (const auto& member : runtime::JsonMembers(after)) {
    if (in_original.Find(member.name) == nullptr) write(member.name, nullptr);
  }
  merged.EndObject();
  return std::move(merged).Take();
}

}  // namespace

Expected<std::string> CreateJsonPatch(std::string_view original, std::string_view modified) {
  const auto from = runtime::ParsedJson::Parse(original);
  if (!from) return Err(from.error().Wrap("original object"));
  const auto to = runtime::ParsedJson::Parse(modified);
  if (!to) return Err(to.error().Wrap("modified object"));
  if (!BothObjects(from->root(), to->root())) {
    return Err(ErrorReason::kDecode, "a JSON patch needs two JSON objects");
  }
  PatchWriter patch;
  patch.Compare("", from->root(), to->root());
  return std::move(patch).Take();
}

namespace detail {

std::string ApplyTypedChange(const runtime::JsonValue& original, const runtime::JsonValue& before,
                             const runtime::JsonValue& after) {
  return Merge(original, before, after, 0);
}

}  // namespace detail
}  // namespace capstan::webhook
