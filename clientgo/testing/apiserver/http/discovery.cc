// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/discovery.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "capstan/base64.h"
#include "capstan/cert/certificate.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/http/health.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

using ResourceList = std::vector<const Resource*>;

Json Version() {
  return {{"major", "1"},    {"minor", "34"},      {"gitVersion", "v1.34.4+capstan"},
          {"gitCommit", ""}, {"gitTreeState", ""}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", ""},     {"platform", "linux/amd64"}};
}

Json ApiVersions(std::string_view server_address) {
  const Json address = {{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}};
  return {{"kind", "APIVersions"},
          {"versions", Json::List({"v1"})},
          {"serverAddressByClientCIDRs", Json::List({address})}};
}

// Returns the groups in their order, each with its resources.
std::vector<ResourceList> Groups(const ResourceList& resources) {
  std::vector<ResourceList> groups;
  for (const Resource* const resource : resources) {
    const bool same = !groups.empty() && groups.back().front()->group == resource->group;
    if (!same) groups.emplace_back();
    groups.back().push_back(resource);
  }
  return groups;
}

// The first version is the preferred one.
Json Group(const ResourceList& resources, bool with_type) {
  std::vector<Json> versions;
  for (const Resource* const resource : resources) {
    Json version = {{"groupVersion", resource->ApiVersion()}, {"version", resource->version}};
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(std::move(version));
    }
  }
  Json group;
  if (with_type) group = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  group.Add("name", resources.front()->group);
  group.Add("versions", Json::List(versions));
  group.Add("preferredVersion", versions.front());
  return group;
}

Json GroupList(const ResourceList& resources) {
  std::vector<Json> groups;
  for (const ResourceList& group : Groups(resources)) {
    if (!group.front()->group.empty()) groups.push_back(Group(group, false));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Json::List(groups)}};
}

std::string Singular(const Resource& resource) {
  return resource.singular.empty() ? LowerAscii(resource.kind) : std::string(resource.singular);
}

// Adds the members that both forms of a resource have.
void AddCommonMembers(const Resource& resource, Json& json) {
  constexpr std::string_view kVerbs = "create,delete,deletecollection,get,list,patch,update,watch";
  constexpr std::string_view kNamespaceVerbs = "create,delete,get,list,patch,update,watch";
  const std::string_view stored = IsNamespace(resource) ? kNamespaceVerbs : kVerbs;
  json.Add("categories", OmitEmptyList(Split(resource.categories, ',')));
  json.Add("verbs", Json::List(Split(resource.review ? "create" : stored, ',')));
  json.Add("shortNames", OmitEmptyList(Split(resource.short_names, ',')));
}

// Returns a hash of the version in which the server keeps the objects; none for what is not kept.
// Mirrors StorageVersionHash of k8s.io/apiserver/pkg/endpoints/discovery.
std::string StorageVersionHash(const Resource& resource) {
  if (resource.review) return {};
  const bool event = resource.group == "events.k8s.io" &&
                     resource.twin != nullptr;  // kept as that of the core group
  const Resource& stored = event ? *resource.twin() : StoredAs(resource);
  const std::string text = std::string(stored.group) + "/" + std::string(stored.version) + "/" +
                           std::string(stored.kind);
  constexpr std::size_t kBytes = 8;
  const std::string digits = cert::Sha256(text);
  std::string hash;
  for (std::size_t i = 0; i < kBytes; ++i) {
    unsigned char byte = 0;
    std::from_chars(&digits[2 * i], &digits[2 * i + 2], byte, 16);
    hash += static_cast<char>(byte);
  }
  return Base64Encode(hash);
}

Json ResourceJson(const Resource& resource) {
  Json json = {{"name", resource.plural},
               {"singularName", Singular(resource)},
               {"namespaced", resource.namespaced},
               {"kind", resource.kind}};
  AddCommonMembers(resource, json);
  json.Add("storageVersionHash", OmitEmpty(StorageVersionHash(resource)));
  return json;
}

// A subresource with a kind of another group names that group and its version.
struct Subresource {
  std::string_view name;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind;
  std::string_view verbs = "get,patch,update";
};

