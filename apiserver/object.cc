// SPDX-License-Identifier: Apache-2.0
#include "apiserver/object.h"

#include <glog/logging.h>

#include <utility>

namespace apiserver {
namespace {

using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteString;

constexpr std::string_view kPartialHead =
    R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)";
constexpr std::string_view kMetadataKey = R"("metadata":)";

}  // namespace

ObjectPtr MakeObject(const Resource& resource, JsonDocument& document,
                     std::uint64_t resource_version) {
  JsonValue* const metadata = FindMutable(document, "metadata");
  CHECK(metadata != nullptr && metadata->IsObject()) << "validated before";
  if (resource_version == 0) {
    Remove(*metadata, "resourceVersion");
  } else {
    SetString(*metadata, "resourceVersion", std::to_string(resource_version),
              document.GetAllocator());
  }
  auto object = std::make_shared<Object>();
  object->resource_version = resource_version;
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  writer.Key("kind");
  WriteString(writer, resource.kind);
  writer.Key("apiVersion");
  WriteString(writer, resource.ApiVersion());
  writer.Key("metadata");
  object->metadata_begin = static_cast<std::uint32_t>(buffer.GetSize() + 1);  // behind the ':'
  metadata->Accept(writer);
  object->metadata_end = static_cast<std::uint32_t>(buffer.GetSize());
  for (const auto& member : std::as_const(document).GetObject()) {
    const std::string_view key = ToView(member.name);
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    clientgo::runtime::WriteKey(writer, key);
    member.value.Accept(writer);
  }
  writer.EndObject();
  object->text.assign(buffer.GetString(), buffer.GetSize());
  return object;
}

ObjectPtr WithResourceVersion(const Resource& resource, const Object& object,
                              std::uint64_t resource_version) {
  const auto document = ParseObject(object);
  return MakeObject(resource, *document, resource_version);
}

std::unique_ptr<JsonDocument> ParseObject(const Object& object) {
  std::string error;
  auto document = ParseJson(object.text, &error);
  CHECK(document != nullptr) << "our own text does not parse: " << error;
  return document;
}

void AppendObject(std::string& out, const Object& object, Form form) {
  if (form == Form::kFull) {
    out += object.text;
    return;
  }
  out += kPartialHead;
  out += object.metadata();
  out += '}';
}

void AppendItem(std::string& out, const Object& object, Form form) {
  // Items of a PartialObjectMetadataList do carry their kind.
  if (form == Form::kMetadata) return AppendObject(out, object, form);
  out += '{';
  out += std::string_view(object.text).substr(object.metadata_begin - kMetadataKey.size());
}

}  // namespace apiserver
