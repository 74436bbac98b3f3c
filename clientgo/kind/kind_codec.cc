// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/kind_codec.h"

#include <string>
#include <utility>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"

namespace capstan::detail {

bool DecodeMetadata(const runtime::JsonValue& json, ObjectMeta& to, DecodeProblem& problem) {
  const runtime::JsonValue* metadata = runtime::FindNonNull(json, "metadata");
  return metadata == nullptr || DecodeObjectMeta(*metadata, to, problem) || problem.At("metadata");
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
