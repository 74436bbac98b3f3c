// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/storage.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {

ObjectPtr MakeObject(const Resource& resource, runtime::JsonDocument& document,
                     std::uint64_t resource_version) {
  runtime::JsonValue* const metadata = FindMutable(document, "metadata");
  CHECK(metadata != nullptr && metadata->IsObject()) << "the object was not validated";
  if (resource_version == 0) {
    Remove(*metadata, "resourceVersion");
  } else {
    SetString(*metadata, "resourceVersion", std::to_string(resource_version),
              document.GetAllocator());
  }
  auto object = std::make_shared<Object>();
  object->resource_version = resource_version;
  Json json = {{"kind", resource.kind}, {"apiVersion", resource.ApiVersion()}};
  const Json shown(*metadata);
  json.Add("metadata", shown);
  object->metadata_end = static_cast<std::uint32_t>(json.text().size() - 1);
  object->metadata_begin = object->metadata_end - static_cast<std::uint32_t>(shown.text().size());
  for (const auto& member : std::as_const(document).GetObject()) {
    const std::string_view key = runtime::ToView(member.name);
    if (key != "kind" && key != "apiVersion" && key != "metadata") json.Add(key, member.value);
  }
  object->text = json.text();
  return object;
}

std::string_view ApiVersionOf(const Object& object) {
  constexpr std::string_view kKey = R"("apiVersion":")";
  std::string_view head = std::string_view(object.text).substr(0, object.metadata_begin);
  head.remove_prefix(std::min(head.find(kKey), head.size() - kKey.size()) + kKey.size());
  return head.substr(0, head.find('"'));
}

std::unique_ptr<runtime::JsonDocument> ParseObject(const Object& object) {
  std::string error;
  auto document = ParseJson(object.text, &error, Repeats::kKeepAll);
  CHECK(document != nullptr) << "stored object is invalid JSON: " << error;
  return document;
}

void AppendObject(std::string& out, const Object& object, Form form) {
  out += form == Form::kFull ? object.text : PartialMetadata(object.metadata(), form).text();
}

Json PartialMetadata(std::string_view metadata, Form form) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", form.ApiVersion()},
          {"metadata", Json::Raw(std::string(metadata))}};
}

Json VersionMetadata(std::uint64_t version) {
  return {{"resourceVersion", std::to_string(version)}};
}

void AppendItem(std::string& out, const Object& object, Form form) {
  // Items of a PartialObjectMetadataList have kind and apiVersion.
  if (form == Form::kMetadata) return AppendObject(out, object, form);
  constexpr std::string_view kKey = R"("metadata":)";
  out += '{';
  out += std::string_view(object.text).substr(object.metadata_begin - kKey.size());
}

std::string Key(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name);
}

bool InNamespace(std::string_view key, std::string_view ns) {
  return ns.empty() || (key.size() > ns.size() && key.starts_with(ns) && key[ns.size()] == '/');
}

Storage::Storage(std::size_t window) : window_(std::max<std::size_t>(window, 1)) {}

const Storage::Table& Storage::TableOf(const Resource& resource) const {
  static const Table empty;
  const auto at = tables_.find(&StoredAs(resource));
  return at == tables_.end() ? empty : at->second;
}

ObjectPtr Storage::Get(const Resource& resource, std::string_view key) const {
  const auto& objects = TableOf(resource).objects;
  const auto at = objects.find(key);
  return at == objects.end() ? nullptr : at->second;
}

const Event& Storage::Put(const Resource& resource, std::string_view key, ObjectPtr object,
                          bool remove) {
  Table& table =
      tables_.try_emplace(&StoredAs(resource), Table{.compacted = compacted_}).first->second;
  const auto [at, added] = table.objects.try_emplace(std::string(key));
  CHECK(!remove || !added) << "removing a missing object";
  ObjectPtr previous = std::exchange(at->second, object);
  if (remove) table.objects.erase(at);
  const EventType type = remove  ? EventType::kDeleted
                         : added ? EventType::kAdded
                                 : EventType::kModified;
  table.events.push_back({.type = type,
                          .key = std::string(key),
                          .object = std::move(object),
                          .previous = std::move(previous)});
  while (table.events.size() > window_) {
    table.compacted = table.events.front().object->resource_version;
    table.events.pop_front();
  }
  return table.events.back();
}

void Storage::Write(const Resource& resource, std::string_view key, ObjectPtr object, bool remove) {
  CHECK_EQ(object->resource_version, NextVersion()) << "the object has another resourceVersion";
  resource_version_ = object->resource_version;
  if (resource.twin != nullptr) {
    const Resource& twin = *resource.twin();
    const auto document = ParseObject(*object);
    resource.to_twin(*document);
    const Event& event =
        Put(twin, key, MakeObject(twin, *document, object->resource_version), remove);
    if (twin_observer_) twin_observer_(twin, event);
  }
  const Event& event = Put(resource, key, std::move(object), remove);
  if (observer_) observer_(StoredAs(resource), event);
}

void Storage::Visit(const Resource& resource, std::string_view ns, std::uint64_t version,
                    std::string_view after, const std::function<bool(const Entry&)>& visit) const {
  const Table& table = TableOf(resource);
  // The objects that changed after `version`, in their state at `version`; null: did not exist.
  std::map<std::string_view, ObjectPtr> then;
  for (auto event = table.events.rbegin();
       event != table.events.rend() && event->object->resource_version > version; ++event) {
    if (InNamespace(event->key, ns)) then[event->key] = event->previous;
  }
  // The keys of a namespace are between "ns/" and "ns0", because '0' follows '/' in ASCII.
  const std::string first = ns.empty() ? std::string() : std::string(ns) + "/";
  const std::string_view start = std::max(after, std::string_view(first));
  const auto end =
      ns.empty() ? table.objects.end() : table.objects.lower_bound(std::string(ns) + "0");
  auto now = table.objects.upper_bound(start);
  auto old = then.upper_bound(start);
  while (now != end || old != then.end()) {
    Entry entry;
    if (old != then.end() && (now == end || old->first <= now->first)) {
      if (now != end && now->first == old->first) ++now;
      entry = {.key = old->first, .object = old->second};
      ++old;
    } else {
      entry = {.key = now->first, .object = now->second};
      ++now;
    }
    if (entry.object != nullptr && !visit(entry)) return;
  }
}

std::uint64_t Storage::OldestVersion(const Resource& resource) const {
  return std::max(TableOf(resource).compacted, compacted_);
}

const std::deque<Event>& Storage::Events(const Resource& resource) const {
  return TableOf(resource).events;
}

void Storage::Compact() {
  compacted_ = resource_version_;
  for (auto& [resource, table] : tables_) {
    table.events.clear();
    table.compacted = resource_version_;
  }
}

}  // namespace capstan::testing::apiserver
