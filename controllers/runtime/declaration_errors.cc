// SPDX-License-Identifier: Apache-2.0
// Declarations that must not compile, one for each macro. CMakeLists.txt compiles each of them and
// compares the message of the compiler. With NO_ERROR the file compiles.
#include "capstan/builder.h"
#include "capstan/predicate.h"

namespace {

struct Plain {};  // keeps no metadata
struct Undeclared {};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Plain> =
    capstan::Kind("", "v1", "Secret", "secrets").Namespaced().Partial();

namespace capstan {

void Declare(Manager& manager) {
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
#elif defined(PREDICATE_OF_ANOTHER_TYPE)
  ControllerFor<Plain>(manager, [](int) { return true; });
#elif defined(MAP_OF_ANOTHER_TYPE)
  ControllerFor<Plain>(manager).Watches<Plain>([](int) { return Request(); });
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
