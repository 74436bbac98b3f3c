// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/patch.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

using Tokens = std::vector<std::string>;

// Splits a JSON pointer. "~1" is '/', "~0" is '~'.
std::optional<Tokens> ParsePointer(std::string_view pointer) {
  Tokens tokens;
  if (pointer.empty()) return tokens;
  if (pointer.front() != '/') return std::nullopt;
  for (const char c : pointer) {
    if (c == '/') {
      tokens.emplace_back();
    } else if (tokens.back().ends_with('~') && (c == '0' || c == '1')) {
      tokens.back().back() = c == '0' ? '~' : '/';
    } else {
      tokens.back() += c;
    }
  }
  return tokens;
}

std::optional<rapidjson::SizeType> ParseIndex(const std::string& token) {
  rapidjson::SizeType index = 0;
  const auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (ec != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

JsonValue* Step(JsonValue& value, const std::string& token) {
  if (value.IsObject()) return FindMutable(value, token);
  const auto index = ParseIndex(token);
  if (!value.IsArray() || !index || *index >= value.Size()) return nullptr;
  return &value[*index];
}

JsonValue* Resolve(JsonValue& root, const Tokens& tokens, std::size_t count) {
  JsonValue* value = &root;
  for (std::size_t i = 0; i < count && value != nullptr; ++i) value = Step(*value, tokens[i]);
  return value;
}

bool AddAt(JsonValue& root, const Tokens& tokens, JsonValue value, JsonAllocator& allocator) {
  if (tokens.empty()) {
    root = std::move(value);
    return true;
  }
  JsonValue* const parent = Resolve(root, tokens, tokens.size() - 1);
  if (parent == nullptr) return false;
  if (parent->IsObject()) {
    Set(*parent, tokens.back(), std::move(value), allocator);
    return true;
  }
  if (!parent->IsArray()) return false;
  const auto index = tokens.back() == "-" ? parent->Size() : ParseIndex(tokens.back());
  if (!index || *index > parent->Size()) return false;
  parent->PushBack(std::move(value), allocator);
  std::rotate(parent->Begin() + *index, parent->End() - 1, parent->End());
  return true;
}

bool RemoveAt(JsonValue& root, const Tokens& tokens) {
  if (tokens.empty()) return false;
  JsonValue* const parent = Resolve(root, tokens, tokens.size() - 1);
  if (parent == nullptr || Step(*parent, tokens.back()) == nullptr) return false;
  if (parent->IsObject()) {
    Remove(*parent, tokens.back());
  } else {
    parent->Erase(parent->Begin() + *ParseIndex(tokens.back()));
  }
  return true;
}

// Reports whether the operation would put a value below the deepest level. Each operation adds to
// the depth of the one before, so the limit of the body is not enough.
bool GoesTooDeep(JsonDocument& target, const JsonValue& operation) {
  const std::string_view op = GetString(operation, "op");
  const auto path = ParsePointer(GetString(operation, "path"));
  if (!path || op == "remove" || op == "test") return false;
  const JsonValue* value = Find(operation, "value");
  if (op == "move" || op == "copy") {
    const auto from = ParsePointer(GetString(operation, "from"));
    value = from ? Resolve(target, *from, from->size()) : nullptr;
  }
  return value != nullptr && path->size() + Depth(*value) > kDepthMax;
}

// The bytes that the copies of one patch may add, as in kube-apiserver. Each may double the target.
constexpr std::size_t kCopiedBytesMax = 3U << 20U;

// `copied` counts the bytes of copies.
bool RunOperation(JsonDocument& target, const JsonValue& operation, std::size_t& copied) {
  auto& allocator = target.GetAllocator();
  const std::string_view op = GetString(operation, "op");
  const auto path = ParsePointer(GetString(operation, "path"));
  const JsonValue* const value = Find(operation, "value");
  if (!path) return false;
  if (op == "remove") return RemoveAt(target, *path);
  if (op == "move" || op == "copy") {
    const auto from = ParsePointer(GetString(operation, "from"));
    JsonValue* const source = from ? Resolve(target, *from, from->size()) : nullptr;
    if (source == nullptr) return false;
    if (op == "copy") copied += clientgo::runtime::ToJson(*source).size();
    if (copied > kCopiedBytesMax) return false;
    JsonValue copy(*source, allocator);
    if (op == "move" && !RemoveAt(target, *from)) return false;
    return AddAt(target, *path, std::move(copy), allocator);
  }
  if (value == nullptr) return false;
  JsonValue* const existing = Resolve(target, *path, path->size());
  if (op == "test") return existing != nullptr && *existing == *value;
  if (op == "replace" && existing != nullptr) {
    existing->CopyFrom(*value, allocator);
    return true;
  }
  // The JSON patch library of kube-apiserver lets "replace" add a member, but not an item.
  const JsonValue* const parent =
      path->empty() ? nullptr : Resolve(target, *path, path->size() - 1);
  const bool may_add = op == "add" || (op == "replace" && parent != nullptr && parent->IsObject());
  return may_add && AddAt(target, *path, JsonValue(*value, allocator), allocator);
}

// Returns the item of the list that has the key of `like`.
JsonValue* FindItem(JsonValue& list, const JsonValue& like, const MergeType& type) {
  const std::string element = type.ItemElement(like);
  auto* const at = std::find_if(list.Begin(), list.End(), [&](const JsonValue& item) {
    return type.ItemElement(item) == element;
  });
  return at == list.End() ? nullptr : at;
}

void MergeObject(JsonValue& target, const JsonValue& patch, const MergeType& type,
                 JsonAllocator& allocator);

void MergeList(JsonValue& target, const JsonValue& patch, const MergeType& type,
               JsonAllocator& allocator) {
  for (const JsonValue& item : patch.GetArray()) {
    JsonValue* const existing = FindItem(target, item, type);
    if (existing == nullptr) {
      target.PushBack(JsonValue(item, allocator), allocator);
    } else if (item.IsObject()) {
      MergeObject(*existing, item, type.Items(), allocator);
    }
  }
}

void MergeObject(JsonValue& target, const JsonValue& patch, const MergeType& type,
                 JsonAllocator& allocator) {
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    const MergeType inner = type.Member(name);
    JsonValue* const existing = FindMutable(target, name);
    if (member.value.IsObject() && !inner.IsAtomicMap()) {
      JsonValue& object = existing != nullptr && existing->IsObject()
                              ? *existing
                              : Set(target, name, JsonValue(rapidjson::kObjectType), allocator);
      MergeObject(object, member.value, inner, allocator);
    } else if (existing != nullptr && inner.IsKeyedList(*existing) &&
               inner.IsKeyedList(member.value)) {
      MergeList(*existing, member.value, inner, allocator);
    } else {
      Set(target, name, JsonValue(member.value, allocator), allocator);
    }
  }
}

}  // namespace

