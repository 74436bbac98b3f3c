// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/require.h"

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
  Value(server.CreateObjects({ToJson({"ns", "a.1"}, fields), ToJson({"ns", "a.2"}, of_other)}),
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
