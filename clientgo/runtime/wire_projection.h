// SPDX-License-Identifier: Apache-2.0
// WireProjection: the paths of one kind's objects in the three shapes in which a server sends them,
// each with what the decoders need beside the reader's own fields: identity, type, a Status'
// fields. Built once a ResourceType, not once a request. Immutable; safe to share between threads.
#pragma once

#include "clientgo/runtime/projection.h"

namespace clientgo::runtime {

// A single object: the answer to a GET or a write, and one item of a list.
Projection ObjectProjection(const Projection& object);
// A whole list, for JsonFilter::Framing::kList.
Projection ListProjection(const Projection& object);
// {"type": ..., "object": ...}, with the Status of an ERROR and the annotation of a BOOKMARK.
Projection WatchProjection(const Projection& object);
// metav1.Status, as far as an Error is made of it.
const Projection& StatusProjection();

struct WireProjection {
  explicit WireProjection(const Projection& object_paths)
      : object(ObjectProjection(object_paths)),
        list(ListProjection(object_paths)),
        watch(WatchProjection(object_paths)) {}

  Projection object;
  Projection list;
  Projection watch;
};

}  // namespace clientgo::runtime
