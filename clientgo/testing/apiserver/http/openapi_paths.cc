// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi_paths.h"

#include <initializer_list>
#include <string>
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

// OperationKind is an HTTP method, what it does, and the name of the schema that it returns.
struct OperationKind {
  std::string_view method;
  std::string_view action;
  std::string returned;
};

Json Operation(const Resource& resource, OpenApiVersion version, const OperationKind& kind) {
  const bool v2 = version == OpenApiVersion::kV2;
  const Json returned = Reference(version, kind.returned);
  Json ok = {{"description", "OK"}};
  if (v2) {
    ok.Add("schema", returned);
  } else {
    ok.AddMembers(Content({kBodyType}, returned).text());
  }
  Json operation = {
      {"x-kubernetes-action", kind.action},
      {kGroupVersionKind, GroupVersionKind(resource.group, resource.version, resource.kind)},
      {"responses", {{"200", ok}}}};
  if (v2) operation.Add("produces", Json::List({kBodyType}));
  if (kind.method == "get" || kind.method == "delete") return operation;
  const bool patch = kind.method == "patch";
  const Json body = patch ? TypeSchema("object") : Reference(version, SchemaName(resource));
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
  const auto operations = [&](std::initializer_list<OperationKind> kinds) {
    Json all;
    for (const OperationKind& kind : kinds)
      all.Add(kind.method, Operation(resource, version, kind));
    return all;
  };
  const std::string collection = "/" + PathPrefix(resource) +
                                 (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                                 std::string(resource.plural);
  const std::string object = collection + "/{name}";
  const std::string name = SchemaName(resource);
  const std::string deleted = std::string(kMetaSchemas) + "Status";
  const OperationKind post = {"post", "post", name};
  const OperationKind get = {"get", "get", name};
  const OperationKind put = {"put", "put", name};
  const OperationKind patch = {"patch", "patch", name};
  if (resource.review) return paths.Add(collection, operations({post}));
  paths.Add(collection, operations({{"get", "list", ListSchemaName(resource)},
                                    post,
                                    {"delete", "deletecollection", deleted}}));
  paths.Add(
      object,
      operations(
          {get, put, patch, {"delete", "delete", resource.returns_deleted ? name : deleted}}));
  if (resource.status) paths.Add(object + "/status", operations({get, put, patch}));
}

}  // namespace capstan::testing::apiserver
