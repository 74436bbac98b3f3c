// SPDX-License-Identifier: Apache-2.0
// The schemas of the served kinds in the OpenAPI documents of both versions: built-in kinds from
// the table of api_types.h, custom kinds from their definitions.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// The version of OpenAPI. Version 2 has no "oneOf", "anyOf" and "nullable", and a reference may
// have siblings.
enum class OpenApiVersion { kV2, kV3 };

inline constexpr std::string_view kGroupVersionKind = "x-kubernetes-group-version-kind";

Json GroupVersionKind(std::string_view group, std::string_view version, std::string_view kind);

// Returns the name of a kind's schema: "io.k8s.api.core.v1.Pod", "com.example.shop.v1.Price".
// `kind` is that of the resource or of its list.
std::string CustomSchemaName(const Resource& resource, std::string_view kind);
std::string SchemaName(const Resource& resource);
std::string ListSchemaName(const Resource& resource);
inline constexpr std::string_view kMetaSchemas = "io.k8s.apimachinery.pkg.apis.meta.v1.";
// Returns the object info of a document.
Json DocumentInfo();

Json Reference(OpenApiVersion version, std::string_view name);
Json DescribedReference(OpenApiVersion version, std::string_view name,
                        std::string_view description);
Json TypeSchema(std::string_view type, std::string_view format = {});

// SchemaWriter writes the schemas of kinds and of all messages that they refer to.
class SchemaWriter {
 public:
  explicit SchemaWriter(OpenApiVersion version) : version_(version) {}

  void AddKind(const Resource& resource);
  const Json& schemas() const { return schemas_; }  // by name

 private:
  std::string AddMessage(const runtime::Message& message);
  void AddProperties(const runtime::Message& message, Json& properties,
                     std::vector<std::string>& required);
  Json PropertySchema(const runtime::Field& field, std::string_view description);
  Json ElementSchema(const runtime::Field& field);
  void AddList(const Resource& resource);
  void AddCustomKind(const Resource& resource);
  void AddCommonTypes();

  const OpenApiVersion version_;
  Json schemas_ = Json::Object();
  std::set<std::string, std::less<>> names_;
};

}  // namespace capstan::testing::apiserver
