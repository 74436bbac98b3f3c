// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/custom_resources.h"

#include <algorithm>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the version that is stored, if it is also served; null: there is none.
const runtime::JsonValue* ServedVersion(const runtime::JsonValue& spec) {
  for (const runtime::JsonValue& version : ListAt(spec, "versions").GetArray()) {
    const runtime::JsonValue* const served = runtime::Find(version, "served");
    const runtime::JsonValue* const storage = runtime::Find(version, "storage");
    if (served != nullptr && served->IsTrue() && storage != nullptr && storage->IsTrue()) {
      return &version;
    }
  }
  return nullptr;
}

// A condition that is "True".
Json Condition(std::string_view type, std::string_view reason, std::string_view message) {
  return {{"type", type},
          {"status", "True"},
          {"lastTransitionTime", NowText()},
          {"reason", reason},
          {"message", message}};
}

// Returns a list of strings as the text "a,b".
std::string Joined(const runtime::JsonValue& list) {
  return Join(list.GetArray(), ",", runtime::ToView);
}

}  // namespace

struct CustomResources::Definition {
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string kind = {};
  std::string singular = {};
  std::string short_names = {};
  std::string categories = {};
  Schema schema = Schema(nullptr);
  std::vector<PrinterColumn> columns = {};
  Resource resource = {};  // of the members above
  bool served = true;
};

CustomResources::CustomResources() = default;
CustomResources::~CustomResources() = default;

void CustomResources::Update(const runtime::JsonValue& definition) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  const runtime::JsonValue& names = ObjectAt(spec, "names");
  const runtime::JsonValue* const version = ServedVersion(spec);
  const std::string name(Metadata(definition, "name"));
  if (version == nullptr || !Metadata(definition, "deletionTimestamp").empty()) {
    Remove(definition);
    return;
  }
  const runtime::JsonValue* const schema =
      runtime::FindPath(*version, {"schema", "openAPIV3Schema"});
  auto next = std::make_unique<Definition>(
      Definition{.group = std::string(runtime::GetString(spec, "group")),
                 .version = std::string(runtime::GetString(*version, "name")),
                 .plural = std::string(runtime::GetString(names, "plural")),
                 .kind = std::string(runtime::GetString(names, "kind")),
                 .singular = std::string(runtime::GetString(names, "singular")),
                 .short_names = Joined(ListAt(names, "shortNames")),
                 .categories = Joined(ListAt(names, "categories")),
                 .schema = Schema(schema),
                 .columns = CustomColumns(*version)});
  if (FindResource(next->group, next->version, next->plural) != nullptr) return;
  // The Resource stays where it is, because watchers point to it.
  auto& entry = definitions_[name + "/" + next->version];
  for (auto& [key, other] : definitions_) {
    if (key.starts_with(name + "/") && other != nullptr) other->served = false;
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
                     .singular = entry->singular,
                     .short_names = entry->short_names,
                     .categories = entry->categories,
                     .namespaced = runtime::GetString(spec, "scope") == "Namespaced",
                     .status = runtime::FindPath(*version, {"subresources", "status"}) != nullptr,
                     .generation = true,
                     .custom = true,
                     .update_needs_version = true,
                     .schema = &entry->schema,
                     .columns = &entry->columns,
                     .status_ignores = "*"};
}

const Resource* CustomResources::Remove(const runtime::JsonValue& definition) {
  const std::string prefix = std::string(Metadata(definition, "name")) + "/";
  const Resource* removed = nullptr;
  for (auto& [key, one] : definitions_) {
    if (!key.starts_with(prefix) || !one->served) continue;
    one->served = false;
    removed = &one->resource;
  }
  return removed;
}

const Resource* CustomResources::Find(std::string_view group, std::string_view version,
                                      std::string_view plural) const {
  if (const Resource* const found = FindResource(group, version, plural)) return found;
  for (const auto& [key, one] : definitions_) {
    if (one->served && one->plural == plural && one->group == group && one->version == version) {
      return &one->resource;
    }
  }
  return nullptr;
}

const Resource* CustomResources::FindKind(std::string_view api_version,
                                          std::string_view kind) const {
  if (const Resource* const found = apiserver::FindKind(api_version, kind)) return found;
  for (const auto& [key, one] : definitions_) {
    if (one->served && one->kind == kind && one->resource.ApiVersion() == api_version) {
      return &one->resource;
    }
  }
  return nullptr;
}

std::vector<const Resource*> CustomResources::All() const {
  std::vector<const Resource*> all;
  for (const Resource& resource : Resources()) all.push_back(&resource);
  for (const auto& entry : definitions_) {
    const Definition& one = *entry.second;
    if (!one.served) continue;
    // Behind the last one of its group.
    const auto same = [&](const Resource* other) { return other->group == one.group; };
    const auto last = std::find_if(all.rbegin(), all.rend(), same);
    all.insert(last == all.rend() ? all.end() : last.base(), &one.resource);
  }
  return all;
}

void Establish(runtime::JsonDocument& definition) {
  const runtime::JsonValue& spec = ObjectAt(definition, "spec");
  if (ServedVersion(spec) == nullptr) return;
  auto& allocator = definition.GetAllocator();
  const Json conditions = Json::List(
      {Condition("NamesAccepted", "NoConflicts", "no conflicts found"),
       Condition("Established", "InitialNamesAccepted", "the initial names have been accepted")});
  const Json names = ObjectAt(spec, "names");
  const Json stored = Json::List({runtime::GetString(*ServedVersion(spec), "name")});
  runtime::JsonValue& status = Ensure(definition, "status", allocator);
  SetJson(status, "conditions", conditions, allocator);
  SetJson(status, "acceptedNames", names, allocator);
  SetJson(status, "storedVersions", stored, allocator);
}

}  // namespace capstan::testing::apiserver
