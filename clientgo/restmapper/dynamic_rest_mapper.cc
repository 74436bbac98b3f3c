// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/dynamic_rest_mapper.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "capstan/discovery/discovery_client.h"
#include "capstan/mutex.h"
#include "capstan/restmapper/discovery_rest_mapper.h"

namespace capstan::restmapper {

namespace {

// Bounds the memory for names that callers have asked for.
constexpr std::size_t kNamesMax = 1000;

// Reports whether the error says nothing about the group that was requested.
bool IsAboutTheCall(const rest::CallOptions& call, const Error& error) {
  const bool has_deadline = call.deadline != Clock::TimePoint::max();
  return IsCanceled(error) || rest::IsUnreachable(error) || IsUnauthorized(error) ||
         (has_deadline && error.reason == ErrorReason::kDeadlineExceeded);
}

// Wanted is the part of discovery that a call needs. Without versions: all of the group.
struct Wanted {
  bool everything = false;
  std::string group = {};
  std::vector<std::string> versions = {};
};

bool IsListed(const std::vector<ApiGroupResources>& groups, const runtime::GroupVersion& version) {
  return std::any_of(groups.begin(), groups.end(), [&](const ApiGroupResources& each) {
    const std::vector<std::string>& versions = each.group.versions;
    return each.group.name == version.group &&
           std::find(versions.begin(), versions.end(), version.version) != versions.end();
  });
}

Wanted WantedFor(const runtime::GroupVersionResource& resource) {
  if (resource.group.empty()) return {.everything = true};
  Wanted wanted{.group = resource.group};
  if (!resource.version.empty()) wanted.versions.push_back(resource.version);
  return wanted;
}

Wanted WantedFor(const runtime::GroupKind& kind, const std::vector<std::string>& versions) {
  Wanted wanted{.group = kind.group};
  std::copy_if(versions.begin(), versions.end(), std::back_inserter(wanted.versions),
               [](const std::string& version) { return !version.empty(); });
  return wanted;
}

}  // namespace

struct DynamicRestMapper::Rep {
  Rep(rest::Client& client, DynamicRestMapperOptions the_options)
      : discovery(client), options(the_options) {}

  // Runs `find` on what is known, and again after a load if that is not enough.
  template <class Find>
  auto Lookup(const rest::CallOptions& call, const Wanted& wanted, const Find& find)
      -> decltype(find(std::declval<RestMapper&>()));
  std::shared_ptr<DiscoveryRestMapper> Current() const;
  // Reports whether everything wanted was read before.
  bool Has(const Wanted& wanted) const;
  // Returns why a wanted version could not be read.
  std::optional<Error> FailureOf(const Wanted& wanted) const;
  Expected<void> Load(const rest::CallOptions& call, const Wanted& wanted);
  // Runs `load` unless `name` was loaded less than reload_period ago. Only one runs at a time.
  Expected<void> LoadOnce(const rest::CallOptions& call, const std::string& name,
                          const std::function<Expected<void>()>& load);
  Expected<void> LoadVersion(const rest::CallOptions& call, const runtime::GroupVersion& version);
  Expected<void> LoadGroups(const rest::CallOptions& call, const Wanted& wanted);
  // Returns the versions of the wanted groups that are known by name only, and notes the groups.
  std::vector<runtime::GroupVersion> StoreGroups(discovery::Discovered found, const Wanted& wanted);
  void StoreVersion(const runtime::GroupVersion& version,
                    Expected<discovery::ApiResourceList> list);
  ApiGroupResources& GroupOf(const std::string& name) CAPSTAN_REQUIRES(mu);
  // The group has a version that is new, so its preferred version and other versions are unknown:
  // the next call without a version reads them.
  void ForgetPreferences(const std::string& group) CAPSTAN_REQUIRES(mu);

