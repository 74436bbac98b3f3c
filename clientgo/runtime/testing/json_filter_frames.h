// SPDX-License-Identifier: Apache-2.0
// Test support for JsonFilter. Frames() returns what a JsonFilter makes of a stream. OracleFrames()
// returns what it should make, through RapidJSON's DOM and a recursive projection, which share only
// the tree of paths with the filter. OracleFrames() is recursive, so the stream must not be nested
// deeper than the filter allows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/json.h"
#include "clientgo/runtime/testing/frames.h"

namespace capstan::runtime {

inline Recording Frames(const Projection& projection, JsonFilter::Options options,
                        const std::vector<std::string_view>& pieces) {
  JsonFilter filter(projection, options);
  return Frames(filter, pieces);
}

// Of a frame that is a scalar, nothing is kept if the node does not keep all of it.
inline JsonValue Project(const JsonValue& value, const Projection::Node& node, bool is_frame,
                         JsonDocument::AllocatorType& pool) {
  JsonValue result;
  const bool is_scalar = !value.IsArray() && !value.IsObject();
  if (node.keep_all || (is_scalar && !is_frame)) {
    result.CopyFrom(value, pool);
  } else if (value.IsArray()) {
    result.SetArray();
    for (const JsonValue& element : value.GetArray()) {
      result.PushBack(Project(element, node, false, pool), pool);
    }
  } else if (value.IsObject()) {
    result.SetObject();
    for (const auto& member : value.GetObject()) {
      const Projection::Node* child = node.Find(ToView(member.name));
      if (child == nullptr) continue;
      result.AddMember(JsonValue(member.name, pool), Project(member.value, *child, false, pool),
                       pool);
    }
  }
  return result;
}

inline void ExtractItems(JsonDocument& document, const Projection::Node& root,
                         std::vector<std::string>& frames) {
  const Projection::Node* items = root.keep_all ? &root : root.Find("items");
  if (items == nullptr || !document.IsObject()) return;
  for (rapidjson::SizeType i = 0; i < document.MemberCount(); ++i) {
    auto& member = *(document.MemberBegin() + i);
    if (ToView(member.name) != "items" || !member.value.IsArray()) continue;
    for (const JsonValue& item : member.value.GetArray()) {
      frames.push_back("item " + ToJson(Project(item, *items, true, document.GetAllocator())));
    }
    member.value.Clear();
  }
}

// RapidJSON accepts the escape of a lone low surrogate, which has no UTF-8 form.
inline bool IsUtf8(const JsonValue& value) {
  const std::string text = ToJson(value);
  rapidjson::MemoryStream stream(text.data(), text.size());
  JsonDocument document;
  document.ParseStream<rapidjson::kParseValidateEncodingFlag, rapidjson::UTF8<>>(stream);
  return !document.HasParseError();
}

// Returns the frames as RapidJSON writes them, or nullopt for invalid JSON.
inline std::optional<std::vector<std::string>> OracleFrames(const Projection& projection,
                                                            JsonFilter::Framing framing,
                                                            std::string_view text) {
  constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag;
  std::vector<std::string> frames;
  rapidjson::MemoryStream stream(text.data(), text.size());
  for (;;) {
    JsonDocument document;
    document.ParseStream<kFlags, rapidjson::UTF8<>>(stream);
    if (document.HasParseError()) {
      const bool end = document.GetParseError() == rapidjson::kParseErrorDocumentEmpty &&
                       stream.Tell() == text.size();
      return end ? std::optional(std::move(frames)) : std::nullopt;
    }
    if (!IsUtf8(document)) return std::nullopt;
    if (framing == JsonFilter::Framing::kList) ExtractItems(document, projection.root(), frames);
    frames.push_back(ToJson(Project(document, projection.root(), true, document.GetAllocator())));
  }
}

// Returns a frame of a Recording as RapidJSON writes it, or nullopt for invalid JSON.
inline std::optional<std::string> CanonicalFrame(std::string_view frame) {
  const std::string_view prefix = frame.starts_with("item ") ? "item " : "";
  std::string text(frame.substr(prefix.size()));
  JsonParser parser;
  const auto root = parser.ParseInsitu(text.data(), text.size());
  if (!root) return std::nullopt;
  return std::string(prefix) + ToJson(**root);
}

}  // namespace capstan::runtime