std::vector<Subresource> SubresourcesOf(const Resource& resource) {
  std::vector<Subresource> all;
  if (resource.approval) all.push_back({.name = "approval", .kind = resource.kind});
  if (IsNamespace(resource)) {
    all.push_back({.name = "finalize", .kind = resource.kind, .verbs = "update"});
  }
  if (resource.pods) {
    all.push_back({.name = "binding", .kind = "Binding", .verbs = "create"});
    all.push_back({.name = "ephemeralcontainers", .kind = resource.kind});
    all.push_back({.name = "eviction",
                   .group = "policy",
                   .version = "v1",
                   .kind = "Eviction",
                   .verbs = "create"});
    all.push_back({.name = "resize", .kind = resource.kind});
  }
  const Subresource status = {.name = "status", .kind = resource.kind};
  if (resource.status && resource.custom) all.push_back(status);
  if (resource.scale) {
    all.push_back({.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale"});
  }
  if (resource.status && !resource.custom) all.push_back(status);
  if (resource.tokens) {
    all.push_back({.name = "token",
                   .group = "authentication.k8s.io",
                   .version = "v1",
                   .kind = "TokenRequest",
                   .verbs = "create"});
  }
  return all;
}

Json SubresourceJson(const Resource& resource, const Subresource& subresource) {
  return {{"name", std::string(resource.plural) + "/" + std::string(subresource.name)},
          {"singularName", ""},
          {"namespaced", resource.namespaced},
          {"group", OmitEmpty(subresource.group)},
          {"version", OmitEmpty(subresource.version)},
          {"kind", subresource.kind},
          {"verbs", Json::List(Split(subresource.verbs, ','))}};
}

std::optional<Json> ResourcesOf(std::string_view group_version, const ResourceList& all) {
  std::vector<Json> resources;
  if (group_version == "v1") {
    resources.push_back({{"name", "bindings"},
                         {"singularName", "binding"},
                         {"namespaced", true},
                         {"kind", "Binding"},
                         {"verbs", Json::List({"create"})}});
  }
  for (const Resource* const resource : all) {
    if (resource->ApiVersion() != group_version) continue;
    resources.push_back(ResourceJson(*resource));
    for (const Subresource& subresource : SubresourcesOf(*resource)) {
      resources.push_back(SubresourceJson(*resource, subresource));
    }
  }
  if (resources.empty()) return std::nullopt;
  // The list of the core group has no apiVersion.
  const bool core = group_version.find('/') == std::string_view::npos;
  return Json{{"kind", "APIResourceList"},
              {"apiVersion", OmitEmpty(core ? "" : "v1")},
              {"groupVersion", group_version},
              {"resources", Json::List(resources)}};
}

Json ResponseKind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Json AggregatedResource(const Resource& resource) {
  Json json = {{"resource", resource.plural},
               {"responseKind", ResponseKind(resource.group, resource.version, resource.kind)},
               {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
               {"singularResource", Singular(resource)}};
  AddCommonMembers(resource, json);
  std::vector<Json> all;
  for (const Subresource& each : SubresourcesOf(resource)) {
    const bool same = each.version.empty();
    all.push_back(
        {{"subresource", each.name},
         {"responseKind", ResponseKind(same ? resource.group : each.group,
                                       same ? resource.version : each.version, each.kind)},
         {"verbs", Json::List(Split(each.verbs, ','))}});
  }
  json.Add("subresources", OmitEmptyList(all));
  return json;
}

// Returns the group with all its versions.
Json AggregatedGroup(const ResourceList& resources) {
  std::vector<std::pair<std::string_view, std::vector<Json>>> versions;
  if (resources.front()->group.empty()) {
    const Json bindings = {{"resource", "bindings"},
                           {"responseKind", ResponseKind("", "v1", "Binding")},
                           {"scope", "Namespaced"},
                           {"singularResource", "binding"},
                           {"verbs", Json::List({"create"})}};
    versions.emplace_back("v1", std::vector<Json>(1, bindings));
  }
  for (const Resource* const resource : resources) {
    auto at = std::find_if(versions.begin(), versions.end(),
                           [&](const auto& each) { return each.first == resource->version; });
    if (at == versions.end()) at = versions.insert(at, {resource->version, {}});
    at->second.push_back(AggregatedResource(*resource));
  }
  std::vector<Json> all;
  all.reserve(versions.size());
  for (const auto& [version, listed] : versions) {
    all.push_back(
        {{"version", version}, {"resources", Json::List(listed)}, {"freshness", "Current"}});
  }
  return {{"metadata", {{"name", OmitEmpty(resources.front()->group)}}},
          {"versions", Json::List(all)}};
}

// Returns the core group, or all other groups.
Json AggregatedList(bool core, const ResourceList& resources) {
  std::vector<Json> items;
  for (const ResourceList& group : Groups(resources)) {
    if (group.front()->group.empty() == core) items.push_back(AggregatedGroup(group));
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", Json::Object()},
          {"items", Json::List(items)}};
}

// Returns the document of "/": the served paths, sorted.
Json Paths(const ResourceList& resources) {
  std::set<std::string> paths = {"/api",        "/api/v1",     "/apis",        "/apis/",
                                 "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"};
  AddHealthPaths(paths);
  for (const Resource* const resource : resources) {
    if (resource->group.empty()) continue;
    const std::string group = "/apis/" + std::string(resource->group);
    paths.insert(group);
    paths.insert(group + "/" + std::string(resource->version));
  }
  return {{"paths", Json::List(std::vector<std::string>(paths.begin(), paths.end()))}};
}

// Reports whether the first supported type of the Accept header is the aggregated form.
bool WantsAggregated(std::string_view accept) {
  for (const std::string_view text : Split(accept, ',')) {
    const std::string_view range = Trim(text, " ");
    if (range.starts_with(kAggregatedType)) return true;
    if (range == "application/json" || range == "*/*") return false;
  }
  return false;
}

std::optional<Json> Unaggregated(std::string_view path, std::string_view server_address,
                                 const ResourceList& resources) {
  if (path == "/" || path == "/index.html") return Paths(resources);
  if (path == "/version") return Version();
  if (path == "/api") return ApiVersions(server_address);
  if (path == "/apis") return GroupList(resources);
  if (path == "/api/v1") return ResourcesOf("v1", resources);
  constexpr std::string_view kApis = "/apis/";
  if (!path.starts_with(kApis)) return std::nullopt;
  path.remove_prefix(kApis.size());
  if (path.find('/') != std::string_view::npos) return ResourcesOf(path, resources);
  for (const ResourceList& group : Groups(resources)) {
    if (group.front()->group == path && !path.empty()) return Group(group, true);
  }
  return std::nullopt;
}

}  // namespace

std::optional<DiscoveryDocument> Discover(const DiscoveryRequest& request,
                                          const std::vector<const Resource*>& resources) {
  std::string_view path = request.path;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if ((path == "/api" || path == "/apis") && WantsAggregated(request.accept)) {
    return DiscoveryDocument{.content_type = std::string(kAggregatedType),
                             .body = AggregatedList(path == "/api", resources).text()};
  }
  const auto body = Unaggregated(path, request.server_address, resources);
  if (!body) return std::nullopt;
  return DiscoveryDocument{.content_type = "application/json", .body = body->text()};
}

}  // namespace capstan::testing::apiserver
