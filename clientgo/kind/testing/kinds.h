// SPDX-License-Identifier: Apache-2.0
// Kinds for the tests of this folder: Foo of the sample controller, and Widget with every type of
// member and every attribute.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/kind.h"

namespace capstan::kind_test {

struct Foo {
  ObjectMeta metadata;
  struct Spec {
    std::string deployment_name;
    int replicas = 1;
    friend bool operator==(const Spec&, const Spec&) = default;
  } spec;
  struct Status {
    int available_replicas = 0;
    friend bool operator==(const Status&, const Status&) = default;
  } status;
  friend bool operator==(const Foo&, const Foo&) = default;
};

// Condition is used by two fields, so it declares its fields once.
struct Condition {
  std::string type;
  std::string status;
  std::optional<Time> last_transition_time;
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Port {
  std::string name;
  IntOrString target;
  friend bool operator==(const Port&, const Port&) = default;
};

struct Widget {
  ObjectMeta metadata;
  std::map<std::string, std::string> data;
  struct Spec {
    bool paused = false;
    std::int64_t generation = 0;
    std::uint8_t level = 0;
    double ratio = 0;
    std::string size;
    std::optional<int> replicas;
    std::optional<bool> enabled;
    std::optional<Time> start;
    std::optional<MicroTime> renewed;
    Duration interval{};
    std::optional<Quantity> memory;
    RawJson extra;
    std::vector<std::string> arguments;
    std::map<std::string, Quantity> limits;
    std::vector<Port> ports;
    std::map<std::string, Port> named_ports;
    std::optional<Port> main_port;
    std::vector<std::vector<int>> matrix;
    struct Template {
      ObjectMeta metadata;
      std::string image;
      friend bool operator==(const Template&, const Template&) = default;
    } pod_template;
    friend bool operator==(const Spec&, const Spec&) = default;
  } spec;
  struct Status {
    std::vector<Condition> conditions;
    std::optional<Condition> last;
    friend bool operator==(const Status&, const Status&) = default;
  } status;
  friend bool operator==(const Widget&, const Widget&) = default;
};

// Only the identity of a node, and the conditions that a reader needs.
struct NodeView {
  struct Status {
    std::vector<Condition> conditions;
  } status;
};

// One annotation of a Secret.
struct SecretView {
  struct Metadata {
    std::map<std::string, std::string> annotations;
  } metadata;
};

}  // namespace capstan::kind_test

template <>
inline constexpr auto capstan::kFields<capstan::kind_test::Condition> = capstan::Fields(
    capstan::Field("type", &capstan::kind_test::Condition::type).Required(),
    capstan::Field("status", &capstan::kind_test::Condition::status)
        .Required()
        .Enum("True", "False", "Unknown"),
    capstan::Field("lastTransitionTime", &capstan::kind_test::Condition::last_transition_time));

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::Foo> =
    capstan::Kind("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos")
        .Namespaced()
        .Spec(capstan::Field("deploymentName", &capstan::kind_test::Foo::Spec::deployment_name)
                  .Required(),
              capstan::Field("replicas", &capstan::kind_test::Foo::Spec::replicas)
                  .Minimum(0)
                  .Maximum(10)
                  .Default(1))
        .Status(capstan::Field("availableReplicas",
                               &capstan::kind_test::Foo::Status::available_replicas));

namespace capstan::kind_test {

constexpr auto WidgetSpec(const auto& kind) {
  using Spec = Widget::Spec;
  const auto name = Field("name", &Port::name).Required().MaxLength(15);
  const auto target = Field("target", &Port::target);
  return kind.Spec(
      Field("paused", &Spec::paused).Default(false),
      Field("generation", &Spec::generation).Description("A number of 64 bits."),
      Field("level", &Spec::level).Minimum(0).Maximum(255),
      Field("ratio", &Spec::ratio).Minimum(0.5).Maximum(2),
      Field("size", &Spec::size).Enum("small", "large").Default("small"),
      Field("replicas", &Spec::replicas).Minimum(0), Field("enabled", &Spec::enabled),
      Field("start", &Spec::start), Field("renewed", &Spec::renewed),
      Field("interval", &Spec::interval), Field("memory", &Spec::memory),
      Field("extra", &Spec::extra),
      Field("arguments", &Spec::arguments).MinItems(0).MaxItems(8).ListSet(),
      Field("limits", &Spec::limits),
      Field("ports", &Spec::ports, name, target).ListMap("name").Required(),
      Field("namedPorts", &Spec::named_ports, name, target),
      Field("mainPort", &Spec::main_port, name, target)
          .Rule("self.name != 'none'", "the name must not be none"),
      Field("matrix", &Spec::matrix),
      Field("template", &Spec::pod_template, Field("metadata", &Spec::Template::metadata),
            Field("image", &Spec::Template::image).MinLength(1).Pattern("^[a-z]")));
}

}  // namespace capstan::kind_test

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::Widget> =
    capstan::kind_test::WidgetSpec(
        capstan::Kind("example.io", "v1", "Widget", "widgets")
            .ClusterScoped()
            .ShortNames("wd", "wdg")
            .Categories("all")
            .Description("Widget has every type of member.")
            .Column({.name = "Size", .type = "string", .json_path = ".spec.size"})
            .Column({.name = "Age",
                     .type = "date",
                     .json_path = ".metadata.creationTimestamp",
                     .description = "The age.",
                     .priority = 1})
            .Rule("self.metadata.name != 'none'", "the name must not be none")
            .ScaleSubresource(".spec.replicas", ".status.replicas", ".status.selector")
            .Fields(capstan::Field("data", &capstan::kind_test::Widget::data)))
        .Status(capstan::Field("conditions", &capstan::kind_test::Widget::Status::conditions)
                    .ListMap("type"),
                capstan::Field("last", &capstan::kind_test::Widget::Status::last));

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::NodeView> =
    capstan::Kind("", "v1", "Node", "nodes")
        .ClusterScoped()
        .Partial()
        .Status(capstan::Field("conditions", &capstan::kind_test::NodeView::Status::conditions));

template <>
inline constexpr auto capstan::kKind<capstan::kind_test::SecretView> =
    capstan::Kind("", "v1", "Secret", "secrets")
        .Namespaced()
        .MetadataOnly()
        .Metadata(capstan::Field("annotations",
                                 &capstan::kind_test::SecretView::Metadata::annotations));
