// SPDX-License-Identifier: Apache-2.0
// Declarations that must not compile, one for each macro. CMakeLists.txt compiles each of them and
// compares the message of the compiler. With NO_ERROR the file compiles.
#include <vector>

#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/predicate.h"

namespace {

struct Plain {};  // keeps no metadata
struct Undeclared {};
struct Port {
  int number = 0;
};
struct WithPorts {
  std::vector<Port> ports;
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Plain> =
    capstan::Kind("", "v1", "Secret", "secrets").Namespaced().Partial();

template <>
inline constexpr auto capstan::kKind<WithPorts> =
    capstan::Kind("example.io", "v1", "WithPorts", "withports")
        .Namespaced()
        .Partial()
        .Fields(capstan::Field("ports", &WithPorts::ports));

namespace capstan {

void Declare(Manager& manager, rest::Client& connection) {
  static_cast<void>(connection);
#if defined(GENERATION_NOT_KEPT)
  ControllerFor<Plain>(manager, OnGenerationChange());
#elif defined(LABELS_NOT_KEPT)
  ControllerFor<Plain>(manager, OnLabelChange());
#elif defined(ANNOTATIONS_NOT_KEPT)
  ControllerFor<Plain>(manager, OnAnnotationChange());
#elif defined(OWNERS_NOT_KEPT)
  ControllerFor<Plain>(manager).Owns<Plain>();
#elif defined(UNDECLARED_KIND)
  ControllerFor<Undeclared>(manager);
#elif defined(CLIENT_OF_UNDECLARED_KIND)
  static_cast<void>(Client<Undeclared>(connection));
#elif defined(STRUCT_WITHOUT_FIELDS)
  static_cast<void>(Client<WithPorts>(connection));
#elif defined(PREDICATE_OF_ANOTHER_TYPE)
  ControllerFor<Plain>(manager, [](int) { return true; });
#elif defined(MAP_OF_ANOTHER_TYPE)
  ControllerFor<Plain>(manager).Watches<Plain>([](int) { return Request(); });
#elif defined(MAP_WITH_ANOTHER_RESULT)
  ControllerFor<Plain>(manager).Watches<Plain>([](const Plain&) { return std::vector<int>(); });
#elif defined(WRONG_RECONCILER)
  static_cast<void>(ControllerFor<Plain>(manager).Reconcile([](const Request&) {}));
#elif defined(WRONG_RESULT)
  static_cast<void>(ControllerFor<Plain>(manager).Reconcile(
      [](std::stop_token, const Request&) { return Err(ErrorReason::kInvalid, "no"); }));
#elif defined(INDEX_OF_ANOTHER_TYPE)
  static_cast<void>(AddIndexFor<Plain>(manager, "a", [](int) { return std::string(); }));
#else
  ControllerFor<Plain>(manager, OnResourceVersionChange());
#endif
}

}  // namespace capstan
