// SPDX-License-Identifier: Apache-2.0
// The wire form of Status, declared in status.h.
#include "apiserver/status.h"
#include "clientgo/runtime/json.h"

namespace apiserver {
namespace {

using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteString;

void WriteMember(JsonWriter& writer, const char* key, std::string_view value) {
  if (value.empty()) return;
  writer.Key(key);
  WriteString(writer, value);
}

}  // namespace

std::string Status::ToJson() const {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteMember(writer, "kind", "Status");
  WriteMember(writer, "apiVersion", "v1");
  writer.Key("metadata");
  writer.StartObject();
  WriteMember(writer, "continue", continue_token);
  writer.EndObject();
  WriteMember(writer, "status", "Failure");
  WriteMember(writer, "message", message);
  WriteMember(writer, "reason", reason);
  if (has_details) {
    writer.Key("details");
    writer.StartObject();
    WriteMember(writer, "name", name);
    WriteMember(writer, "group", group);
    WriteMember(writer, "kind", kind);
    if (!causes.empty()) {
      writer.Key("causes");
      writer.StartArray();
      for (const Cause& cause : causes) {
        writer.StartObject();
        WriteMember(writer, "reason", cause.reason);
        WriteMember(writer, "message", cause.message);
        WriteMember(writer, "field", cause.field);
        writer.EndObject();
      }
      writer.EndArray();
    }
    if (retry_after) {
      writer.Key("retryAfterSeconds");
      writer.Int(*retry_after);
    }
    writer.EndObject();
  }
  writer.Key("code");
  writer.Int(code);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace apiserver
