// SPDX-License-Identifier: Apache-2.0
// The wire form of Status, declared in status.h.
#include "apiserver/status.h"
#include "clientgo/runtime/json.h"

namespace apiserver {
namespace {

using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteField;

}  // namespace

std::string Status::ToJson() const {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteField(writer, "kind", "Status");
  WriteField(writer, "apiVersion", "v1");
  writer.Key("metadata");
  writer.StartObject();
  WriteField(writer, "continue", continue_token);
  writer.EndObject();
  WriteField(writer, "status", "Failure");
  WriteField(writer, "message", message);
  WriteField(writer, "reason", reason);
  if (has_details) {
    writer.Key("details");
    writer.StartObject();
    WriteField(writer, "name", name);
    WriteField(writer, "group", group);
    WriteField(writer, "kind", kind);
    if (!causes.empty()) {
      writer.Key("causes");
      writer.StartArray();
      for (const Cause& cause : causes) {
        writer.StartObject();
        WriteField(writer, "reason", cause.reason);
        WriteField(writer, "message", cause.message);
        WriteField(writer, "field", cause.field);
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
