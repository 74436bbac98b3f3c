// SPDX-License-Identifier: Apache-2.0
// Storage holds the objects of every resource, one resourceVersion counter for all of them, and a
// bounded event log per resource. Watches start from the log, and lists use it to return to an
// earlier resourceVersion. A version older than the log is expired, as after compaction in etcd.
// Mirrors etcd plus the watch cache of kube-apiserver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/types/form.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Object is one stored object: compact JSON text, and the position of its metadata in it. Parsed
// documents would take about five times the memory. Objects are shared between the table and the
// event log.
struct Object {
  std::string text;                  // {"kind":..,"apiVersion":..,"metadata":{..},...}
  std::uint32_t metadata_begin = 0;  // of the value of "metadata"
  std::uint32_t metadata_end = 0;
  std::uint64_t resource_version = 0;

  std::string_view metadata() const {
    return std::string_view(text).substr(metadata_begin, metadata_end - metadata_begin);
  }
};

using ObjectPtr = std::shared_ptr<const Object>;

// Sets kind, apiVersion and resourceVersion and serializes the document. A resource_version of 0 is
// omitted (a dry run). REQUIRES: an object with a metadata object.
ObjectPtr MakeObject(const Resource& resource, runtime::JsonDocument& document,
                     std::uint64_t resource_version);
std::unique_ptr<runtime::JsonDocument> ParseObject(const Object& object);
std::string_view ApiVersionOf(const Object& object);

// Appends the object with kind and apiVersion, for a response or an event. REQUIRES: not a Table.
void AppendObject(std::string& out, const Object& object, Form form);
// Appends the object as an item of a list: without kind and apiVersion.
void AppendItem(std::string& out, const Object& object, Form form);
// Returns the PartialObjectMetadata with this metadata, which is JSON.
Json PartialMetadata(std::string_view metadata, Form form = Form::kMetadata);
// Returns the metadata of a Table.
Json VersionMetadata(std::uint64_t version);

enum class EventType { kAdded, kModified, kDeleted };

struct Event {
  EventType type = EventType::kAdded;
  std::string key;
  ObjectPtr object = {};    // has the event's resourceVersion; of a deletion: in its last state
  ObjectPtr previous = {};  // null for kAdded
};

// Returns "namespace/name", or "name" without a namespace. Lists are in the order of keys.
std::string Key(std::string_view ns, std::string_view name);
// Reports whether the key is in the namespace. An empty `ns` contains every key.
bool InNamespace(std::string_view key, std::string_view ns);

// The versions of a kind have the same objects (StoredAs in kind_versions.h). Each object is in the
// version in which it was written.
class Storage {
 public:
  explicit Storage(std::size_t window);

  std::uint64_t resource_version() const { return resource_version_; }
  // The resourceVersion that the object of the next Write must have.
  std::uint64_t NextVersion() const { return resource_version_ + 1; }

  ObjectPtr Get(const Resource& resource, std::string_view key) const;
  // Stores the object, and its other form as an object of the resource's twin. With `remove` it is
  // the last state of an object that is removed.
  void Write(const Resource& resource, std::string_view key, ObjectPtr object, bool remove = false);

  struct Entry {
    std::string_view key;  // valid until the next change
    ObjectPtr object;
  };
  // Visits the objects of namespace `ns` (empty: all) after the key `after` at `version`, in key
  // order, until `visit` returns false. REQUIRES: version >= OldestVersion.
  void Visit(const Resource& resource, std::string_view ns, std::uint64_t version,
             std::string_view after, const std::function<bool(const Entry&)>& visit) const;

  // The oldest resourceVersion whose state and later events are known.
  std::uint64_t OldestVersion(const Resource& resource) const;
  const std::deque<Event>& Events(const Resource& resource) const;
  void Compact();

  using Observer = std::function<void(const Resource&, const Event&)>;
  // Called after every change with StoredAs of the resource, and for the same change of its twin.
  void SetObservers(Observer observer, Observer of_twins = {}) {
    observer_ = std::move(observer);
    twin_observer_ = std::move(of_twins);
  }

 private:
  struct Table {
    std::map<std::string, ObjectPtr, std::less<>> objects = {};
    std::deque<Event> events = {};
    std::uint64_t compacted = 0;  // the version of the last dropped event
  };

  const std::size_t window_;
  std::uint64_t resource_version_ = 0;
  const Table& TableOf(const Resource& resource) const;
  const Event& Put(const Resource& resource, std::string_view key, ObjectPtr object, bool remove);

  std::map<const Resource*, Table> tables_;
  std::uint64_t compacted_ = 0;  // the version of the last Compact
  Observer observer_;
  Observer twin_observer_;
};

}  // namespace capstan::testing::apiserver
