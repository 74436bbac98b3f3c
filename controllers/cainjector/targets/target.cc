// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/target.h"

#include "clientgo/util/base64.h"

namespace controllers::cainjector {

using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteKey;
using clientgo::runtime::WriteString;

namespace {

void WriteField(JsonWriter& writer, std::string_view name, std::string_view value) {
  WriteKey(writer, name);
  WriteString(writer, value);
}

}  // namespace

std::string MakeApplyConfiguration(const clientgo::runtime::ResourceType& type,
                                   const clientgo::runtime::Object& object, ApplyTo to,
                                   const std::function<void(JsonWriter&)>& write_fields) {
  clientgo::runtime::JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteField(writer, "apiVersion", type.gvr.ApiVersion());
  WriteField(writer, "kind", type.kind);
  WriteKey(writer, "metadata");
  writer.StartObject();
  WriteField(writer, "name", object.name());
  WriteField(writer, "uid", object.uid());
  if (to == ApplyTo::kThisVersion && !object.resource_version().empty()) {
    WriteField(writer, "resourceVersion", object.resource_version());
  }
  writer.EndObject();
  write_fields(writer);
  writer.EndObject();
  return buffer.GetString();
}

void WriteCaBundle(JsonWriter& writer, std::string_view bundle) {
  WriteField(writer, "caBundle", clientgo::util::Base64Encode(bundle));
}

std::shared_ptr<clientgo::util::Interner> SharedBundles() {
  static const auto bundles = std::make_shared<clientgo::util::Interner>();
  return bundles;
}

}  // namespace controllers::cainjector
