// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/patch.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

using Tokens = std::vector<std::string>;

// Splits a JSON pointer. "~1" is '/', "~0" is '~'. The library of kube-apiserver ignores what is
// before the first '/', and does not accept the pointer to the whole document.
std::optional<Tokens> ParsePointer(std::string_view pointer) {
  const std::size_t start = pointer.find('/');
  if (start == std::string_view::npos) return std::nullopt;
  Tokens tokens;
  for (std::size_t i = start; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (const std::string_view escape = pointer.substr(i, 2);
               escape == "~0" || escape == "~1") {
      tokens.back() += escape == "~0" ? '~' : '/';
      ++i;
    } else {
      tokens.back() += pointer[i];
    }
  }
  return tokens;
}

std::optional<Tokens> PointerAt(const runtime::JsonValue& operation, std::string_view key) {
  const runtime::JsonValue* const pointer = runtime::Find(operation, key);
  return pointer != nullptr && pointer->IsString() ? ParsePointer(runtime::ToView(*pointer))
                                                   : std::nullopt;
}

// Parses an index as Go's strconv.Atoi. A negative one counts from `size`.
std::optional<rapidjson::SizeType> ParseIndex(std::string_view token, rapidjson::SizeType size) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  std::int64_t index = 0;
  const auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (ec != std::errc() || end != token.data() + token.size()) return std::nullopt;
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::nullopt;
  return static_cast<rapidjson::SizeType>(index);
}

runtime::JsonValue* Step(runtime::JsonValue& value, const std::string& token) {
  if (value.IsObject()) return FindMutable(value, token);
  if (!value.IsArray()) return nullptr;
  const auto index = ParseIndex(token, value.Size());
  return index ? &value[*index] : nullptr;
}

// Returns the object or array that has the last token's value; null: there is none.
runtime::JsonValue* ParentOf(runtime::JsonValue& root, const Tokens& tokens) {
  runtime::JsonValue* value = &root;
  for (std::size_t i = 0; i + 1 < tokens.size() && value != nullptr; ++i) {
    value = Step(*value, tokens[i]);
  }
  return value != nullptr && (value->IsObject() || value->IsArray()) ? value : nullptr;
}

bool AddAt(runtime::JsonValue& root, const Tokens& tokens, runtime::JsonValue value,
           JsonAllocator& allocator) {
  runtime::JsonValue* const parent = ParentOf(root, tokens);
  if (parent == nullptr) return false;
  if (parent->IsObject()) {
    Set(*parent, tokens.back(), std::move(value), allocator);
    return true;
  }
  const auto index = tokens.back() == "-" ? std::optional(parent->Size())
                                          : ParseIndex(tokens.back(), parent->Size() + 1);
  if (!index) return false;
  parent->PushBack(std::move(value), allocator);
  std::rotate(parent->Begin() + *index, parent->End() - 1, parent->End());
  return true;
}

bool RemoveAt(runtime::JsonValue& root, const Tokens& tokens) {
  runtime::JsonValue* const parent = ParentOf(root, tokens);
  if (parent == nullptr || Step(*parent, tokens.back()) == nullptr) return false;
  if (parent->IsObject()) {
    Remove(*parent, tokens.back());
  } else {
    parent->Erase(parent->Begin() + *ParseIndex(tokens.back(), parent->Size()));
  }
  return true;
}

// Returns a value to move, copy or test. A missing member of an object is null, a missing item of
// an array nullopt.
std::optional<runtime::JsonValue> CopyAt(runtime::JsonValue& root, const Tokens& tokens,
                                         JsonAllocator& allocator) {
  runtime::JsonValue* const parent = ParentOf(root, tokens);
  if (parent == nullptr) return std::nullopt;
  const runtime::JsonValue* const value = Step(*parent, tokens.back());
  if (value == nullptr)
    return parent->IsObject() ? std::optional<runtime::JsonValue>(runtime::JsonValue())
                              : std::nullopt;
  return runtime::JsonValue(*value, allocator);
}

// Reports whether the operation would put a value below the deepest level. Each operation adds to
// the depth of the one before, so the limit of the body is not enough.
bool GoesTooDeep(runtime::JsonDocument& target, const runtime::JsonValue& operation) {
  const std::string_view op = runtime::GetString(operation, "op");
  const auto path = PointerAt(operation, "path");
  if (!path || op == "remove" || op == "test") return false;
  const runtime::JsonValue* value = runtime::Find(operation, "value");
  if (op == "move" || op == "copy") {
    const auto from = PointerAt(operation, "from");
    runtime::JsonValue* const parent = from ? ParentOf(target, *from) : nullptr;
    value = parent == nullptr ? nullptr : Step(*parent, from->back());
  }
  return value != nullptr && path->size() + Depth(*value) > kDepthMax;
}

// The bytes that the copies of one patch may add, as in kube-apiserver. Each may double the target.
constexpr std::size_t kCopiedBytesMax = 3U << 20U;

