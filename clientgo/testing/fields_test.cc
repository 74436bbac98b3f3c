// SPDX-License-Identifier: Apache-2.0
// Tests of UnknownField: a wrong JSON name is named with its path.
#include "capstan/testing/fields.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Pod {
  struct Container {
    std::string image;
  };
  struct Spec {
    std::vector<Container> containers;
  };
  capstan::ObjectMeta metadata;
  Spec spec;
};
struct WrongPod : Pod {};
struct Widget {
  struct Spec {
    std::vector<std::string> names;
    capstan::RawJson open;
  };
  capstan::ObjectMeta metadata;
  Spec spec;
};
struct WrongWidget : Widget {};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Pod> =
    Kind("", "v1", "Pod", "pods")
        .Namespaced()
        .Partial()
        .Spec(Field("containers", &Pod::Spec::containers, Field("image", &Pod::Container::image)));
template <>
inline constexpr auto capstan::kKind<WrongPod> =
    Kind("", "v1", "Pod", "pods")
        .Namespaced()
        .Partial()
        .Spec(Field("containers", &Pod::Spec::containers, Field("imege", &Pod::Container::image)));
template <>
inline constexpr auto capstan::kKind<Widget> = Kind("example.com", "v1", "Widget", "widgets")
                                                   .Namespaced()
                                                   .Spec(Field("names", &Widget::Spec::names),
                                                         Field("open", &Widget::Spec::open));
template <>
inline constexpr auto capstan::kKind<WrongWidget> = Kind("example.com", "v1", "Widget", "widgets")
                                                        .Namespaced()
                                                        .Spec(Field("name", &Widget::Spec::names),
                                                              Field("open", &Widget::Spec::open));

namespace capstan::testing {
namespace {

constexpr const char* kWidgetDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              names: {type: array, items: {type: string}}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

TEST(UnknownFieldTest, NamesAFieldThatKubernetesDoesNotHave) {
  EXPECT_EQ(UnknownField<Pod>(), "");
  EXPECT_EQ(UnknownField<WrongPod>(), "spec.containers.imege");
}

TEST(UnknownFieldTest, NamesAFieldThatADefinitionDoesNotHave) {
  EXPECT_EQ(UnknownField<Widget>(kWidgetDefinition), "");
  EXPECT_EQ(UnknownField<WrongWidget>(kWidgetDefinition), "spec.name");
}

TEST(UnknownFieldTest, AKindOfOthersNeedsItsDefinition) {
  EXPECT_THROW(UnknownField<Widget>(), std::runtime_error);
  EXPECT_THROW(UnknownField<Widget>("spec: {versions: [{name: v2}]}"), std::runtime_error);
}

}  // namespace
}  // namespace capstan::testing
