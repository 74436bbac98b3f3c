// SPDX-License-Identifier: Apache-2.0
// WireProjection: the paths of one kind's objects that its reader keeps, in the three shapes in
// which a server sends them. Each has what the decoders need beside the reader's own fields: the
// identity, the kind, and the fields of a Status. The three are derived together, once for each
// ResourceType, so that none can be out of date. Safe to share between threads while nobody assigns
// to it.
#pragma once

#include <initializer_list>

#include "clientgo/runtime/projection.h"

namespace clientgo::runtime {

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
