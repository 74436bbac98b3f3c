// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/event.h"

#include <memory>
#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/heap.h"
#include "capstan/runtime/json_writer.h"
#include "clientgo/runtime/json.h"

namespace capstan::api {
namespace {

std::string GetText(const runtime::JsonValue* object, std::string_view key) {
  return object != nullptr ? std::string(runtime::GetString(*object, key)) : std::string();
}

EventFields DecodeFields(const runtime::JsonValue& value) {
  const runtime::JsonValue* involved = runtime::Find(value, "involvedObject");
  const runtime::JsonValue* source = runtime::Find(value, "source");
  const runtime::JsonValue* count = runtime::Find(value, "count");
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

void WriteReference(runtime::JsonWriter& writer, const ObjectReference& reference) {
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", reference.api_version);
  runtime::WriteField(writer, "kind", reference.kind);
  runtime::WriteField(writer, "namespace", reference.namespace_);
  runtime::WriteField(writer, "name", reference.name);
  runtime::WriteField(writer, "uid", reference.uid);
  runtime::WriteField(writer, "resourceVersion", reference.resource_version);
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
                   const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
        return runtime::MakeObject<Event>(meta, DecodeFields(value));
      }};
  return type;
}

Event::Event(const runtime::ObjectIdentity& meta, EventFields fields)
    : Object(meta), fields_(std::move(fields)) {}

std::size_t Event::ByteSize() const {
  return BlockBytes() + HeapBytesOf(fields_.involved_object.name) +
         HeapBytesOf(fields_.involved_object.uid) + HeapBytesOf(fields_.message);
}

std::string ToJson(const runtime::ObjectKey& key, const EventFields& fields) {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", EventsResource().ApiVersion());
  runtime::WriteField(writer, "kind", "Event");
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "namespace", key.namespace_);
  runtime::WriteField(writer, "name", key.name);
  writer.EndObject();
  writer.Key("involvedObject");
  WriteReference(writer, fields.involved_object);
  runtime::WriteField(writer, "type", fields.type);
  runtime::WriteField(writer, "reason", fields.reason);
  runtime::WriteField(writer, "message", fields.message);
  writer.Key("source");
  writer.StartObject();
  runtime::WriteField(writer, "component", fields.source_component);
  runtime::WriteField(writer, "host", fields.source_host);
  writer.EndObject();
  runtime::WriteField(writer, "reportingComponent", fields.source_component);
  runtime::WriteField(writer, "reportingInstance", fields.source_host);
  runtime::WriteField(writer, "firstTimestamp", fields.first_timestamp);
  runtime::WriteField(writer, "lastTimestamp", fields.last_timestamp);
  writer.Key("count");
  writer.Int(fields.count);
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace capstan::api
