// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/discovery.h"

#include <algorithm>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kVersion =
    R"({"major":"1","minor":"34","gitVersion":"v1.34.4+capstan","gitCommit":"","gitTreeState":"",)"
    R"("buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"","platform":"linux/amd64"})";

std::string ApiVersions(std::string_view server_address) {
  return R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
         R"([{"clientCIDR":"0.0.0.0/0","serverAddress":)" +
         Quote(server_address) + "}]}";
}

// The first version is the preferred one.
std::string GroupJson(std::string_view group, const std::vector<const Resource*>& resources,
                      bool with_type) {
  std::vector<std::string> versions;
  for (const Resource* const resource : resources) {
    if (resource->group != group) continue;
    std::string version = R"({"groupVersion":)" + Quote(resource->ApiVersion()) + R"(,"version":)" +
                          Quote(resource->version) + "}";
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(std::move(version));
    }
  }
  std::string all;
  for (const std::string& version : versions) all += (all.empty() ? "" : ",") + version;
  return std::string(with_type ? R"({"kind":"APIGroup","apiVersion":"v1",)" : "{") + R"("name":)" +
         Quote(group) + R"(,"versions":[)" + all + R"(],"preferredVersion":)" + versions.front() +
         "}";
}

std::string GroupList(const std::vector<const Resource*>& resources) {
  std::string groups;
  std::string_view previous;
  for (const Resource* const resource : resources) {
    if (resource->group == previous) continue;  // the resources are ordered by group
    previous = resource->group;
    groups += (groups.empty() ? "" : ",") + GroupJson(resource->group, resources, false);
  }
  return R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" + groups + "]}";
}

std::string Singular(const Resource& resource) {
  return Quote(resource.singular.empty() ? LowerAscii(resource.kind)
                                         : std::string(resource.singular));
}

// Returns the member `name` with a list that is written as "a,b"; nothing for an empty list.
std::string ListMember(std::string_view name, std::string_view list) {
  std::string all;
  for (const std::string_view each : Split(list, ',')) {
    all += (all.empty() ? "" : ",") + Quote(each);
  }
  return all.empty() ? "" : "," + Quote(name) + ":[" + all + "]";
}

// Returns the members that both forms of a resource have.
std::string CommonMembers(const Resource& resource) {
  constexpr std::string_view kVerbs = "create,delete,deletecollection,get,list,patch,update,watch";
  return ListMember("categories", resource.categories) + ListMember("verbs", kVerbs) +
         ListMember("shortNames", resource.short_names);
}

std::string ResourceJson(const Resource& resource) {
  return R"({"name":)" + Quote(resource.plural) + R"(,"singularName":)" + Singular(resource) +
         R"(,"namespaced":)" + (resource.namespaced ? "true" : "false") + R"(,"kind":)" +
         Quote(resource.kind) + CommonMembers(resource) + "}";
}

// A subresource with a kind of another group names that group and its version.
struct Subresource {
  std::string_view name;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind;
  std::string_view verbs = R"("get","patch","update")";
};

