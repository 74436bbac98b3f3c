// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi_paths.h"

#include <initializer_list>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kBodyType = "application/json";

Json QueryParameter(OpenApiVersion version, std::string_view name, std::string_view type) {
  Json parameter = {{"name", name}, {"in", "query"}};
  if (version == OpenApiVersion::kV2) {
    parameter.Add("type", type);
  } else {
    parameter.Add("schema", TypeSchema(type));
  }
  return parameter;
}

// Returns the content of a body in version 3: each media type with the schema.
Json Content(const std::vector<std::string_view>& types, const Json& schema) {
  Json content;
  for (const std::string_view type : types) content.Add(type, {{"schema", schema}});
  return {{"content", content}};
}

// Returns the options of a write, and in version 2 also its body.
Json Parameters(OpenApiVersion version, bool patch, const Json& body) {
  std::vector<Json> parameters;
  if (version == OpenApiVersion::kV2) {
    parameters.push_back(
        Json{{"name", "body"}, {"in", "body"}, {"required", true}, {"schema", body}});
  }
  for (const char* const name : {"dryRun", "fieldManager", "fieldValidation"}) {
    parameters.push_back(QueryParameter(version, name, "string"));
  }
  if (patch) parameters.push_back(QueryParameter(version, "force", "boolean"));
  return Json::List(parameters);
}

// Returns the media types of a request's body.
std::vector<std::string_view> Consumed(const Resource& resource, bool patch) {
  if (!patch) return {kBodyType};
  std::vector<std::string_view> types = {"application/apply-patch+yaml",
                                         "application/json-patch+json",
                                         "application/merge-patch+json"};
  if (!resource.custom) types.emplace_back("application/strategic-merge-patch+json");
  return types;
}

// Returns the operation for an HTTP method, for example "patch".
Json Operation(const Resource& resource, OpenApiVersion version, std::string_view method) {
  const bool v2 = version == OpenApiVersion::kV2;
  const Json object = Reference(version, SchemaName(resource));
  Json ok = {{"description", "OK"}};
  if (v2) {
    ok.Add("schema", object);
  } else {
    ok.AddMembers(Content({kBodyType}, object).text());
  }
  Json operation = {
      {"x-kubernetes-action", method == "put" ? "update" : method},
      {kGroupVersionKind, GroupVersionKind(resource.group, resource.version, resource.kind)},
      {"responses", {{"200", ok}}}};
  if (v2) operation.Add("produces", Json::List({kBodyType}));
  if (method == "get" || method == "delete") return operation;
  const bool patch = method == "patch";
  const Json body = patch ? TypeSchema("object") : object;
  operation.Add("parameters", Parameters(version, patch, body));
  const auto types = Consumed(resource, patch);
  if (v2) {
    operation.Add("consumes", Json::List(types));
  } else {
    operation.Add("requestBody", Content(types, body));
  }
  return operation;
}

}  // namespace

std::string PathPrefix(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.ApiVersion();
}

void AddPaths(const Resource& resource, OpenApiVersion version, Json& paths) {
  const auto operations = [&](std::initializer_list<std::string_view> methods) {
    Json all;
    for (const std::string_view method : methods) {
      all.Add(method, Operation(resource, version, method));
    }
    return all;
  };
  const std::string collection = "/" + PathPrefix(resource) +
                                 (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                                 std::string(resource.plural);
  if (resource.review) return paths.Add(collection, operations({"post"}));
  paths.Add(collection, operations({"get", "post", "delete"}));
  const std::string object = collection + "/{name}";
  paths.Add(object, operations({"get", "put", "patch", "delete"}));
  if (resource.status) paths.Add(object + "/status", operations({"get", "put", "patch"}));
}

}  // namespace capstan::testing::apiserver
