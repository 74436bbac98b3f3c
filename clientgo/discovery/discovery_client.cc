// SPDX-License-Identifier: Apache-2.0
#include "capstan/discovery/discovery_client.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"
#include "clientgo/discovery/documents.h"

namespace capstan::discovery {

namespace {

// Bounds the requests of the fallback. Clusters with many operators have some hundred versions.
constexpr std::size_t kGroupVersionsMax = 2000;

Expected<runtime::ParsedJson> Parse(const rest::RawResponse& response, std::string_view path) {
  auto parsed = runtime::ParsedJson::Parse(response.body);
  if (parsed && runtime::IsJsonObject(parsed->root())) return parsed;
  return Err(ErrorReason::kDecode,
             "failed to decode " + std::string(path) + ": " +
                 (parsed ? "it is not a JSON object" : parsed.error().message) +
                 "; check that the address is that of an API server");
}

// Reports whether no other request of this call can succeed either.
bool IsEndOfCall(const rest::CallOptions& call, const Error& error) {
  // A request without this deadline has a timeout of its own, which says that the group is slow.
  if (error.reason == ErrorReason::kDeadlineExceeded) {
    return call.deadline != Clock::TimePoint::max();
  }
  return IsCanceled(error) || rest::IsUnreachable(error);
}

// Returns the path of a version's resources. The names become a part of a path.
Expected<std::string> PathOf(const runtime::GroupVersion& version) {
  const bool core = version.group.empty();
  if ((core || IsDnsSubdomain(version.group)) && IsDnsSubdomain(version.version)) {
    return (core ? "/api/" : "/apis/") + version.String();
  }
  return Err(ErrorReason::kInvalidArgument, "\"" + version.String() +
                                                "\" is not a group and version; the form is "
                                                "\"v1\" or \"apps/v1\"");
}

// Copies each resource to the version in which it is preferred.
std::vector<ApiResourceList> Preferred(const Discovered& found) {
  struct Choice {
    runtime::GroupVersion version;
    const ApiResource* resource;
  };
  std::map<runtime::GroupVersion, const ApiResourceList*> by_version;
  for (const ApiResourceList& list : found.resources) by_version[list.group_version] = &list;
  std::vector<ApiResourceList> lists;
  for (const ApiGroup& group : found.groups) {
    std::map<std::string_view, Choice> chosen;
    std::vector<std::string_view> order;
    for (const std::string& name : group.versions) {
      const runtime::GroupVersion version{group.name, name};
      const auto listed = by_version.find(version);
      if (listed == by_version.end()) continue;
      for (const ApiResource& resource : listed->second->resources) {
        if (resource.IsSubresource()) continue;
        const auto [at, is_new] = chosen.try_emplace(resource.name, Choice{version, &resource});
        if (is_new) order.push_back(resource.name);
        if (name == group.preferred_version) at->second = {version, &resource};
      }
    }
    for (const std::string& name : group.versions) {
      ApiResourceList list{.group_version = {group.name, name}};
      if (!by_version.contains(list.group_version)) continue;
      for (const std::string_view resource : order) {
        const Choice& choice = chosen.at(resource);
        if (choice.version == list.group_version) list.resources.push_back(*choice.resource);
      }
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

}  // namespace

Error GroupDiscoveryFailed(const FailedGroups& failed) {
  const std::string text = Join(failed, ", ", [](const auto& group) {
    return group.first.String() + ": " + group.second.message;
  });
  return {.reason = failed.begin()->second.reason,
          .message = "unable to retrieve the complete list of server APIs: " + text};
}

Expected<ServerVersionInfo> DiscoveryClient::ServerVersion(const rest::CallOptions& call) const {
  const auto response = client_.GetRaw(call, "/version");
  if (!response) return Err(response.error());
  const auto parsed = Parse(*response, "/version");
  if (!parsed) return Err(parsed.error());
  return DecodeVersionInfo(parsed->root());
}

Expected<std::vector<ApiGroup>> DiscoveryClient::ServerGroups(const rest::CallOptions& call) const {
  auto found = GroupsAndMaybeResources(call);
  if (!found) return Err(std::move(found.error()));
  return std::move(found->groups);
}

Expected<ApiResourceList> DiscoveryClient::ServerResourcesForGroupVersion(
    const rest::CallOptions& call, std::string_view group_version) const {
  const auto version = runtime::GroupVersion::Parse(group_version);
  const auto path =
      PathOf(version.value_or(runtime::GroupVersion{.version = std::string(group_version)}));
  if (!path) return Err(path.error());
  const auto response = client_.GetRaw(call, *path);
  if (!response) {
    // A server of a single group need not have the core group.
    if (group_version == "v1" && IsNotFound(response.error())) {
      return ApiResourceList{.group_version = *version};
    }
    return Err(response.error());
  }
  const auto parsed = Parse(*response, *path);
  if (!parsed) return Err(parsed.error());
  return DecodeResources(parsed->root(), *version);
}

Expected<Discovered> DiscoveryClient::Download(const rest::CallOptions& call,
                                               const std::string& path) const {
  rest::RawGetOptions options;
  if (!options_.use_legacy_discovery) options.accept = kAcceptAggregated;
  const bool core = path == "/api";
  const auto response = client_.GetRaw(call, path, options);
  if (!response) {
    // A server of a single group need not have the core group.
    if (core && IsNotFound(response.error())) return Discovered{};
    return Err(response.error());
  }
  const auto parsed = Parse(*response, path);
  if (!parsed) return Err(parsed.error());
  if (IsAggregated(response->content_type)) return DecodeAggregated(parsed->root());
  return Discovered{.groups = core ? DecodeVersions(parsed->root()) : DecodeGroups(parsed->root()),
                    .has_resources = false};
}

Expected<Discovered> DiscoveryClient::GroupsAndMaybeResources(const rest::CallOptions& call) const {
  auto all = Download(call, "/api");
  if (!all) return all;
  auto named = Download(call, "/apis");
  if (!named) return named;
  std::move(named->groups.begin(), named->groups.end(), std::back_inserter(all->groups));
  all->failed.merge(named->failed);
  all->has_resources = all->has_resources && named->has_resources;
  if (!all->has_resources) {
    all->resources.clear();
    return all;
  }
  std::move(named->resources.begin(), named->resources.end(), std::back_inserter(all->resources));
  return all;
}

Expected<void> DiscoveryClient::FetchResources(const rest::CallOptions& call,
                                               Discovered& found) const {
  std::size_t requests = 0;
  for (const ApiGroup& group : found.groups) {
    for (const std::string& name : group.versions) {
      if (++requests > kGroupVersionsMax) {
        return Err(ErrorReason::kRequestEntityTooLarge, "the API server has more than " +
                                                            std::to_string(kGroupVersionsMax) +
                                                            " versions of groups");
      }
      const runtime::GroupVersion version{group.name, name};
      auto list = ServerResourcesForGroupVersion(call, version.String());
      if (list) {
        found.resources.push_back(*std::move(list));
      } else if (IsEndOfCall(call, list.error())) {
        return Err(std::move(list.error()));
      } else {
        found.failed.emplace(version, std::move(list.error()));
      }
    }
  }
  found.has_resources = true;
  return {};
}

Expected<Discovered> DiscoveryClient::ServerGroupsAndResources(
    const rest::CallOptions& call) const {
  auto found = GroupsAndMaybeResources(call);
  if (!found || found->has_resources) return found;
  if (auto fetched = FetchResources(call, *found); !fetched) {
    return Err(std::move(fetched.error()));
  }
  return found;
}

Expected<Discovered> DiscoveryClient::ServerPreferredResources(
    const rest::CallOptions& call) const {
  auto found = ServerGroupsAndResources(call);
  if (found) found->resources = Preferred(*found);
  return found;
}

}  // namespace capstan::discovery
