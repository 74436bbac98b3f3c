// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/wire_projection.h"

namespace clientgo::runtime {
namespace {

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

// A proxy may send a Status with HTTP 200. "kind" shows that, and "message" is its text.
const Projection& IdentityProjection() {
  static const Projection identity = {{"kind"},
                                      {"message"},
                                      {"metadata", "namespace"},
                                      {"metadata", "name"},
                                      {"metadata", "uid"},
                                      {"metadata", "resourceVersion"}};
  return identity;
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

}  // namespace clientgo::runtime
