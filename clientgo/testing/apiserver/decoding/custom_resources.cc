// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/custom_resources.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the version of a spec that has the boolean `key`, or null if there is none.
const runtime::JsonValue* FindVersion(const runtime::JsonValue& spec, std::string_view key) {
  for (const runtime::JsonValue& version : ListAt(spec, "versions").GetArray()) {
    if (IsSet(version, key)) return &version;
  }
  return nullptr;
}

// Returns the paths of the fields that a selector may name: "spec.color,spec.size".
std::string SelectablePaths(const runtime::JsonValue& version) {
  std::vector<std::string_view> paths;
  for (const runtime::JsonValue& field : ListAt(version, "selectableFields").GetArray()) {
    std::string_view path = runtime::GetString(field, "jsonPath");
    if (path.starts_with('.')) path.remove_prefix(1);
    paths.push_back(path);
  }
  return Join(paths, ",");
}

// Returns a list of strings as the text "a,b".
std::string Joined(const runtime::JsonValue& list) {
  return Join(list.GetArray(), ",", runtime::ToView);
}

// Returns the warning about a deprecated version; empty: it is not deprecated.
std::string DeprecationOf(const runtime::JsonValue& spec, const runtime::JsonValue& version) {
  if (!IsSet(version, "deprecated")) return {};
  const runtime::JsonValue* const given = runtime::Find(version, "deprecationWarning");
  if (given != nullptr && given->IsString()) return std::string(runtime::ToView(*given));
  const std::string_view name = runtime::GetString(version, "name");
  const std::string_view kind = runtime::GetString(ObjectAt(spec, "names"), "kind");
  std::string_view instead;
  for (const runtime::JsonValue& other : ListAt(spec, "versions").GetArray()) {
    const std::string_view candidate = runtime::GetString(other, "name");
    if (!IsSet(other, "served") || IsSet(other, "deprecated")) continue;
    if (!IsPreferredVersion(candidate, name)) continue;
    if (instead.empty() || IsPreferredVersion(candidate, instead)) instead = candidate;
  }
  const auto full = [&](std::string_view of) {
    return std::string(runtime::GetString(spec, "group")) + "/" + std::string(of) + " " +
           std::string(kind);
  };
  return full(name) + " is deprecated" + (instead.empty() ? "" : "; use " + full(instead));
}

// Returns the resourceVersion of a stored object.
std::uint64_t VersionNumber(const runtime::JsonValue& object) {
  const std::string_view text = Metadata(object, "resourceVersion");
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

struct CustomResources::Version {
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string kind = {};
  std::string list_kind = {};
  std::string singular = {};
  std::string short_names = {};
  std::string categories = {};
  std::string replicas = {};  // the paths of the subresource scale
  std::string status_replicas = {};
  std::string selector = {};
  std::string selectable = {};
  std::string deprecation = {};
  Schema schema = Schema(nullptr);
  std::vector<PrinterColumn> columns = {};
  Resource resource = {};  // of the members above
  bool served = true;
};

struct CustomResources::Definition {
  KindVersions kind = {};
  // By name. A version stays where it is after it has left the definition, because watchers point
  // to it.
  std::map<std::string, std::unique_ptr<Version>, std::less<>> versions = {};
  bool exists = false;

  void Replace(const runtime::JsonValue& definition, const runtime::JsonValue& version);
};

// Reports whether a definition may be served. One without a name that another definition has may
// not.
bool IsEstablished(const runtime::JsonValue& definition) {
  const runtime::JsonValue& conditions = ListAt(ObjectAt(definition, "status"), "conditions");
  return std::any_of(conditions.Begin(), conditions.End(), [](const runtime::JsonValue& one) {
    return runtime::GetString(one, "type") == "Established" &&
           runtime::GetString(one, "status") == "True";
  });
}

void CustomResources::Definition::Replace(const runtime::JsonValue& definition,
                                          const runtime::JsonValue& version) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  const runtime::JsonValue& names = ObjectAt(ObjectAt(definition, "status"), "acceptedNames");
  const runtime::JsonValue* const scale = runtime::FindPath(version, {"subresources", "scale"});
  const auto scale_path = [&](std::string_view key) {
    return scale == nullptr ? std::string() : std::string(runtime::GetString(*scale, key));
  };
  auto next = std::make_unique<Version>(
      Version{.group = std::string(runtime::GetString(spec, "group")),
              .version = std::string(runtime::GetString(version, "name")),
              .plural = std::string(runtime::GetString(names, "plural")),
              .kind = std::string(runtime::GetString(names, "kind")),
              .list_kind = std::string(runtime::GetString(names, "listKind")),
              .singular = std::string(runtime::GetString(names, "singular")),
              .short_names = Joined(ListAt(names, "shortNames")),
              .categories = Joined(ListAt(names, "categories")),
              .replicas = scale_path("specReplicasPath"),
              .status_replicas = scale_path("statusReplicasPath"),
              .selector = scale_path("labelSelectorPath"),
              .selectable = SelectablePaths(version),
              .deprecation = DeprecationOf(spec, version),
              .schema = Schema(runtime::FindPath(version, {"schema", "openAPIV3Schema"})),
              .columns = CustomColumns(version),
              .served = IsSet(version, "served") && IsEstablished(definition) &&
                        Metadata(definition, "deletionTimestamp").empty()});
  const Resource* const built_in = FindResource(next->group, next->version, next->plural);
  if (built_in != nullptr && !built_in->custom) return;
  auto& entry = versions[next->version];
  std::uint64_t since = VersionNumber(definition);
  if (entry != nullptr && exists && entry->schema.json() == next->schema.json()) {
    since = entry->resource.schema_since;
  }
  if (entry == nullptr) {
    entry = std::move(next);
  } else {
    *entry = std::move(*next);
  }
  entry->resource = {.group = entry->group,
                     .version = entry->version,
                     .plural = entry->plural,
                     .kind = entry->kind,
                     .list_kind = entry->list_kind,
                     .singular = entry->singular,
                     .short_names = entry->short_names,
                     .categories = entry->categories,
                     .namespaced = runtime::GetString(spec, "scope") == "Namespaced",
                     .status = runtime::FindPath(version, {"subresources", "status"}) != nullptr,
                     .scale = scale != nullptr,
                     .generation = true,
                     .custom = true,
                     .update_needs_version = true,
                     .short_finalizers = true,
                     .schema = &entry->schema,
                     .columns = &entry->columns,
                     .versions = &kind,
                     .schema_since = since,
                     .scale_paths = {.replicas = entry->replicas,
                                     .status_replicas = entry->status_replicas,
                                     .selector = entry->selector},
                     .selectable = entry->selectable,
                     .deprecation = entry->deprecation,
                     .status_ignores = "*"};
  kind.all.push_back(&entry->resource);
  if (IsSet(version, "storage")) kind.stored = entry->resource;
}

