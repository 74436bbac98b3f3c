// SPDX-License-Identifier: Apache-2.0
#include "capstan/kind/kind_codec.h"

#include <string>
#include <utility>

#include "capstan/clientgo/runtime/decoder.h"
#include "capstan/clientgo/runtime/json_filter.h"

namespace capstan::detail {

using clientgo::runtime::JsonValue;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteField;
using clientgo::util::Err;
using clientgo::util::ErrorReason;

bool DecodeMetadata(const JsonValue& json, ObjectMeta& to, DecodeProblem& problem) {
  const JsonValue* metadata = clientgo::runtime::FindNonNull(json, "metadata");
  return metadata == nullptr || DecodeObjectMeta(*metadata, to, problem) || problem.At("metadata");
}

clientgo::runtime::ResourceType MakeType(const KindInfo& info, const std::vector<Path>& paths,
                                         DecodeFunction decode) {
  return {.gvr = {.group = std::string(info.group),
                  .version = std::string(info.version),
                  .resource = std::string(info.plural)},
          .kind = std::string(info.kind),
          .namespaced = info.namespaced(),
          .metadata_only = info.metadata_only,
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

clientgo::util::Expected<clientgo::runtime::ObjectPtr> DecodeText(
    const clientgo::runtime::ResourceType& type, std::string_view json) {
  clientgo::runtime::JsonFilter filter(type.projection.object(), {});
  const auto taken = filter.Feed(json);
  if (!taken) return Err(taken.error());
  if (!filter.HasFrame()) return Err(ErrorReason::kDecode, "the text is not a JSON object");
  if (json.find_first_not_of(" \t\r\n", *taken) != std::string_view::npos) {
    return Err(ErrorReason::kDecode, "something follows the JSON object");
  }
  return clientgo::runtime::DecodeObject(type, filter.frame(), filter.frame_size());
}

void BeginObject(JsonWriter& writer, const KindInfo& info) {
  writer.StartObject();
  std::string api_version(info.group);
  if (!api_version.empty()) api_version += '/';
  api_version += info.version;
  WriteField(writer, "apiVersion", api_version);
  WriteField(writer, "kind", info.kind);
}

void WriteIdentity(JsonWriter& writer, const ObjectMeta& metadata) {
  writer.Key("metadata");
  writer.StartObject();
  WriteField(writer, "name", metadata.name);
  WriteField(writer, "namespace", metadata.namespace_);
  WriteField(writer, "uid", metadata.uid);
  WriteField(writer, "resourceVersion", metadata.resource_version);
  writer.EndObject();
}

}  // namespace capstan::detail
