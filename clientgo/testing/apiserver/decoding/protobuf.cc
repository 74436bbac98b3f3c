// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/protobuf.h"

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"

namespace capstan::testing::apiserver {
namespace {

// The last values of the two texts of a TypeMeta.
struct TypeMeta {
  std::string_view api_version;
  std::string_view kind;
};

TypeMeta ReadTypeMeta(std::string_view unknown, std::string& error) {
  constexpr std::uint32_t kTypeMeta = 1;
  const std::string_view type =
      runtime::OneField(unknown, kTypeMeta, runtime::WireType::kBytes, error).bytes;
  return {.api_version = runtime::OneField(type, 1, runtime::WireType::kBytes, error).bytes,
          .kind = runtime::OneField(type, 2, runtime::WireType::kBytes, error).bytes};
}

}  // namespace

tl::expected<std::string, std::string> JsonFromProtobuf(std::string_view body) {
  if (!body.starts_with(runtime::kProtobufPrefix)) {
    return tl::unexpected<std::string>(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  std::string error;
  const TypeMeta type = ReadTypeMeta(body.substr(runtime::kProtobufPrefix.size()), error);
  if (!error.empty()) return tl::unexpected(error);
  if (runtime::FindMessage(type.api_version, type.kind) == nullptr) {
    runtime::JsonWriter object;
    object.StartObject();
    runtime::WriteField(object, "kind", ToValidUtf8(std::string(type.kind)));
    runtime::WriteField(object, "apiVersion", ToValidUtf8(std::string(type.api_version)));
    object.EndObject();
    return std::move(object).Take();
  }
  auto json = runtime::JsonOf(body);
  if (!json) {
    // kube-apiserver does not say at which byte.
    const std::string& why = json.error().message;
    return tl::unexpected(why.substr(why.find(": ") + 2));
  }
  return *std::move(json);
}

}  // namespace capstan::testing::apiserver
