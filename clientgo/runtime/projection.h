// SPDX-License-Identifier: Apache-2.0
// Projection: which paths of a JSON document survive the prefilter. Everything else is dropped
// before it is copied, so a cache costs what its reader asked for and not what the server sends.
//
// A path is a list of object keys. Arrays are transparent: {"webhooks", "name"} keeps the name of
// every element. "*" matches any key. A kept path keeps all that is below it.
// Immutable after construction; safe to share between threads.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace clientgo::runtime {

class Projection {
 public:
  using Path = std::vector<std::string>;

  // One level of the tree of kept paths.
  struct Node {
    std::string key = {};
    bool keep_all = false;  // this value is kept whole
    std::vector<Node> children = {};
    // Of the longest child's key, SIZE_MAX when "*" is one: a longer key cannot match.
    std::size_t key_bytes_max = 0;

    // The child for `name`, or the one for "*"; nullptr: dropped.
    const Node* Find(std::string_view name) const;
  };

  Projection(std::initializer_list<Path> paths);
  explicit Projection(const std::vector<Path>& paths);
  // Keeps everything.
  static Projection All();

  const Node& root() const { return root_; }
  // The same paths below `prefix`, and the union of two projections: how an object's projection
  // becomes that of a watch event ({"object"}) or a list ({"items"}).
  Projection Under(const Path& prefix) const;
  Projection Merge(const Projection& other) const;

 private:
  Projection() = default;
  Node root_;
};

// metav1.Status, as far as an Error is made of it.
const Projection& StatusProjection();

// The fields of metadata that identify an object, and its kind.
const Projection& IdentityProjection();

class WireProjection {
 public:
  // Implicit, so that a ResourceType is written with its reader's paths: `.projection =
  // {{"spec"}}`.
  WireProjection(std::initializer_list<Projection::Path> paths);
  WireProjection(const Projection& paths);

  // A single object: the answer to a GET or a write, and one item of a list.
  const Projection& object() const { return object_; }
  // A whole list, for JsonFilter::Framing::kList.
  const Projection& list() const { return list_; }
  // {"type": ..., "object": ...}, with the Status of an ERROR and the annotation of a BOOKMARK.
  const Projection& watch() const { return watch_; }

 private:
  Projection object_;
  Projection list_;
  Projection watch_;
};

}  // namespace clientgo::runtime