// `copied` counts the bytes of copies.
bool MoveOrCopy(runtime::JsonDocument& target, const runtime::JsonValue& operation, bool move,
                std::size_t& copied) {
  auto& allocator = target.GetAllocator();
  const auto path = PointerAt(operation, "path");
  const auto from = PointerAt(operation, "from");
  auto value = from ? CopyAt(target, *from, allocator) : std::nullopt;
  if (!path || !value) return false;
  if (move) return RemoveAt(target, *from) && AddAt(target, *path, *std::move(value), allocator);
  copied += runtime::ToJson(*value).size();
  return copied <= kCopiedBytesMax && AddAt(target, *path, *std::move(value), allocator);
}

// Reports whether two values are equal for "test". 1 and 1.0 are not, because the library of
// kube-apiserver compares the texts of numbers. It panics for lists that have null, so they are not
// equal to anything.
bool Same(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  if (a.GetType() != b.GetType()) return false;
  if (a.IsNumber()) return a.IsDouble() == b.IsDouble() && a == b;
  if (a.IsArray()) {
    return std::equal(a.Begin(), a.End(), b.Begin(), b.End(),
                      [](const runtime::JsonValue& x, const runtime::JsonValue& y) {
                        return !x.IsNull() && Same(x, y);
                      });
  }
  if (!a.IsObject()) return a == b;
  return a.MemberCount() == b.MemberCount() &&
         std::all_of(a.MemberBegin(), a.MemberEnd(), [&](const auto& member) {
           const runtime::JsonValue* const other = runtime::Find(b, runtime::ToView(member.name));
           return other != nullptr && Same(member.value, *other);
         });
}

// Replaces the whole document, if `value` is an object or an array.
bool ReplaceRoot(runtime::JsonDocument& target, const runtime::JsonValue& value) {
  if (!value.IsObject() && !value.IsArray()) return false;
  runtime::JsonValue copy(value, target.GetAllocator());
  static_cast<runtime::JsonValue&>(target) = std::move(copy);
  return true;
}

bool RunOperation(runtime::JsonDocument& target, const runtime::JsonValue& operation,
                  std::size_t& copied) {
  static const runtime::JsonValue null;
  auto& allocator = target.GetAllocator();
  const std::string_view op = runtime::GetString(operation, "op");
  const runtime::JsonValue* const given = runtime::Find(operation, "value");
  const runtime::JsonValue& value = given == nullptr ? null : *given;  // as in Go
  if (op == "move" || op == "copy") return MoveOrCopy(target, operation, op == "move", copied);
  const runtime::JsonValue* const pointer = runtime::Find(operation, "path");
  const bool whole = pointer != nullptr && pointer->IsString() && pointer->GetStringLength() == 0;
  if (whole && op == "replace") return ReplaceRoot(target, value);
  if (whole && op == "test") return Same(target, value);
  const auto path = PointerAt(operation, "path");
  if (!path) return false;
  if (op == "remove") return RemoveAt(target, *path);
  if (op == "add") return AddAt(target, *path, runtime::JsonValue(value, allocator), allocator);
  if (op == "test") {
    const auto existing = CopyAt(target, *path, allocator);
    return existing && Same(*existing, value);
  }
  if (op != "replace") return false;
  runtime::JsonValue* const parent = ParentOf(target, *path);
  if (parent == nullptr) return false;
  if (runtime::JsonValue* const existing = Step(*parent, path->back())) {
    existing->CopyFrom(value, allocator);
    return true;
  }
  // "replace" may add a member, but not an item.
  return parent->IsObject() &&
         AddAt(target, *path, runtime::JsonValue(value, allocator), allocator);
}

}  // namespace

Result<void> ApplyJsonPatch(runtime::JsonDocument& target, const runtime::JsonValue& operations) {
  if (operations.IsNull()) return {};  // as in Go
  if (!operations.IsArray()) {
    return tl::unexpected(
        BadRequest("error decoding patch: json: cannot unmarshal object into Go value of type "
                   "[]handlers.jsonPatchOp"));
  }
  std::size_t copied = 0;
  for (const runtime::JsonValue& operation : operations.GetArray()) {
    if (GoesTooDeep(target, operation)) {
      return tl::unexpected(BadRequest("the JSON patch nests maps and lists deeper than " +
                                       std::to_string(kDepthMax) + " levels with op " +
                                       Quote(runtime::GetString(operation, "op")) +
                                       "; send a flatter value"));
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

void ApplyMergePatch(runtime::JsonValue& target, const runtime::JsonValue& patch,
                     JsonAllocator& allocator) {
  if (!patch.IsObject()) {
    // The library of kube-apiserver keeps nulls only in an array that replaces an object.
    const bool prune = !target.IsObject();
    target.CopyFrom(patch, allocator);
    if (prune) DropNulls(target);
    return;
  }
  if (!target.IsObject()) target.SetObject();
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    if (member.value.IsNull()) {
      Remove(target, name);
    } else {
      runtime::JsonValue* existing = FindMutable(target, name);
      if (existing == nullptr) existing = &Set(target, name, runtime::JsonValue(), allocator);
      ApplyMergePatch(*existing, member.value, allocator);
    }
  }
}

}  // namespace capstan::testing::apiserver
