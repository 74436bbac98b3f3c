// SPDX-License-Identifier: Apache-2.0
// Kinds for tests of clients and of Controllers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/conditions.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::testing {

// Foo is a whole kind of one's own.
struct Foo {
  ObjectMeta metadata = {};
  struct Spec {
    int replicas = 1;
    std::map<std::string, std::string> template_labels = {};
  } spec = {};
  struct Status {
    bool ready = false;
    std::vector<Condition> conditions = {};
  } status = {};
};

inline Foo NewFoo(std::string name) {
  Foo foo;
  foo.metadata.namespace_ = "ns";
  foo.metadata.name = std::move(name);
  return foo;
}

// PartOfPod has some fields of somebody else's kind.
struct PartOfPod {
  ObjectMeta metadata = {};
  struct Spec {
    std::string node_name = {};
  } spec = {};
};

// The embedded API server serves these kinds.
struct Certificate {
  ObjectMeta metadata = {};
  struct Spec {
    std::string secret_name = {};
  } spec = {};
  struct Status {
    std::vector<Condition> conditions = {};
  } status = {};
};

struct ConfigMap {
  ObjectMeta metadata = {};
  std::map<std::string, std::string> data = {};
  std::map<std::string, Bytes> binary_data = {};
  std::optional<bool> immutable = {};
};

// Secret has only its metadata.
struct Secret {
  ObjectMeta metadata = {};
};

struct Container {
  std::string name = {};
  std::string image = {};
};

// Only what a test sets: an apply owns no other field.
struct Deployment {
  ObjectMeta metadata = {};
  struct Spec {
    std::optional<int> replicas = {};
  } spec = {};
  struct Status {
    std::optional<int> ready_replicas = {};
  } status = {};
};

// Workload has some fields of a Deployment, also some of the elements of a list.
struct Workload {
  ObjectMeta metadata = {};
  struct Strategy {
    std::string type = {};
  };
  struct Spec {
    Strategy strategy = {};
    std::optional<Strategy> optional_strategy = {};
    std::vector<Container> containers = {};
    std::map<std::string, std::vector<Container>> by_zone = {};
    std::vector<std::string> arguments = {};
  } spec = {};
  struct Status {
    std::optional<int> ready_replicas = {};
  } status = {};
};

// ReadOnlyPod keeps the identity only.
struct ReadOnlyPod {};

}  // namespace capstan::testing

namespace capstan {

template <>
inline constexpr auto kKind<testing::Foo> =
    Kind("x.io", "v1", "Foo", "foos")
        .Namespaced()
        .Spec(Field("replicas", &testing::Foo::Spec::replicas),
              Field("templateLabels", &testing::Foo::Spec::template_labels))
        .Status(Field("ready", &testing::Foo::Status::ready),
                Field("conditions", &testing::Foo::Status::conditions).ListMap("type"));

template <>
inline constexpr auto kKind<testing::PartOfPod> =
    Kind("", "v1", "Pod", "pods")
        .Namespaced()
        .Partial()
        .Spec(Field("nodeName", &testing::PartOfPod::Spec::node_name));

template <>
inline constexpr auto kKind<testing::Secret> =
    Kind("", "v1", "Secret", "secrets").Namespaced().Partial();

template <>
inline constexpr auto kFields<testing::Container> =
    Fields(Field("name", &testing::Container::name), Field("image", &testing::Container::image));

template <>
inline constexpr auto kFields<testing::Workload::Strategy> =
    Fields(Field("type", &testing::Workload::Strategy::type));
template <>
inline constexpr auto kKind<testing::Workload> =
    Kind("apps", "v1", "Deployment", "deployments")
        .Namespaced()
        .Partial()
        .Spec(Field("strategy", &testing::Workload::Spec::strategy),
              Field("optionalStrategy", &testing::Workload::Spec::optional_strategy),
              Field("containers", &testing::Workload::Spec::containers),
              Field("byZone", &testing::Workload::Spec::by_zone),
              Field("arguments", &testing::Workload::Spec::arguments))
        .Status(Field("readyReplicas", &testing::Workload::Status::ready_replicas));

template <>
inline constexpr auto kKind<testing::ReadOnlyPod> =
    Kind("", "v1", "Pod", "pods").Namespaced().Partial();

template <>
inline constexpr auto kKind<testing::Certificate> =
    Kind("cert-manager.io", "v1", "Certificate", "certificates")
        .Namespaced()
        .Spec(Field("secretName", &testing::Certificate::Spec::secret_name).Required())
        .Status(Field("conditions", &testing::Certificate::Status::conditions).ListMap("type"));

template <>
inline constexpr auto kKind<testing::ConfigMap> =
    Kind("", "v1", "ConfigMap", "configmaps")
        .Namespaced()
        .Whole()
        .Fields(Field("data", &testing::ConfigMap::data),
                Field("binaryData", &testing::ConfigMap::binary_data),
                Field("immutable", &testing::ConfigMap::immutable));

template <>
inline constexpr auto kKind<testing::Deployment> =
    Kind("apps", "v1", "Deployment", "deployments")
        .Namespaced()
        .Partial()
        .Spec(Field("replicas", &testing::Deployment::Spec::replicas))
        .Status(Field("readyReplicas", &testing::Deployment::Status::ready_replicas));

}  // namespace capstan
