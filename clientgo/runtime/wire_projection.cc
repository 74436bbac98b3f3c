// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/wire_projection.h"

namespace clientgo::runtime {
namespace {

// "kind" tells a Status, which a proxy may send with HTTP 200, from what was asked for; "message"
// is then what it says.
const Projection& Identity() {
  static const Projection identity = {{"kind"},
                                      {"message"},
                                      {"metadata", "namespace"},
                                      {"metadata", "name"},
                                      {"metadata", "uid"},
                                      {"metadata", "resourceVersion"}};
  return identity;
}

}  // namespace

const Projection& StatusProjection() {
  static const Projection status = {{"kind"},
                                    {"code"},
                                    {"reason"},
                                    {"message"},
                                    {"details", "causes"},
                                    {"details", "retryAfterSeconds"}};
  return status;
}

Projection ObjectProjection(const Projection& object) { return object.Merge(Identity()); }

Projection ListProjection(const Projection& object) {
  const Projection envelope = {
      {"kind"}, {"message"}, {"metadata", "resourceVersion"}, {"metadata", "continue"}};
  return ObjectProjection(object).Under({"items"}).Merge(envelope);
}

Projection WatchProjection(const Projection& object) {
  const Projection envelope = {{"type"}, {"kind"}, {"message"}};
  const Projection bookmark = {{"metadata", "annotations", "k8s.io/initial-events-end"}};
  return ObjectProjection(object)
      .Merge(StatusProjection())
      .Merge(bookmark)
      .Under({"object"})
      .Merge(envelope);
}

}  // namespace clientgo::runtime