Result<void> ApplyJsonPatch(JsonDocument& target, const JsonValue& operations) {
  if (!operations.IsArray()) {
    return tl::unexpected(
        BadRequest("error decoding patch: json: cannot unmarshal object into Go value of type "
                   "[]handlers.jsonPatchOp"));
  }
  std::size_t copied = 0;
  for (const JsonValue& operation : operations.GetArray()) {
    if (GoesTooDeep(target, operation)) {
      return tl::unexpected(BadRequest(
          "the JSON patch nests maps and lists deeper than " + std::to_string(kDepthMax) +
          " levels with op " + Quote(GetString(operation, "op")) + "; send a flatter value"));
    }
    if (RunOperation(target, operation, copied)) continue;
    return tl::unexpected(
        Status{.code = 422,
               .reason = "Invalid",
               .message = "the server rejected our request due to an error in our request",
               .has_details = true});
  }
  return {};
}

void ApplyMergePatch(JsonValue& target, const JsonValue& patch, JsonAllocator& allocator) {
  if (!patch.IsObject()) {
    target.CopyFrom(patch, allocator);
    return;
  }
  if (!target.IsObject()) target.SetObject();
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (member.value.IsNull()) {
      Remove(target, name);
    } else {
      JsonValue* existing = FindMutable(target, name);
      if (existing == nullptr) existing = &Set(target, name, JsonValue(), allocator);
      ApplyMergePatch(*existing, member.value, allocator);
    }
  }
}

void MergeApplied(JsonValue& target, const JsonValue& configuration, const MergeType& type,
                  JsonAllocator& allocator) {
  MergeObject(target, configuration, type, allocator);
}

}  // namespace capstan::testing::apiserver
