// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/shortcut_expander.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capstan/discovery/discovery_client.h"
#include "capstan/mutex.h"

namespace capstan::restmapper {

namespace {

using Lists = std::shared_ptr<const std::vector<discovery::ApiResourceList>>;

// ResourceLists keeps what discovery has found.
class ResourceLists {
 public:
  ResourceLists(rest::Client& client, ExpanderOptions options)
      : discovery_(client), options_(options) {}

  // Runs `find` on the known lists, and again on new ones if it finds nothing, or if a group was
  // missing in the known ones.
  template <class Find>
  auto Lookup(const rest::CallOptions& call, const Find& find)
      -> Expected<decltype(find(std::declval<const std::vector<discovery::ApiResourceList>&>()))> {
    const auto [known, complete, is_old] = Known();
    decltype(find(*known)) found;
    if (known != nullptr) found = find(*known);
    if (known != nullptr && (!is_old || (found && complete))) return found;
    auto read = discovery_.ServerGroupsAndResources(call);
    if (!read && found) return found;
    if (!read) return Err(std::move(read.error()));
    const auto lists =
        std::make_shared<const std::vector<discovery::ApiResourceList>>(std::move(read->resources));
    {
      const MutexLock lock(mu_);
      lists_ = lists;
      complete_ = read->failed.empty();
      read_at_ = options_.clock.Now();
    }
    return find(*lists);
  }

 private:
  struct State {
    Lists lists;
    bool complete;  // no group was missing
    bool is_old;    // they may be read again
  };
  State Known() const {
    const MutexLock lock(mu_);
    return {lists_, complete_, options_.clock.Now() - read_at_ >= options_.reload_period};
  }

  const discovery::DiscoveryClient discovery_;
  const ExpanderOptions options_;
  mutable Mutex mu_;
  Lists lists_ CAPSTAN_GUARDED_BY(mu_);  // null: not read yet
  bool complete_ CAPSTAN_GUARDED_BY(mu_) = false;
  Clock::TimePoint read_at_ CAPSTAN_GUARDED_BY(mu_);
};

bool Has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Returns the first resource in a group for which `is_group` that `matches`.
template <class IsGroup, class Matches>
std::optional<runtime::GroupResource> Search(const std::vector<discovery::ApiResourceList>& lists,
                                             const IsGroup& is_group, const Matches& matches) {
  for (const discovery::ApiResourceList& list : lists) {
    if (!is_group(list.group_version.group)) continue;
    for (const discovery::ApiResource& each : list.resources) {
      if (matches(each)) return runtime::GroupResource{list.group_version.group, each.name};
    }
  }
  return std::nullopt;
}

// Returns the resource that has this name or short name.
std::optional<runtime::GroupVersionResource> Expanded(
    const std::vector<discovery::ApiResourceList>& lists,
    const runtime::GroupVersionResource& resource) {
  const std::string& name = resource.resource;
  const auto same_group = [&](const std::string& group) {
    return resource.group.empty() || resource.group == group;
  };
  const auto prefix_of_group = [&](const std::string& group) {
    return group.starts_with(resource.group);
  };
  const auto is_name = [&](const discovery::ApiResource& each) {
    return each.name == name || each.singular_name == name;
  };
  const auto is_short_name = [&](const discovery::ApiResource& each) {
    return Has(each.short_names, name);
  };
  if (Search(lists, same_group, is_name)) return resource;
  auto found = Search(lists, same_group, is_short_name);
  if (!found) found = Search(lists, prefix_of_group, is_short_name);
  if (!found) return std::nullopt;
  return runtime::GroupVersionResource{found->group, resource.version, found->resource};
}

}  // namespace

struct ShortcutExpander::Rep {
  Rep(RestMapper& the_delegate, rest::Client& client, ExpanderOptions options)
      : delegate(the_delegate), lists(client, options) {}

  runtime::GroupVersionResource Expand(const rest::CallOptions& call,
                                       const runtime::GroupVersionResource& resource) {
    const auto expanded =
        lists.Lookup(call, [&](const auto& known) { return Expanded(known, resource); });
    return expanded ? expanded->value_or(resource) : resource;
  }

  RestMapper& delegate;
  ResourceLists lists;
};

ShortcutExpander::ShortcutExpander(RestMapper& delegate, rest::Client& client,
                                   ExpanderOptions options)
    : rep_(std::make_unique<Rep>(delegate, client, options)) {}

ShortcutExpander::~ShortcutExpander() = default;

Expected<std::vector<runtime::GroupVersionKind>> ShortcutExpander::KindsFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  return rep_->delegate.KindsFor(call, rep_->Expand(call, resource));
}

Expected<std::vector<runtime::GroupVersionResource>> ShortcutExpander::ResourcesFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  return rep_->delegate.ResourcesFor(call, rep_->Expand(call, resource));
}

Expected<std::vector<RestMapping>> ShortcutExpander::RestMappingsFor(
    const rest::CallOptions& call, const runtime::GroupKind& kind,
    const std::vector<std::string>& versions) {
  return rep_->delegate.RestMappingsFor(call, kind, versions);
}

Expected<std::string> ShortcutExpander::ResourceSingularizer(const rest::CallOptions& call,
                                                             std::string_view resource) {
  const auto expanded = rep_->Expand(call, {.resource = std::string(resource)});
  return rep_->delegate.ResourceSingularizer(call, expanded.resource);
}

struct CategoryExpander::Rep {
  Rep(rest::Client& client, ExpanderOptions options) : lists(client, options) {}
  ResourceLists lists;
};

CategoryExpander::CategoryExpander(rest::Client& client, ExpanderOptions options)
    : rep_(std::make_unique<Rep>(client, options)) {}

CategoryExpander::~CategoryExpander() = default;

Expected<std::vector<runtime::GroupResource>> CategoryExpander::Expand(
    const rest::CallOptions& call, std::string_view category) const {
  const auto find = [&](const auto& lists) -> std::optional<std::vector<runtime::GroupResource>> {
    std::vector<runtime::GroupResource> members;
    for (const discovery::ApiResourceList& list : lists) {
      for (const discovery::ApiResource& each : list.resources) {
        const runtime::GroupResource resource{list.group_version.group, each.name};
        if (!Has(each.categories, category)) continue;
        if (std::find(members.begin(), members.end(), resource) == members.end()) {
          members.push_back(resource);
        }
      }
    }
    if (members.empty()) return std::nullopt;
    return members;
  };
  auto found = rep_->lists.Lookup(call, find);
  if (!found) return Err(std::move(found.error()));
  if (*found) return **std::move(found);
  return Err(ErrorReason::kNoMatch, "no resource is in the category " + std::string(category));
}

}  // namespace capstan::restmapper
