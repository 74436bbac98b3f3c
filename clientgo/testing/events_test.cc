// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/require.h"
#include "capstan/typed_object.h"

namespace capstan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EventsTest, ReturnsTheEventsOfOneObject) {
  apiserver::Server server({.tls = false});
  Value(server.Start(), "the API server");
  const auto client = Value(rest::Client::New({.host = server.url()}), "a client");
  const api::EventFields fields = {
      .involved_object = {.kind = "Foo", .namespace_ = "ns", .name = "a", .uid = "u"},
      .type = "Normal",
      .reason = "Synced",
      .message = "Foo synced",
      .count = 2};
  api::EventFields of_other = fields;
  of_other.involved_object.uid = "v";
  Value(server.CreateObjects({ToJson(api::Event{fields, {.name = "a.1", .namespace_ = "ns"}}),
                              ToJson(api::Event{of_other, {.name = "a.2", .namespace_ = "ns"}})}),
        "the Events");

  EXPECT_THAT(EventsOf(*client, "u"), ElementsAre(fields));
  EXPECT_THAT(EventsOf(*client, "w"), IsEmpty());
}

TEST(EventsTest, ThrowsWhenTheyCannotBeListed) {
  apiserver::Server server({.tls = false});
  Value(server.Start(), "the API server");
  const auto client = Value(rest::Client::New({.host = server.url()}), "a client");
  server.InjectFault({.match = {.verb = "list", .resource = "events"}, .code = 403});

  EXPECT_THROW(EventsOf(*client, "u"), std::runtime_error);
}

}  // namespace
}  // namespace capstan::testing
