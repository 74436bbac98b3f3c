// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/projection.h"

#include <algorithm>
#include <cstdint>

namespace capstan::runtime {
namespace {

constexpr std::string_view kAnyKey = "*";

Projection::Node& ChildOf(Projection::Node& node, std::string_view key) {
  for (Projection::Node& child : node.children) {
    if (child.key == key) return child;
  }
  return node.children.emplace_back(Projection::Node{.key = std::string(key)});
}

void AddPath(Projection::Node& root, const Projection::Path& path) {
  Projection::Node* node = &root;
  for (const std::string& key : path) node = &ChildOf(*node, key);
  node->keep_all = true;
}

void AddTree(Projection::Node& to, const Projection::Node& from) {
  to.keep_all = to.keep_all || from.keep_all;
  for (const Projection::Node& child : from.children) AddTree(ChildOf(to, child.key), child);
}

// Normalizes a tree for Find: it removes nodes below a kept value, adds the paths of "*" to each
// named sibling, and sets the length of the longest key.
void Normalize(Projection::Node& node) {
  if (node.keep_all) node.children.clear();
  const auto any = std::find_if(node.children.begin(), node.children.end(),
                                [](const Projection::Node& c) { return c.key == kAnyKey; });
  if (any != node.children.end()) {
    const Projection::Node wildcard = *any;
    for (Projection::Node& child : node.children) AddTree(child, wildcard);
  }
  node.key_bytes_max = 0;
  for (Projection::Node& child : node.children) {
    Normalize(child);
    const std::size_t bytes = child.key == kAnyKey ? SIZE_MAX : child.key.size();
    node.key_bytes_max = std::max(node.key_bytes_max, bytes);
  }
}

Projection InList(const Projection& object) {
  const Projection envelope = {
      {"kind"}, {"message"}, {"metadata", "resourceVersion"}, {"metadata", "continue"}};
  return object.Under({"items"}).Merge(envelope);
}

Projection InWatchEvent(const Projection& object) {
  const Projection envelope = {{"type"}, {"kind"}, {"message"}};
  const Projection bookmark = {{"metadata", "annotations", "k8s.io/initial-events-end"}};
  return object.Merge(StatusProjection()).Merge(bookmark).Under({"object"}).Merge(envelope);
}

}  // namespace

const Projection::Node* Projection::Node::Find(std::string_view name) const {
  const Node* any = nullptr;
  for (const Node& child : children) {
    if (child.key == name) return &child;
    if (child.key == kAnyKey) any = &child;
  }
  return any;
}

Projection::Projection(std::initializer_list<Path> paths) : Projection(std::vector<Path>(paths)) {}

Projection::Projection(const std::vector<Path>& paths) {
  for (const Path& path : paths) AddPath(root_, path);
  Normalize(root_);
}

Projection Projection::All() {
  Projection all;
  all.root_.keep_all = true;
  return all;
}

Projection Projection::Under(const Path& prefix) const {
  Projection result;
  Node* node = &result.root_;
  for (const std::string& key : prefix) node = &ChildOf(*node, key);
  AddTree(*node, root_);
  Normalize(result.root_);
  return result;
}

Projection Projection::Merge(const Projection& other) const {
  Projection result = *this;
  AddTree(result.root_, other.root_);
  Normalize(result.root_);
  return result;
}

// "kind" and "message" are here because a proxy may send a Status with HTTP 200.
const Projection& IdentityProjection() {
  static const Projection identity = {{"kind"},
                                      {"message"},
                                      {"metadata", "namespace"},
                                      {"metadata", "name"},
                                      {"metadata", "uid"},
                                      {"metadata", "resourceVersion"}};
  return identity;
}

const Projection& WatchIdentityProjection() {
  static const Projection event = IdentityProjection().Under({"object"}).Merge({{"type"}});
  return event;
}

const Projection& StatusProjection() {
  static const Projection status = {{"kind"},
                                    {"code"},
                                    {"reason"},
                                    {"message"},
                                    {"details", "causes"},
                                    {"details", "retryAfterSeconds"}};
  return status;
}

WireProjection::WireProjection(std::initializer_list<Projection::Path> paths)
    : WireProjection(Projection(paths)) {}

WireProjection::WireProjection(const Projection& paths)
    : object_(paths.Merge(IdentityProjection())),
      list_(InList(object_)),
      watch_(InWatchEvent(object_)) {}

}  // namespace capstan::runtime
