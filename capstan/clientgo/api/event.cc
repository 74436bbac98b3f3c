// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/api/event.h"

#include <memory>
#include <utility>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/runtime/internal/json.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/util/heap.h"

namespace capstan::clientgo::api {
namespace {

using runtime::JsonValue;
using runtime::JsonWriter;
using runtime::WriteField;

std::string GetText(const JsonValue* object, std::string_view key) {
  return object != nullptr ? std::string(runtime::GetString(*object, key)) : std::string();
}

EventFields DecodeFields(const JsonValue& value) {
  const JsonValue* involved = runtime::Find(value, "involvedObject");
  const JsonValue* source = runtime::Find(value, "source");
  const JsonValue* count = runtime::Find(value, "count");
  return {.involved_object = {.api_version = GetText(involved, "apiVersion"),
                              .kind = GetText(involved, "kind"),
                              .namespace_ = GetText(involved, "namespace"),
                              .name = GetText(involved, "name"),
                              .uid = GetText(involved, "uid"),
                              .resource_version = GetText(involved, "resourceVersion")},
          .type = GetText(&value, "type"),
          .reason = GetText(&value, "reason"),
          .message = GetText(&value, "message"),
          .source_component = GetText(source, "component"),
          .source_host = GetText(source, "host"),
          .first_timestamp = GetText(&value, "firstTimestamp"),
          .last_timestamp = GetText(&value, "lastTimestamp"),
          .count = count != nullptr && count->IsInt() ? count->GetInt() : 0};
}

void WriteReference(JsonWriter& writer, const ObjectReference& reference) {
  writer.StartObject();
  WriteField(writer, "apiVersion", reference.api_version);
  WriteField(writer, "kind", reference.kind);
  WriteField(writer, "namespace", reference.namespace_);
  WriteField(writer, "name", reference.name);
  WriteField(writer, "uid", reference.uid);
  WriteField(writer, "resourceVersion", reference.resource_version);
  writer.EndObject();
}

}  // namespace

const runtime::ResourceType& Event::Type() {
  static const runtime::ResourceType type = {
      .gvr = EventsResource(),
      .kind = "Event",
      .namespaced = true,
      .projection = {{"involvedObject"},
                     {"type"},
                     {"reason"},
                     {"message"},
                     {"source"},
                     {"firstTimestamp"},
                     {"lastTimestamp"},
                     {"count"}},
      .decode = [](const runtime::ObjectIdentity& meta,
                   const JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
        return runtime::MakeObject<Event>(meta, DecodeFields(value));
      }};
  return type;
}

Event::Event(const runtime::ObjectIdentity& meta, EventFields fields)
    : Object(meta), fields_(std::move(fields)) {}

std::size_t Event::ByteSize() const {
  return BlockBytes() + util::HeapBytesOf(fields_.involved_object.name) +
         util::HeapBytesOf(fields_.involved_object.uid) + util::HeapBytesOf(fields_.message);
}

std::string ToJson(const runtime::ObjectKey& key, const EventFields& fields) {
  JsonWriter writer;
  writer.StartObject();
  WriteField(writer, "apiVersion", EventsResource().ApiVersion());
  WriteField(writer, "kind", "Event");
  writer.Key("metadata");
  writer.StartObject();
  WriteField(writer, "namespace", key.namespace_);
  WriteField(writer, "name", key.name);
  writer.EndObject();
  writer.Key("involvedObject");
  WriteReference(writer, fields.involved_object);
  WriteField(writer, "type", fields.type);
  WriteField(writer, "reason", fields.reason);
  WriteField(writer, "message", fields.message);
  writer.Key("source");
  writer.StartObject();
  WriteField(writer, "component", fields.source_component);
  WriteField(writer, "host", fields.source_host);
  writer.EndObject();
  WriteField(writer, "reportingComponent", fields.source_component);
  WriteField(writer, "reportingInstance", fields.source_host);
  WriteField(writer, "firstTimestamp", fields.first_timestamp);
  WriteField(writer, "lastTimestamp", fields.last_timestamp);
  writer.Key("count");
  writer.Int(fields.count);
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace capstan::clientgo::api
