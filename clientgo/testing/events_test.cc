// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/require.h"
#include "capstan/typed_object.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using EventsTest = apiserver::RestFixture;

TEST_F(EventsTest, ReturnsTheEventsOfOneObject) {
  const api::EventFields fields = {
      .involved_object = {.kind = "Foo", .namespace_ = "ns", .name = "a", .uid = "u"},
      .type = "Normal",
      .reason = "Synced",
      .message = "Foo synced",
      .count = 2};
  api::EventFields of_other = fields;
  of_other.involved_object.uid = "v";
  Value(server_.CreateObjects({ToJson(api::Event{fields, {.name = "a.1", .namespace_ = "ns"}}),
                               ToJson(api::Event{of_other, {.name = "a.2", .namespace_ = "ns"}})}),
        "the Events");

  EXPECT_THAT(EventsOf(*client_, "u"), ElementsAre(fields));
  EXPECT_THAT(EventsOf(*client_, "w"), IsEmpty());
}

TEST_F(EventsTest, ThrowsWhenTheyCannotBeListed) {
  server_.InjectFault({.match = {.verb = "list", .resource = "events"}, .code = 403});

  EXPECT_THROW(EventsOf(*client_, "u"), std::runtime_error);
}

}  // namespace
}  // namespace capstan::testing
