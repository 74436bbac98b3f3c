// SPDX-License-Identifier: Apache-2.0
// Projection is the set of paths in a JSON document that JsonFilter keeps. All other values are
// dropped before they are copied, so a cache only costs the memory for the fields it needs.
//
// A path is a list of object keys. Arrays are transparent: {"webhooks", "name"} keeps the name of
// every element. "*" matches any key. A path keeps everything below it. Immutable after
// construction; safe to share between threads.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/export.h"

namespace capstan::runtime {

class CAPSTAN_EXPORT Projection {
 public:
  using Path = std::vector<std::string>;

  // Node is one level of the tree of paths.
  struct Node {
    std::string key = {};
    bool keep_all = false;  // this value is kept with everything below it
    std::vector<Node> children = {};
    // The length of the longest child's key; SIZE_MAX if "*" is a child. A longer key cannot match.
    std::size_t key_bytes_max = 0;

    // Returns the child for `name`, or the child for "*". nullptr: the value is dropped.
    const Node* Find(std::string_view name) const;
  };

  Projection(std::initializer_list<Path> paths);
  explicit Projection(const std::vector<Path>& paths);
  // Keeps everything.
  static Projection All();

  const Node& root() const { return root_; }
  // Under returns the same paths below `prefix`, and Merge returns the union of two projections.
  // They turn the projection of an object into that of a watch event ({"object"}) or a list
  // ({"items"}).
  Projection Under(const Path& prefix) const;
  Projection Merge(const Projection& other) const;

 private:
  Projection() = default;
  Node root_;
};

// Returns the fields of metav1.Status that an Error needs.
CAPSTAN_EXPORT const Projection& StatusProjection();

// Returns the kind and the fields of metadata that identify an object.
CAPSTAN_EXPORT const Projection& IdentityProjection();

// Returns the same fields of the object of a watch event, and the type of the event.
CAPSTAN_EXPORT const Projection& WatchIdentityProjection();

// WireProjection is the projection of one kind in the three shapes that a server sends: an object,
// a list and a watch event. Each adds the fields that the decoders need: the identity, the kind,
// and the fields of a Status. Safe to share between threads unless it is assigned to.
class CAPSTAN_EXPORT WireProjection {
 public:
  // Implicit, so that a ResourceType can be written as `.projection = {{"spec"}}`.
  WireProjection(std::initializer_list<Projection::Path> paths);
  WireProjection(const Projection& paths);

  // The projection of a single object: the response to a GET or a write, or an item of a list.
  const Projection& object() const { return object_; }
  // The projection of a list, for JsonFilter::Framing::kList.
  const Projection& list() const { return list_; }
  // The projection of a watch event, with the Status of an ERROR and the annotation of a BOOKMARK.
  const Projection& watch() const { return watch_; }

 private:
  Projection object_;
  Projection list_;
  Projection watch_;
};

}  // namespace capstan::runtime
