// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/object_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "clientgo/client/testing/kinds.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

struct JobOwner {
  ObjectMeta metadata = {};
  struct Status {
    std::vector<api::ObjectReference> active = {};
  } status = {};
};

}  // namespace

template <>
inline constexpr auto kKind<JobOwner> = Kind("x.io", "v1", "JobOwner", "jobowners")
                                            .Namespaced()
                                            .Status(Field("active", &JobOwner::Status::active));

namespace {

TEST(ObjectReferenceTest, IsAFieldOfAStatus) {
  testing::Foo foo = testing::NewFoo("a");
  foo.metadata.uid = "uid-a";
  JobOwner owner;
  owner.metadata.name = "o";
  owner.status.active = {ReferenceTo(foo)};
  owner.status.active[0].resource_version = "7";

  const std::string json = ToJson(owner);

  EXPECT_THAT(json, HasSubstr(R"("active":[{"kind":"Foo","namespace":"ns","name":"a",)"
                              R"("uid":"uid-a","apiVersion":"x.io/v1","resourceVersion":"7"}])"));
  const auto read = FromJson<JobOwner>(json);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ((*read)->status.active, owner.status.active);
}

TEST(ObjectReferenceTest, RequiresNoFieldInTheDefinition) {
  EXPECT_THAT(CustomResourceDefinition<JobOwner>(),
              HasSubstr(R"("active":{"type":"array","items":{"type":"object","properties":{)"
                        R"("kind":{"type":"string"},"namespace":{"type":"string"},)"
                        R"("name":{"type":"string"},"uid":{"type":"string"},)"
                        R"("apiVersion":{"type":"string"},)"
                        R"("resourceVersion":{"type":"string"}}}})"));
}

}  // namespace
}  // namespace capstan
