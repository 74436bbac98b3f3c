// SPDX-License-Identifier: Apache-2.0
// DiscoveryClient reads which groups, versions and resources an API server serves. It uses
// aggregated discovery, which needs two requests for everything, and falls back to one request for
// each group and version on a server that does not have it.
//
//   discovery::DiscoveryClient discovery(client);
//   auto found = discovery.ServerGroupsAndResources(stop);
//   for (const discovery::ApiResourceList& list : found->resources) ...
//   if (!found->failed.empty())
//     ErrorS(discovery::GroupDiscoveryFailed(found->failed), "Some groups are missing");
//
// A group whose server is down does not fail the call: its versions are in Discovered::failed,
// beside what was found. Each response has at most 16 MiB, and the fallback sends at most 2000
// requests. All calls block and are thread-safe.
//
// Mirrors k8s.io/client-go/discovery.DiscoveryClient. Differs: no OpenAPI and no protobuf; the
// fallback sends its requests one after another and does not repeat them; the group and version of
// an ApiResource are always set.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/group_version.h"

namespace capstan::discovery {

// ServerVersionInfo is the response of /version. Mirrors version.Info.
struct CAPSTAN_EXPORT ServerVersionInfo {
  std::string major = {};
  std::string minor = {};        // some providers append a "+"
  std::string git_version = {};  // "v1.34.4"
  std::string git_commit = {};
  std::string go_version = {};
  std::string platform = {};
};

// ApiGroup is a group and its versions, in the server's order. Mirrors metav1.APIGroup.
struct CAPSTAN_EXPORT ApiGroup {
  std::string name = {};  // empty: the core group
  std::vector<std::string> versions = {};
  std::string preferred_version = {};
  friend bool operator==(const ApiGroup&, const ApiGroup&) = default;
};

// ApiResource is a resource or a subresource of one version. Mirrors metav1.APIResource.
struct CAPSTAN_EXPORT ApiResource {
  std::string name = {};           // "pods", or "pods/status"
  std::string singular_name = {};  // "pod"; empty for subresources
  bool namespaced = false;
  // The kind of the objects. A subresource may have a kind of another group.
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  std::vector<std::string> verbs = {};
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};

  bool IsSubresource() const { return name.find('/') != std::string::npos; }
  friend bool operator==(const ApiResource&, const ApiResource&) = default;
};

// ApiResourceList is what one version of a group serves. Mirrors metav1.APIResourceList.
struct CAPSTAN_EXPORT ApiResourceList {
  runtime::GroupVersion group_version = {};
  std::vector<ApiResource> resources = {};
  friend bool operator==(const ApiResourceList&, const ApiResourceList&) = default;
};

// FailedGroups are the versions whose resources could not be read, and why.
using FailedGroups = std::map<runtime::GroupVersion, Error>;

// Returns one error for all failed groups, with the text of client-go's ErrGroupDiscoveryFailed:
// "unable to retrieve the complete list of server APIs: ...". REQUIRES: `failed` is not empty.
CAPSTAN_EXPORT Error GroupDiscoveryFailed(const FailedGroups& failed);

struct CAPSTAN_EXPORT Discovered {
  std::vector<ApiGroup> groups = {};            // the core group first, then in the server's order
  std::vector<ApiResourceList> resources = {};  // in the order of the groups and their versions
  FailedGroups failed = {};
  // False: a GroupsAndMaybeResources found only the groups.
  bool has_resources = true;
};

struct CAPSTAN_EXPORT DiscoveryOptions {
  bool use_legacy_discovery = false;  // does not request the aggregated form
};

class CAPSTAN_EXPORT DiscoveryClient {
 public:
  // `client` outlives the DiscoveryClient.
  explicit DiscoveryClient(rest::Client& client, DiscoveryOptions options = {})
      : client_(client), options_(options) {}

  Expected<ServerVersionInfo> ServerVersion(const rest::CallOptions& call) const;
  Expected<std::vector<ApiGroup>> ServerGroups(const rest::CallOptions& call) const;
  // `group_version` is "v1" or "apps/v1". Sends one request. Fails with kNotFound if the server
  // does not serve it, except that a missing "v1" is empty.
  Expected<ApiResourceList> ServerResourcesForGroupVersion(const rest::CallOptions& call,
                                                           std::string_view group_version) const;
  // Fails only if the groups cannot be read, the API server cannot be reached, or the call is
  // stopped.
  Expected<Discovered> ServerGroupsAndResources(const rest::CallOptions& call) const;
  // Returns each resource once, without subresources: in the preferred version of its group, or in
  // the first version that has it.
  Expected<Discovered> ServerPreferredResources(const rest::CallOptions& call) const;
  // Returns the groups, and the resources if the server has aggregated discovery. Sends two
  // requests.
  Expected<Discovered> GroupsAndMaybeResources(const rest::CallOptions& call) const;

 private:
  Expected<Discovered> Download(const rest::CallOptions& call, const std::string& path) const;
  Expected<void> FetchResources(const rest::CallOptions& call, Discovered& found) const;

  rest::Client& client_;
  const DiscoveryOptions options_;
};

}  // namespace capstan::discovery