CustomResources::CustomResources() = default;
CustomResources::~CustomResources() = default;

void CustomResources::Update(const runtime::JsonValue& definition) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  const std::string name(Metadata(definition, "name"));
  auto& entry = definitions_[name];
  if (entry == nullptr) entry = std::make_unique<Definition>();
  KindVersions& kind = entry->kind;
  for (const auto& [version, one] : entry->versions) one->served = false;
  kind.all.clear();
  kind.stored = {};
  for (const runtime::JsonValue& version : ListAt(spec, "versions").GetArray()) {
    entry->Replace(definition, version);
  }
  const runtime::JsonValue& conversion = ObjectAt(spec, "conversion");
  kind.definition = name;
  kind.webhook = runtime::GetString(conversion, "strategy") == "Webhook";
  kind.conversion.CopyFrom(conversion, kind.conversion.GetAllocator());
  entry->exists = !kind.stored.plural.empty();
}

const Resource* CustomResources::Remove(const runtime::JsonValue& definition) {
  const auto found = definitions_.find(Metadata(definition, "name"));
  if (found == definitions_.end() || !found->second->exists) return nullptr;
  found->second->exists = false;
  for (const auto& [version, one] : found->second->versions) one->served = false;
  return &found->second->kind.stored;
}

bool CustomResources::IsReplaced(const Resource& built_in) const {
  if (!built_in.custom) return false;
  const auto found = definitions_.find(built_in.Qualified());
  return found != definitions_.end() && found->second->exists;
}

const Resource* CustomResources::Find(std::string_view group, std::string_view version,
                                      std::string_view plural) const {
  const Resource* const built_in = FindResource(group, version, plural);
  if (built_in != nullptr && !IsReplaced(*built_in)) return built_in;
  for (const auto& [name, definition] : definitions_) {
    const auto found = definition->versions.find(version);
    if (found == definition->versions.end()) continue;
    const Version& one = *found->second;
    if (one.served && one.plural == plural && one.group == group) return &one.resource;
  }
  return nullptr;
}

const Resource* CustomResources::FindKind(std::string_view api_version,
                                          std::string_view kind) const {
  const Resource* const built_in = apiserver::FindKind(api_version, kind);
  if (built_in != nullptr && !IsReplaced(*built_in)) return built_in;
  for (const auto& [name, definition] : definitions_) {
    for (const auto& [version, one] : definition->versions) {
      if (one->served && one->kind == kind && one->resource.ApiVersion() == api_version) {
        return &one->resource;
      }
    }
  }
  return nullptr;
}

bool CustomResources::IsServed(const Resource& resource) const {
  return Find(resource.group, resource.version, resource.plural) == &resource;
}

std::vector<const Resource*> CustomResources::All() const {
  std::vector<const Resource*> all;
  for (const Resource& resource : Resources()) {
    if (!IsReplaced(resource)) all.push_back(&resource);
  }
  const auto add = [&](const Resource& resource) {
    const auto same = [&](const Resource* other) { return other->group == resource.group; };
    const auto first = std::find_if(all.begin(), all.end(), same);
    const auto last = std::find_if_not(first, all.end(), same);
    const auto later = std::find_if(first, last, [&](const Resource* other) {
      return IsPreferredVersion(resource.version, other->version);
    });
    all.insert(later, &resource);
  };
  for (const auto& [name, definition] : definitions_) {
    for (const auto& [version, one] : definition->versions) {
      if (one->served) add(one->resource);
    }
  }
  return all;
}

void AddStoredVersion(runtime::JsonDocument& definition) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  const runtime::JsonValue* const version = FindVersion(spec, "storage");
  if (version == nullptr) return;
  auto& allocator = definition.GetAllocator();
  const std::string name(runtime::GetString(*version, "name"));
  runtime::JsonValue& status = Ensure(definition, "status", allocator);
  std::vector<std::string> stored;
  for (const runtime::JsonValue& one : ListAt(status, "storedVersions").GetArray()) {
    if (one.IsString()) stored.emplace_back(runtime::ToView(one));
  }
  if (std::find(stored.begin(), stored.end(), name) != stored.end()) return;
  stored.push_back(name);
  SetJson(status, "storedVersions", Json::List(stored), allocator);
}

void TrackStoredVersion(const runtime::JsonValue& live, runtime::JsonDocument& definition) {
  const bool none = ListAt(ObjectAt(definition, "status"), "storedVersions").Empty();
  if (none || ObjectAt(live, "spec") != ObjectAt(definition, "spec")) AddStoredVersion(definition);
}

}  // namespace capstan::testing::apiserver
