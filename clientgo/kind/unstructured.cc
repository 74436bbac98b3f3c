// SPDX-License-Identifier: Apache-2.0
#include "capstan/unstructured.h"

#include <algorithm>
#include <charconv>

#include "capstan/heap.h"
#include "capstan/text.h"

namespace capstan {
namespace {

constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kEmptyObject = "{}";

// Returns nullopt if `text` is not an index.
std::optional<std::size_t> IndexOf(std::string_view text) {
  std::size_t index = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return index;
}

const runtime::JsonValue* Step(const runtime::JsonValue& value, const std::string& name) {
  if (runtime::IsJsonObject(value)) return runtime::Find(value, name);
  const auto index = IndexOf(name);
  const runtime::JsonElements elements(value);
  if (!index || *index >= elements.size()) return nullptr;
  return &*std::next(elements.begin(), static_cast<std::ptrdiff_t>(*index));
}

// Editor writes a copy of a document with another value at a path, or without that value.
class Editor {
 public:
  // `replacement` is JSON; nullopt removes the value.
  Editor(const Unstructured::Path& path, std::optional<std::string_view> replacement)
      : path_(path), replacement_(replacement) {}

  // Returns nullopt if a value on the way has the wrong type. `value` may be nullptr: missing.
  std::optional<std::string> Edit(const runtime::JsonValue* value) {
    runtime::JsonWriter writer;
    if (!Write(writer, value, 0)) return std::nullopt;
    return std::move(writer).Take();
  }

 private:
  // Writes the value at the first `depth` steps of the path.
  bool Write(runtime::JsonWriter& writer, const runtime::JsonValue* value, std::size_t depth) {
    if (depth == path_.size()) {
      writer.RawValue(*replacement_);
      return true;
    }
    if (replacement_ && value != nullptr && runtime::TypeOfJson(*value) == runtime::JsonType::kNull)
      value = nullptr;
    if (value != nullptr && runtime::IsJsonArray(*value)) return WriteArray(writer, *value, depth);
    if (value != nullptr && !runtime::IsJsonObject(*value)) return false;
    return WriteObject(writer, value, depth);
  }

  // Reports whether the value at the next step is removed.
  bool IsRemoved(std::size_t depth) const { return !replacement_ && depth + 1 == path_.size(); }

  bool WriteObject(runtime::JsonWriter& writer, const runtime::JsonValue* object,
                   std::size_t depth) {
    const std::string& name = path_[depth];
    bool found = false;
    writer.StartObject();
    if (object != nullptr) {
      for (const auto& [key, value] : runtime::JsonMembers(*object)) {
        const bool edited = key == name;
        // A duplicate of an edited member is dropped, because readers use the first one.
        if (edited && (found || IsRemoved(depth))) {
          found = true;
          continue;
        }
        found = found || edited;
        writer.Key(key);
        if (!edited) {
          writer.Value(value);
        } else if (!Write(writer, &value, depth + 1)) {
          return false;
        }
      }
    }
    if (!found && replacement_) {
      writer.Key(name);
      if (!Write(writer, nullptr, depth + 1)) return false;
    }
    writer.EndObject();
    return true;
  }

  bool WriteArray(runtime::JsonWriter& writer, const runtime::JsonValue& array, std::size_t depth) {
    const auto index = IndexOf(path_[depth]);
    const runtime::JsonElements elements(array);
    if (!index || *index > elements.size()) return false;
    std::size_t at = 0;
    writer.StartArray();
    for (const runtime::JsonValue& element : elements) {
      const bool edited = at++ == *index;
      if (edited && IsRemoved(depth)) continue;
      if (!edited) {
        writer.Value(element);
      } else if (!Write(writer, &element, depth + 1)) {
        return false;
      }
    }
    if (*index == elements.size() && replacement_ && !Write(writer, nullptr, depth + 1)) {
      return false;
    }
    writer.EndArray();
    return true;
  }

