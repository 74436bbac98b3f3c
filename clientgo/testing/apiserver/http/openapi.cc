// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi.h"

#include <set>

#include "clientgo/testing/apiserver/http/openapi_paths.h"
#include "clientgo/testing/apiserver/http/openapi_schemas.h"
#include "clientgo/testing/apiserver/http/openapi_v2.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kJson = "application/json";

// Returns no text if no resource has the prefix.
Json GroupVersionDocument(std::string_view prefix, const std::vector<const Resource*>& resources) {
  SchemaWriter writer(OpenApiVersion::kV3);
  Json paths;
  for (const Resource* const resource : resources) {
    if (PathPrefix(*resource) != prefix) continue;
    writer.AddKind(*resource);
    AddPaths(*resource, OpenApiVersion::kV3, paths);
  }
  if (paths.text().empty()) return {};
  return {{"openapi", "3.0.0"},
          {"info", DocumentInfo()},
          {"paths", paths},
          {"components", {{"schemas", writer.schemas()}}}};
}

Json Index(const std::vector<const Resource*>& resources) {
  std::set<std::string> known;
  Json paths = Json::Object();
  for (const Resource* const resource : resources) {
    const std::string prefix = PathPrefix(*resource);
    if (!known.insert(prefix).second) continue;
    paths.Add(prefix, {{"serverRelativeURL", "/openapi/v3/" + prefix}});
  }
  return {{"paths", paths}};
}

OpenApiDocument Version2(std::string_view accept, const std::vector<const Resource*>& resources) {
  // Clients also request the older spelling with '@', which is no valid media type. The answer has
  // the valid one.
  constexpr std::string_view kProtobuf =
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const bool protobuf = accept.find(kProtobuf) != std::string_view::npos ||
                        accept.find("application/com.github.proto-openapi.spec.v2@v1.0+protobuf") !=
                            std::string_view::npos;
  const std::string document = OpenApiV2(resources);
  if (!protobuf) return {.media_type = std::string(kJson), .body = document};
  return {.media_type = std::string(kProtobuf), .body = OpenApiV2Protobuf(document)};
}

}  // namespace

std::optional<OpenApiDocument> FindOpenApi(std::string_view path, std::string_view accept,
                                           const std::vector<const Resource*>& resources) {
  constexpr std::string_view kVersion3 = "/openapi/v3";
  if (path == "/openapi/v2") return Version2(accept, resources);
  if (!path.starts_with(kVersion3)) return std::nullopt;
  path.remove_prefix(kVersion3.size());
  const Json body = path.empty() || path == "/" ? Index(resources)
                                                : GroupVersionDocument(path.substr(1), resources);
  if (body.text().empty()) return std::nullopt;
  return OpenApiDocument{.media_type = std::string(kJson), .body = body.text()};
}

}  // namespace capstan::testing::apiserver