  const discovery::DiscoveryClient discovery;
  const DynamicRestMapperOptions options;
  mutable Mutex mu;
  CondVar load_ended;
  bool loading CAPSTAN_GUARDED_BY(mu) = false;
  std::vector<ApiGroupResources> groups CAPSTAN_GUARDED_BY(mu);
  discovery::FailedGroups failed CAPSTAN_GUARDED_BY(mu);
  bool has_everything CAPSTAN_GUARDED_BY(mu) = false;
  std::set<std::string> whole_groups CAPSTAN_GUARDED_BY(mu);
  std::map<std::string, Clock::TimePoint> loads CAPSTAN_GUARDED_BY(mu);  // by name
  std::shared_ptr<DiscoveryRestMapper> current CAPSTAN_GUARDED_BY(mu) =
      std::make_shared<DiscoveryRestMapper>(std::vector<ApiGroupResources>());
};

template <class Find>
auto DynamicRestMapper::Rep::Lookup(const rest::CallOptions& call, const Wanted& wanted,
                                    const Find& find)
    -> decltype(find(std::declval<RestMapper&>())) {
  if (Has(wanted)) {
    auto found = find(*Current());
    if (found || !IsNoMatch(found.error())) return found;
  }
  const auto loaded = Load(call, wanted);
  auto found = find(*Current());
  if (found || !IsNoMatch(found.error())) return found;
  if (!loaded) return Err(loaded.error().Wrap(found.error().message));
  if (const auto failure = FailureOf(wanted)) return Err(failure->Wrap(found.error().message));
  return found;
}

std::shared_ptr<DiscoveryRestMapper> DynamicRestMapper::Rep::Current() const {
  const MutexLock lock(mu);
  return current;
}

bool DynamicRestMapper::Rep::Has(const Wanted& wanted) const {
  const MutexLock lock(mu);
  if (has_everything) return true;
  if (wanted.everything) return false;
  if (whole_groups.contains(wanted.group)) return true;
  if (wanted.versions.empty()) return false;
  const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) {
    return each.group.name == wanted.group;
  });
  return group != groups.end() &&
         std::all_of(wanted.versions.begin(), wanted.versions.end(), [&](const auto& version) {
           return group->versioned_resources.contains(version);
         });
}

std::optional<Error> DynamicRestMapper::Rep::FailureOf(const Wanted& wanted) const {
  const MutexLock lock(mu);
  const auto is_wanted = [&](const runtime::GroupVersion& version) {
    const auto& all = wanted.versions;
    return wanted.everything ||
           (version.group == wanted.group &&
            (all.empty() || std::find(all.begin(), all.end(), version.version) != all.end()));
  };
  for (const auto& [version, error] : failed) {
    if (is_wanted(version)) return error;
  }
  return std::nullopt;
}

Expected<void> DynamicRestMapper::Rep::Load(const rest::CallOptions& call, const Wanted& wanted) {
  if (wanted.everything || wanted.versions.empty()) {
    return LoadOnce(call, wanted.everything ? "*" : wanted.group + "/",
                    [&] { return LoadGroups(call, wanted); });
  }
  for (const std::string& name : wanted.versions) {
    const runtime::GroupVersion version{wanted.group, name};
    auto loaded =
        LoadOnce(call, wanted.group + "/" + name, [&] { return LoadVersion(call, version); });
    if (!loaded) return loaded;
  }
  return {};
}

Expected<void> DynamicRestMapper::Rep::LoadOnce(const rest::CallOptions& call,
                                                const std::string& name,
                                                const std::function<Expected<void>()>& load) {
  {
    const MutexLock lock(mu);
    const bool mine = options.clock.WaitUntil(mu, load_ended, call.stop, call.deadline,
                                              [this]() CAPSTAN_REQUIRES(mu) { return !loading; });
    if (call.stop.stop_requested()) return Err(ErrorReason::kCanceled, "the call was canceled");
    if (!mine) return Err(ErrorReason::kDeadlineExceeded, "another call still reads discovery");
    const auto last = loads.find(name);
    if (last != loads.end() && options.clock.Now() - last->second < options.reload_period) {
      return {};
    }
    loading = true;
  }
  auto result = load();
  const MutexLock lock(mu);
  loading = false;
  load_ended.NotifyAll();
  if (!result) return result;
  if (loads.size() >= kNamesMax) {
    loads.clear();
    failed.clear();
  }
  loads[name] = options.clock.Now();
  return {};
}

Expected<void> DynamicRestMapper::Rep::LoadVersion(const rest::CallOptions& call,
                                                   const runtime::GroupVersion& version) {
  auto list = discovery.ServerResourcesForGroupVersion(call, version.String());
  if (!list && IsAboutTheCall(call, list.error())) return Err(std::move(list.error()));
  StoreVersion(version, std::move(list));
  return {};
}

Expected<void> DynamicRestMapper::Rep::LoadGroups(const rest::CallOptions& call,
                                                  const Wanted& wanted) {
  auto found = discovery.GroupsAndMaybeResources(call);
  if (!found) return Err(std::move(found.error()));
  for (const runtime::GroupVersion& version : StoreGroups(*std::move(found), wanted)) {
    if (auto loaded = LoadVersion(call, version); !loaded) return loaded;
  }
  const MutexLock lock(mu);
  if (wanted.everything) has_everything = true;
  for (const ApiGroupResources& group : groups) {
    if (group.group.name == wanted.group) whole_groups.insert(wanted.group);
  }
  return {};
}

