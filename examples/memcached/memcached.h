// SPDX-License-Identifier: Apache-2.0
// The kind that the operator adds to a cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/conditions.h"
#include "capstan/kind.h"

struct Memcached {
  capstan::ObjectMeta metadata;
  struct Spec {
    int size = 1;
    std::string image = "memcached:1.6";
    std::optional<std::string> config_map_name;
  } spec;
  struct Status {
    int available_replicas = 0;
    std::vector<capstan::Condition> conditions;
    friend bool operator==(const Status&, const Status&) = default;
  } status;
};
template <>
inline constexpr auto capstan::kKind<Memcached> =
    capstan::Kind("cache.example.com", "v1alpha1", "Memcached", "memcacheds")
        .Namespaced()
        .ShortNames("mc")
        .Description("Memcached is a cache of some replicas.")
        .Rule("self.spec.size <= 3 || has(self.spec.configMapName)",
              "more than 3 replicas need a configMapName")
        .Column({.name = "Size", .type = "integer", .json_path = ".spec.size"})
        .Column({.name = "Available", .type = "integer", .json_path = ".status.availableReplicas"})
        .Spec(capstan::Field("size", &Memcached::Spec::size).Required().Minimum(1).Maximum(5),
              capstan::Field("image", &Memcached::Spec::image).Default("memcached:1.6"),
              capstan::Field("configMapName", &Memcached::Spec::config_map_name).MinLength(1))
        .Status(capstan::Field("availableReplicas", &Memcached::Status::available_replicas),
                capstan::Field("conditions", &Memcached::Status::conditions).ListMap("type"));
