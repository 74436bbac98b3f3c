// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/kind_codec.h"

#include <glog/logging.h>

#include <string>
#include <utility>

#include "capstan/logging.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/text.h"

namespace capstan::detail {

bool DecodeMetadata(const runtime::JsonValue& json, ObjectMeta& to, DecodeProblem& problem) {
  const runtime::JsonValue* metadata = runtime::FindNonNull(json, "metadata");
  return metadata == nullptr || DecodeObjectMeta(*metadata, to, problem) || problem.At("metadata");
}

const FieldLayout* FindPart(const StructLayout& layout, FieldLayout::Part part) {
  for (const FieldLayout& field : layout.fields()) {
    if (field.part == part) return &field;
  }
  return nullptr;
}

namespace {

Path SplitPath(std::string_view text) {
  Path path;
  for (const std::string_view name : Split(text, '.')) path.emplace_back(name);
  return path;
}

// Reports whether the path leads to a field, through lists and maps.
bool HasPath(const StructLayout& layout, const Path& path) {
  const StructLayout* fields = &layout;
  const ValueLayout* value = nullptr;
  for (const std::string& name : path) {
    if (fields != nullptr) {
      std::size_t next = 0;
      const FieldLayout* const field = fields->Find(name, next);
      if (field == nullptr) return false;
      value = field->value;
    } else if (value->form == ValueLayout::Form::kMap) {
      value = value->element;
    } else {
      return value->scalar != nullptr && value->scalar->paths != nullptr;  // metadata
    }
    while (value->form == ValueLayout::Form::kOptional || value->form == ValueLayout::Form::kList) {
      value = value->element;
    }
    fields = FieldsOf(*value);
  }
  return true;
}

}  // namespace

std::vector<Path> PathsOfKind(const KindInfo& info, const StructLayout& layout) {
  std::vector<Path> paths;
  if (info.kept.empty()) {
    AddPaths(layout, {}, paths);
    return paths;
  }
  bool keeps_metadata = true;
  for (const std::string_view kept : info.kept) {
    Path path = SplitPath(kept);
    CHECK(HasPath(layout, path)) << "Keep() of " << info.kind << ": there is no field " << kept
                                 << "; a path has the names of JSON";
    if (path.front() == "metadata") keeps_metadata = false;
    paths.push_back(std::move(path));
  }
  for (const Path& below : ObjectMetaPaths()) {
    const bool is_identity = below == Path{"name"} || below == Path{"namespace"} ||
                             below == Path{"uid"} || below == Path{"resourceVersion"};
    if (!keeps_metadata && !is_identity) continue;
    Path path = below;
    path.insert(path.begin(), "metadata");
    paths.push_back(std::move(path));
  }
  return paths;
}

void EncodeStatus(const StructLayout& layout, runtime::JsonWriter& writer, const void* object) {
  const FieldLayout& status = *FindPart(layout, FieldLayout::Part::kStatus);
  writer.Key(status.name);
  EncodeValue(*status.value, writer, static_cast<const char*>(object) + status.offset);
}

void EncodeParts(const StructLayout& layout, runtime::JsonWriter& writer, const void* object,
                 Purpose purpose) {
  for (const FieldLayout& field : layout.fields()) {
    if (field.part != FieldLayout::Part::kMetadata) EncodeField(field, writer, object, purpose);
  }
}

runtime::ResourceType MakeType(const KindInfo& info, const std::vector<Path>& paths,
                               DecodeFunction decode) {
  return {.gvr = {.group = std::string(info.group),
                  .version = std::string(info.version),
                  .resource = std::string(info.plural)},
          .kind = std::string(info.kind),
          .namespaced = info.namespaced(),
          .metadata_only = info.metadata_only,
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

Expected<runtime::ObjectPtr> DecodeText(const runtime::ResourceType& type, std::string_view json) {
  runtime::JsonFilter filter(type.projection.object(), {});
  const auto taken = filter.Feed(json);
  if (!taken) return Err(taken.error());
  if (!filter.HasFrame()) return Err(ErrorReason::kDecode, "the text is not a JSON object");
  if (json.find_first_not_of(" \t\r\n", *taken) != std::string_view::npos) {
    return Err(ErrorReason::kDecode, "something follows the JSON object");
  }
  return runtime::DecodeObject(type, filter.frame(), filter.frame_size());
}

void BeginObject(runtime::JsonWriter& writer, const KindInfo& info) {
  writer.StartObject();
  std::string api_version(info.group);
  if (!api_version.empty()) api_version += '/';
  api_version += info.version;
  runtime::WriteField(writer, "apiVersion", api_version);
  runtime::WriteField(writer, "kind", info.kind);
}

void WriteIdentity(runtime::JsonWriter& writer, const ObjectMeta& metadata) {
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "name", metadata.name);
  runtime::WriteField(writer, "namespace", metadata.namespace_);
  runtime::WriteField(writer, "uid", metadata.uid);
  runtime::WriteField(writer, "resourceVersion", metadata.resource_version);
  writer.EndObject();
}

}  // namespace capstan::detail