std::vector<runtime::GroupVersion> DynamicRestMapper::Rep::StoreGroups(discovery::Discovered found,
                                                                       const Wanted& wanted) {
  std::vector<ApiGroupResources> updated = GetApiGroupResources(found);
  std::vector<runtime::GroupVersion> unread;
  const MutexLock lock(mu);
  if (found.has_resources) {
    has_everything = true;
    failed = std::move(found.failed);
  } else {
    for (ApiGroupResources& group : updated) {
      const bool is_wanted = wanted.everything || group.group.name == wanted.group;
      std::map<std::string, std::vector<discovery::ApiResource>>& known =
          GroupOf(group.group.name).versioned_resources;
      for (const std::string& version : group.group.versions) {
        if (is_wanted) unread.push_back({group.group.name, version});
        const auto at = known.find(version);
        if (at != known.end()) group.versioned_resources[version] = at->second;
      }
    }
    std::erase_if(failed, [&](const auto& each) { return !IsListed(updated, each.first); });
  }
  groups = std::move(updated);
  std::erase_if(whole_groups, [this](const std::string& name) CAPSTAN_REQUIRES(mu) {
    return std::none_of(groups.begin(), groups.end(),
                        [&](const auto& group) { return group.group.name == name; });
  });
  current = std::make_shared<DiscoveryRestMapper>(groups);
  return unread;
}

ApiGroupResources& DynamicRestMapper::Rep::GroupOf(const std::string& name) {
  for (ApiGroupResources& group : groups) {
    if (group.group.name == name) return group;
  }
  return groups.emplace_back(ApiGroupResources{.group = {.name = name}});
}

void DynamicRestMapper::Rep::ForgetPreferences(const std::string& group) {
  has_everything = false;
  whole_groups.erase(group);
  loads.erase("*");
  loads.erase(group + "/");
}

void DynamicRestMapper::Rep::StoreVersion(const runtime::GroupVersion& version,
                                          Expected<discovery::ApiResourceList> list) {
  const MutexLock lock(mu);
  ApiGroupResources& group = GroupOf(version.group);
  std::vector<std::string>& versions = group.group.versions;
  failed.erase(version);
  if (list) {
    if (std::find(versions.begin(), versions.end(), version.version) == versions.end()) {
      versions.push_back(version.version);
      ForgetPreferences(version.group);
    }
    group.versioned_resources[version.version] = std::move(list->resources);
  } else if (IsNotFound(list.error())) {
    std::erase(versions, version.version);
    group.versioned_resources.erase(version.version);
  } else {
    failed.insert_or_assign(version, std::move(list.error()));
  }
  std::erase_if(groups, [](const auto& each) { return each.group.versions.empty(); });
  current = std::make_shared<DiscoveryRestMapper>(groups);
}

DynamicRestMapper::DynamicRestMapper(rest::Client& client, DynamicRestMapperOptions options)
    : rep_(std::make_unique<Rep>(client, options)) {}

DynamicRestMapper::~DynamicRestMapper() = default;

void DynamicRestMapper::Reset() {
  const MutexLock lock(rep_->mu);
  rep_->groups.clear();
  rep_->failed.clear();
  rep_->has_everything = false;
  rep_->whole_groups.clear();
  rep_->loads.clear();
  rep_->current = std::make_shared<DiscoveryRestMapper>(rep_->groups);
}

Expected<std::vector<runtime::GroupVersionKind>> DynamicRestMapper::KindsFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  return rep_->Lookup(call, WantedFor(resource),
                      [&](RestMapper& mapper) { return mapper.KindsFor(call, resource); });
}

Expected<std::vector<runtime::GroupVersionResource>> DynamicRestMapper::ResourcesFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  return rep_->Lookup(call, WantedFor(resource),
                      [&](RestMapper& mapper) { return mapper.ResourcesFor(call, resource); });
}

Expected<std::vector<RestMapping>> DynamicRestMapper::RestMappingsFor(
    const rest::CallOptions& call, const runtime::GroupKind& kind,
    const std::vector<std::string>& versions) {
  return rep_->Lookup(call, WantedFor(kind, versions), [&](RestMapper& mapper) {
    return mapper.RestMappingsFor(call, kind, versions);
  });
}

Expected<std::string> DynamicRestMapper::ResourceSingularizer(const rest::CallOptions& call,
                                                              std::string_view resource) {
  return rep_->Lookup(call, {.everything = true}, [&](RestMapper& mapper) {
    return mapper.ResourceSingularizer(call, resource);
  });
}

}  // namespace capstan::restmapper
