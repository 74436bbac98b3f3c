// SPDX-License-Identifier: Apache-2.0
#include "apiserver/discovery.h"

#include "apiserver/resources.h"
#include "clientgo/runtime/json.h"
#include "clientgo/util/text.h"

namespace apiserver {
namespace {

using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteString;

constexpr std::string_view kVersion =
    R"({"major":"1","minor":"34","gitVersion":"v1.34.4+capstan","gitCommit":"","gitTreeState":"",)"
    R"("buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"","platform":"linux/amd64"})";

void WriteMember(JsonWriter& writer, const char* key, std::string_view value) {
  writer.Key(key);
  WriteString(writer, value);
}

std::string Text(const JsonBuffer& buffer) { return {buffer.GetString(), buffer.GetSize()}; }

std::string ApiVersions(std::string_view server_address) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteMember(writer, "kind", "APIVersions");
  writer.Key("versions");
  writer.StartArray();
  WriteString(writer, "v1");
  writer.EndArray();
  writer.Key("serverAddressByClientCIDRs");
  writer.StartArray();
  writer.StartObject();
  WriteMember(writer, "clientCIDR", "0.0.0.0/0");
  WriteMember(writer, "serverAddress", server_address);
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  return Text(buffer);
}

// Every group of the table has one version.
void WriteGroup(JsonWriter& writer, const Resource& resource, bool with_type) {
  const auto write_version = [&] {
    writer.StartObject();
    WriteMember(writer, "groupVersion", resource.ApiVersion());
    WriteMember(writer, "version", resource.version);
    writer.EndObject();
  };
  writer.StartObject();
  if (with_type) {
    WriteMember(writer, "kind", "APIGroup");
    WriteMember(writer, "apiVersion", "v1");
  }
  WriteMember(writer, "name", resource.group);
  writer.Key("versions");
  writer.StartArray();
  write_version();
  writer.EndArray();
  writer.Key("preferredVersion");
  write_version();
  writer.EndObject();
}

std::string GroupList() {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteMember(writer, "kind", "APIGroupList");
  WriteMember(writer, "apiVersion", "v1");
  writer.Key("groups");
  writer.StartArray();
  std::string_view previous;
  for (const Resource& resource : Resources()) {
    if (resource.group == previous) continue;  // the table is ordered by group
    previous = resource.group;
    WriteGroup(writer, resource, false);
  }
  writer.EndArray();
  writer.EndObject();
  return Text(buffer);
}

void WriteVerbs(JsonWriter& writer, std::initializer_list<std::string_view> verbs) {
  writer.Key("verbs");
  writer.StartArray();
  for (const std::string_view verb : verbs) WriteString(writer, verb);
  writer.EndArray();
}

void WriteResource(JsonWriter& writer, const Resource& resource, bool status) {
  writer.StartObject();
  WriteMember(writer, "name", std::string(resource.plural) + (status ? "/status" : ""));
  WriteMember(writer, "singularName", status ? std::string_view() : resource.singular);
  writer.Key("namespaced");
  writer.Bool(resource.namespaced);
  WriteMember(writer, "kind", resource.kind);
  if (status) {
    WriteVerbs(writer, {"get", "patch", "update"});
  } else {
    if (resource.api_extension) {
      writer.Key("categories");
      writer.StartArray();
      WriteString(writer, "api-extensions");
      writer.EndArray();
    }
    WriteVerbs(writer,
               {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
    if (!resource.short_names.empty()) {
      writer.Key("shortNames");
      writer.StartArray();
      for (const std::string_view name : clientgo::util::Split(resource.short_names, ',')) {
        WriteString(writer, name);
      }
      writer.EndArray();
    }
  }
  writer.EndObject();
}

std::optional<std::string> ResourceList(std::string_view group_version) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteMember(writer, "kind", "APIResourceList");
  // That of the core group has none, for as long as there are clients.
  if (group_version.find('/') != std::string_view::npos) WriteMember(writer, "apiVersion", "v1");
  WriteMember(writer, "groupVersion", group_version);
  writer.Key("resources");
  writer.StartArray();
  bool any = false;
  for (const Resource& resource : Resources()) {
    if (resource.ApiVersion() != group_version) continue;
    any = true;
    WriteResource(writer, resource, false);
    if (resource.status) WriteResource(writer, resource, true);
  }
  writer.EndArray();
  writer.EndObject();
  if (!any) return std::nullopt;
  return Text(buffer);
}

}  // namespace

std::optional<std::string> Discover(std::string_view path, std::string_view server_address) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/version") return std::string(kVersion);
  if (path == "/api") return ApiVersions(server_address);
  if (path == "/apis") return GroupList();
  if (path == "/api/v1") return ResourceList("v1");
  constexpr std::string_view kApis = "/apis/";
  if (!path.starts_with(kApis)) return std::nullopt;
  path.remove_prefix(kApis.size());
  if (path.find('/') != std::string_view::npos) return ResourceList(path);
  for (const Resource& resource : Resources()) {
    if (resource.group != path || path.empty()) continue;
    JsonBuffer buffer;
    JsonWriter writer(buffer);
    WriteGroup(writer, resource, true);
    return Text(buffer);
  }
  return std::nullopt;
}

}  // namespace apiserver
