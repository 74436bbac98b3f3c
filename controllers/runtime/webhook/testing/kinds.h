// SPDX-License-Identifier: Apache-2.0
// Kinds for tests of webhooks: a custom resource in three versions, and a part of Pod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "clientgo/client/testing/kinds.h"

namespace capstan::webhook {

struct FooV1 {
  ObjectMeta metadata = {};
  struct Spec {
    std::string size = {};  // "3" or "3 large"
  } spec = {};
};
struct FooV2 {
  ObjectMeta metadata = {};
  struct Spec {
    std::optional<int> replicas = {};
    std::string flavor = {};
  } spec = {};
  struct Status {
    int ready = 0;
  } status = {};
};
struct FooV3 {
  ObjectMeta metadata = {};
  struct Spec {
    std::vector<std::string> flavors = {};
  } spec = {};
};

struct Pod {
  ObjectMeta metadata = {};
  struct Spec {
    std::vector<testing::Container> containers = {};
  } spec = {};
};

}  // namespace capstan::webhook

template <>
inline constexpr auto capstan::kKind<capstan::webhook::FooV1> =
    capstan::Kind("foos.example.com", "v1", "Foo", "foos")
        .Namespaced()
        .Spec(capstan::Field("size", &capstan::webhook::FooV1::Spec::size));
template <>
inline constexpr auto capstan::kKind<capstan::webhook::FooV2> =
    capstan::Kind("foos.example.com", "v2", "Foo", "foos")
        .Namespaced()
        .Spec(capstan::Field("replicas", &capstan::webhook::FooV2::Spec::replicas),
              capstan::Field("flavor", &capstan::webhook::FooV2::Spec::flavor))
        .Status(capstan::Field("ready", &capstan::webhook::FooV2::Status::ready));
template <>
inline constexpr auto capstan::kKind<capstan::webhook::FooV3> =
    capstan::Kind("foos.example.com", "v3", "Foo", "foos")
        .Namespaced()
        .Spec(capstan::Field("flavors", &capstan::webhook::FooV3::Spec::flavors));
template <>
inline constexpr auto capstan::kKind<capstan::webhook::Pod> =
    capstan::Kind("", "v1", "Pod", "pods")
        .Namespaced()
        .Spec(capstan::Field("containers", &capstan::webhook::Pod::Spec::containers))
        .Partial();