  const Unstructured::Path& path_;
  std::optional<std::string_view> replacement_;
};

std::string MetadataJson(const ObjectMeta& metadata) {
  runtime::JsonWriter writer;
  EncodeObjectMeta(writer, metadata);
  return std::move(writer).Take();
}

runtime::ParsedJson MustParse(std::string_view json) {
  return std::move(runtime::ParsedJson::Parse(json).value());
}

}  // namespace

Unstructured::Unstructured(std::string api_version, std::string kind)
    : api_version_(std::move(api_version)), kind_(std::move(kind)) {}

Expected<Unstructured> Unstructured::FromJson(std::string_view json) {
  const auto parsed = runtime::ParsedJson::Parse(json);
  if (!parsed) return Err(parsed.error());
  if (runtime::GetString(parsed->root(), "kind").empty()) {
    return Err(ErrorReason::kDecode, "the text is not an object with a kind");
  }
  return FromValue(parsed->root());
}

Expected<Unstructured> Unstructured::FromValue(const runtime::JsonValue& value) {
  Unstructured object(std::string(runtime::GetString(value, "apiVersion")),
                      std::string(runtime::GetString(value, "kind")));
  DecodeProblem problem;
  if (!detail::DecodeMetadata(value, object.metadata, problem)) {
    return Err(ErrorReason::kDecode, problem.message());
  }
  runtime::JsonWriter writer;
  writer.StartObject();
  for (const auto& [name, member] : runtime::JsonMembers(value)) {
    if (name == "apiVersion" || name == "kind" || name == kMetadata) continue;
    writer.Key(name);
    writer.Value(member);
  }
  writer.EndObject();
  object.json_ = std::move(writer).Take();
  object.json_.shrink_to_fit();
  return object;
}

void Unstructured::Visit(const Path& path, const Visitor& visit) const {
  const bool in_metadata = !path.empty() && path.front() == kMetadata;
  const auto parsed = runtime::ParsedJson::Parse(in_metadata ? MetadataJson(metadata) : json_);
  const runtime::JsonValue* value = parsed ? &parsed->root() : nullptr;
  for (std::size_t i = in_metadata ? 1 : 0; i < path.size() && value != nullptr; ++i) {
    value = Step(*value, path[i]);
  }
  if (value == nullptr) return;
  if (runtime::TypeOfJson(*value) != runtime::JsonType::kNull) visit(*value);
}

Expected<std::string> Unstructured::Edited(const Path& path,
                                           std::optional<std::string_view> replacement) const {
  const bool in_metadata = path.front() == kMetadata;
  const auto parsed = runtime::ParsedJson::Parse(in_metadata ? MetadataJson(metadata) : json_);
  if (!parsed) return Err(ErrorReason::kInvalidArgument, parsed.error().message);
  const Path below(path.begin() + (in_metadata ? 1 : 0), path.end());
  auto edited = Editor(below, replacement).Edit(&parsed->root());
  if (!edited) {
    return Err(ErrorReason::kInvalidArgument,
               "a value on the way is not an object, or an index is not in its array");
  }
  // The replacement may be too deep, or not UTF-8.
  if (const auto valid = runtime::ParsedJson::Parse(*edited); !valid) {
    return Err(ErrorReason::kInvalidArgument, valid.error().message);
  }
  return std::move(*edited);
}

Expected<void> Unstructured::Store(const Path& path, std::string json) {
  if (path.front() != kMetadata) {
    json_ = std::move(json);
    return {};
  }
  ObjectMeta decoded;
  DecodeProblem problem;
  const runtime::ParsedJson parsed = MustParse(json);
  if (!DecodeObjectMeta(parsed.root(), decoded, problem)) {
    return Err(ErrorReason::kInvalidArgument, problem.message());
  }
  metadata = std::move(decoded);
  return {};
}

Expected<void> Unstructured::SetJson(const Path& path, std::string_view json) {
  const auto failed = [&](const Error& error) {
    return Err(error.Wrap("failed to set \"" + Join(path, ".") + "\""));
  };
  if (path.empty() || path.front() == "apiVersion" || path.front() == "kind") {
    return failed({.reason = ErrorReason::kInvalidArgument,
                   .message = "the path must be below the object, and not apiVersion or kind"});
  }
  auto edited = Edited(path, json);
  if (!edited) return failed(edited.error());
  if (const auto stored = Store(path, std::move(*edited)); !stored) return failed(stored.error());
  return {};
}

void Unstructured::Remove(const Path& path) {
  if (path.empty()) return;
  if (path.size() == 1 && path.front() == kMetadata) {
    metadata = {};
  } else if (auto edited = Edited(path, std::nullopt)) {
    (void)Store(path, std::move(*edited));  // what is left has the right types
  }
}

runtime::ParsedJson Unstructured::Parse() const { return MustParse(json_); }

std::string Unstructured::ToJson() const {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", api_version_);
  runtime::WriteField(writer, "kind", kind_);
  writer.Key(kMetadata);
  EncodeObjectMeta(writer, metadata);
  std::string text = std::move(writer).Take();
  if (json_ == kEmptyObject) return text + "}";
  return text.append(",").append(json_, 1);
}

std::string StatusToJson(const Unstructured& object) {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", object.api_version());
  runtime::WriteField(writer, "kind", object.kind());
  detail::WriteIdentity(writer, object.metadata);
  writer.Key("status");
  const auto status = object.Get<RawJson>({"status"});
  writer.RawValue(status ? std::string_view(status->text) : "{}");
  writer.EndObject();
  return std::move(writer).Take();
}

runtime::ResourceType Unstructured::TypeFor(runtime::GroupVersionResource gvr, std::string kind,
                                            bool namespaced) {
  auto decode = [api_version = gvr.ApiVersion(), kind](
                    const runtime::ObjectIdentity& identity,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    auto object = FromValue(value);
    if (!object) return Err(std::move(object.error()));
    // The items of a list have neither.
    if (object->api_version_.empty()) object->api_version_ = api_version;
    if (object->kind_.empty()) object->kind_ = kind;
    return runtime::MakeObject<TypedObject<Unstructured>>(identity, std::move(*object));
  };
  return {.gvr = std::move(gvr),
          .kind = std::move(kind),
          .namespaced = namespaced,
          .projection = runtime::Projection::All(),
          .decode = std::move(decode)};
}

std::size_t Unstructured::HeapBytes() const {
  return HeapBytesOf(metadata) + HeapBytesOf(api_version_) + HeapBytesOf(kind_) +
         HeapBytesOf(json_);
}

}  // namespace capstan
