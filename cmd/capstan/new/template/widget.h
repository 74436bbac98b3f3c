// The kind Widget: what its users write, and what the controller reports.
#pragma once

#include <string>
#include <vector>

#include "capstan/conditions.h"
#include "capstan/kind.h"

struct Widget {
  capstan::ObjectMeta metadata;
  struct Spec {
    int replicas = 1;
    std::string image;
  } spec;
  struct Status {
    int ready_replicas = 0;
    std::vector<capstan::Condition> conditions;
    friend bool operator==(const Status&, const Status&) = default;
  } status;
};

template <>
inline constexpr auto capstan::kKind<Widget> =
    capstan::Kind("example.com", "v1alpha1", "Widget", "widgets")
        .Namespaced()
        .Description("Widget runs an image.")
        .Column({.name = "Replicas", .type = "integer", .json_path = ".spec.replicas"})
        .Column({.name = "Ready", .type = "integer", .json_path = ".status.readyReplicas"})
        .Spec(capstan::Field("replicas", &Widget::Spec::replicas)
                  .Minimum(0)
                  .Default(1)
                  .Description("The number of pods."),
              capstan::Field("image", &Widget::Spec::image)
                  .Required()
                  .MinLength(1)
                  .Description("The image of the pods."))
        .Status(capstan::Field("readyReplicas", &Widget::Status::ready_replicas),
                capstan::Field("conditions", &Widget::Status::conditions).ListMap("type"));