std::vector<Subresource> SubresourcesOf(const Resource& resource) {
  std::vector<Subresource> all;
  if (resource.posted) {
    all.push_back({.name = "binding", .kind = "Binding", .verbs = R"("create")"});
    all.push_back({.name = "eviction",
                   .group = "policy",
                   .version = "v1",
                   .kind = "Eviction",
                   .verbs = R"("create")"});
  }
  if (resource.scale) {
    all.push_back({.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale"});
  }
  if (resource.status) all.push_back({.name = "status", .kind = resource.kind});
  return all;
}

std::string SubresourceJson(const Resource& resource, const Subresource& subresource) {
  const std::string name = std::string(resource.plural) + "/" + std::string(subresource.name);
  std::string json = R"({"name":)" + Quote(name) + R"(,"singularName":"","namespaced":)" +
                     (resource.namespaced ? "true" : "false");
  if (!subresource.group.empty()) {
    json += R"(,"group":)" + Quote(subresource.group);
    json += R"(,"version":)" + Quote(subresource.version);
  }
  json += R"(,"kind":)" + Quote(subresource.kind);
  return json + R"(,"verbs":[)" + std::string(subresource.verbs) + "]}";
}

std::optional<std::string> ResourceList(std::string_view group_version,
                                        const std::vector<const Resource*>& all) {
  std::string resources;
  for (const Resource* const resource : all) {
    if (resource->ApiVersion() != group_version) continue;
    resources += (resources.empty() ? "" : ",") + ResourceJson(*resource);
    for (const Subresource& subresource : SubresourcesOf(*resource)) {
      resources += "," + SubresourceJson(*resource, subresource);
    }
  }
  if (resources.empty()) return std::nullopt;
  // The list of the core group has no apiVersion.
  const bool core = group_version.find('/') == std::string_view::npos;
  return R"({"kind":"APIResourceList",)" + std::string(core ? "" : R"("apiVersion":"v1",)") +
         R"("groupVersion":)" + Quote(group_version) + R"(,"resources":[)" + resources + "]}";
}

constexpr std::string_view kAggregatedType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

std::string ResponseKind(std::string_view group, std::string_view version, std::string_view kind) {
  return R"("responseKind":{"group":)" + Quote(group) + R"(,"version":)" + Quote(version) +
         R"(,"kind":)" + Quote(kind) + "}";
}

std::string AggregatedResource(const Resource& resource) {
  std::string json = R"({"resource":)" + Quote(resource.plural) + "," +
                     ResponseKind(resource.group, resource.version, resource.kind) +
                     R"(,"scope":)" + (resource.namespaced ? R"("Namespaced")" : R"("Cluster")") +
                     R"(,"singularResource":)" + Singular(resource) + CommonMembers(resource);
  std::string all;
  for (const Subresource& each : SubresourcesOf(resource)) {
    const bool same = each.version.empty();
    all += (all.empty() ? "" : ",") + std::string(R"({"subresource":)") + Quote(each.name) + "," +
           ResponseKind(same ? resource.group : each.group, same ? resource.version : each.version,
                        each.kind) +
           R"(,"verbs":[)" + std::string(each.verbs) + "]}";
  }
  if (!all.empty()) json += R"(,"subresources":[)" + all + "]";
  return json + "}";
}

// Returns the group with all its versions.
std::string AggregatedGroup(std::string_view group, const std::vector<const Resource*>& resources) {
  std::vector<std::pair<std::string_view, std::string>> versions;
  for (const Resource* const resource : resources) {
    if (resource->group != group) continue;
    auto at = std::find_if(versions.begin(), versions.end(),
                           [&](const auto& each) { return each.first == resource->version; });
    if (at == versions.end()) at = versions.insert(at, {resource->version, ""});
    at->second += (at->second.empty() ? "" : ",") + AggregatedResource(*resource);
  }
  std::string all;
  for (const auto& [version, listed] : versions) {
    all += (all.empty() ? "" : ",") + std::string(R"({"version":)") + Quote(version) +
           R"(,"resources":[)" + listed + R"(],"freshness":"Current"})";
  }
  const std::string name = group.empty() ? "{}" : R"({"name":)" + Quote(group) + "}";
  return R"({"metadata":)" + name + R"(,"versions":[)" + all + "]}";
}

// Returns the core group, or all other groups.
std::string AggregatedList(bool core, const std::vector<const Resource*>& resources) {
  std::string items;
  std::string_view previous;
  for (const Resource* const resource : resources) {
    const std::string_view group = resource->group;
    if (group.empty() != core || (!items.empty() && group == previous)) continue;
    previous = group;
    items += (items.empty() ? "" : ",") + AggregatedGroup(group, resources);
  }
  return R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
         R"("items":[)" +
         items + "]}";
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

std::optional<std::string> Unaggregated(std::string_view path, std::string_view server_address,
                                        const std::vector<const Resource*>& resources) {
  if (path == "/version") return std::string(kVersion);
  if (path == "/api") return ApiVersions(server_address);
  if (path == "/apis") return GroupList(resources);
  if (path == "/api/v1") return ResourceList("v1", resources);
  constexpr std::string_view kApis = "/apis/";
  if (!path.starts_with(kApis)) return std::nullopt;
  path.remove_prefix(kApis.size());
  if (path.find('/') != std::string_view::npos) return ResourceList(path, resources);
  for (const Resource* const resource : resources) {
    if (resource->group == path && !path.empty()) return GroupJson(path, resources, true);
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
                             .body = AggregatedList(path == "/api", resources)};
  }
  auto body = Unaggregated(path, request.server_address, resources);
  if (!body) return std::nullopt;
  return DiscoveryDocument{.content_type = "application/json", .body = *std::move(body)};
}

}  // namespace capstan::testing::apiserver
