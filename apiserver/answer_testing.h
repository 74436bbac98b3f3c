// SPDX-License-Identifier: Apache-2.0
// Answer and WatchLine: what an API server said, taken apart for assertions. Plain data; shared by
// the tests of the embedded server and by the contract suite, whatever client they ask with.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/json_edit.h"

namespace apiserver {

struct Answer {
  int code = 0;
  std::string head;  // "Name: value\r\n" lines
  std::string body;
  JsonDocument json;  // null when the body is not JSON

  std::string_view message() const { return GetString(json, "message"); }
  std::string_view reason() const { return GetString(json, "reason"); }
  // metadata.<key>
  std::string_view meta(std::string_view key) const {
    const JsonValue* const metadata = Find(json, "metadata");
    return metadata == nullptr ? std::string_view() : GetString(*metadata, key);
  }
  std::size_t items() const {
    const JsonValue* const list = Find(json, "items");
    return list == nullptr ? 0 : list->Size();
  }
  // Fills json from the body.
  void ParseBody() {
    json.Parse(body.data(), body.size());
    if (json.HasParseError()) json.SetNull();
  }
};

// The names of a list's items: "a b ".
inline std::string Names(const Answer& answer) {
  std::string names;
  const JsonValue* const items = Find(answer.json, "items");
  if (items == nullptr || !items->IsArray()) return answer.body;
  for (const JsonValue& item : items->GetArray()) {
    names += std::string(GetString(*Find(item, "metadata"), "name")) + " ";
  }
  return names;
}

struct WatchLine {
  std::string type;
  JsonDocument object;

  // Of one event's text; its type is "GARBAGE" when that is no JSON.
  static WatchLine Parse(std::string_view text) {
    WatchLine line;
    JsonDocument event;
    event.Parse(text.data(), text.size());
    line.type = event.HasParseError() ? "GARBAGE" : std::string(GetString(event, "type"));
    if (event.HasParseError()) return line;
    if (const JsonValue* const object = Find(event, "object")) {
      line.object.CopyFrom(*object, line.object.GetAllocator());
    }
    return line;
  }

  std::string_view name() const {
    const JsonValue* const name = FindPath(object, {"metadata", "name"});
    return name == nullptr ? std::string_view() : ToView(*name);
  }
  std::string_view version() const {
    const JsonValue* const version = FindPath(object, {"metadata", "resourceVersion"});
    return version == nullptr ? std::string_view() : ToView(*version);
  }
  bool initial_events_end() const {
    return FindPath(object, {"metadata", "annotations", "k8s.io/initial-events-end"}) != nullptr;
  }
  // "ADDED a", "BOOKMARK", or "BOOKMARK end" for the end of the initial events.
  std::string Brief() const {
    if (initial_events_end()) return type + " end";
    return name().empty() ? type : type + " " + std::string(name());
  }
};

}  // namespace apiserver
