// SPDX-License-Identifier: Apache-2.0
// Calls that must not compile. CMakeLists.txt compiles each and compares the compiler's message.
#include "capstan/client.h"

struct Part {
  capstan::ObjectMeta metadata;
  struct Status {
    int replicas = 0;
  } status;
};
template <>
inline constexpr auto capstan::kKind<Part> = Kind("apps", "v1", "Deployment", "deployments")
                                                 .Namespaced()
                                                 .Partial()
                                                 .Status(Field("replicas",
                                                               &Part::Status::replicas));

void Write(const capstan::Client<Part>& client, const Part& part) {
#if defined(UPDATE_OF_PARTIAL_KIND)
  static_cast<void>(client.Update({}, part));
#elif defined(STATUS_UPDATE_OF_PARTIAL_KIND)
  static_cast<void>(client.UpdateStatus({}, part));
#else
  static_cast<void>(client.Apply({}, part, {.field_manager = "me"}));
#endif
}
