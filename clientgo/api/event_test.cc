// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/typed_object.h"
#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::api {
namespace {

using ::testing::HasSubstr;

TEST(EventTest, DecodesEventFromRealServer) {
  const auto event =
      MustDecode<TypedObject<Event>>(TypeOf<Event>(), runtime::ReadGolden("event.json"));

  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->key(), "demo/e.1");
  const EventFields expected = {.involved_object = {.api_version = "v1",
                                                    .kind = "Secret",
                                                    .namespace_ = "demo",
                                                    .name = "ca-a",
                                                    .uid = "u"},
                                .type = "Normal",
                                .reason = "Injected",
                                .message = "done",
                                .source = {.component = "capstan"},
                                .first_timestamp = "2026-01-02T03:04:05Z",
                                .last_timestamp = "2026-01-02T03:04:05Z",
                                .count = 1};
  EXPECT_EQ(static_cast<const EventFields&>(*event), expected);
}

TEST(EventTest, RoundTripsThroughJson) {
  const EventFields fields = {.involved_object = {.api_version = "v1",
                                                  .kind = "Node",
                                                  .name = "n",
                                                  .uid = "u",
                                                  .resource_version = "7"},
                              .type = "Warning",
                              .reason = "Bad",
                              .message = "line\nbreak \"quoted\" \xc3\xa9",
                              .source = {.component = "c", .host = "h"},
                              .reporting_component = "c",
                              .reporting_instance = "h",
                              .first_timestamp = "2026-01-02T03:04:05Z",
                              .last_timestamp = "2026-01-02T03:04:06Z",
                              .count = 3};
  const std::string body = ToJson(Event{fields, {.name = "n.1", .namespace_ = "default"}});

  const auto event = MustDecode<TypedObject<Event>>(TypeOf<Event>(), body);
  EXPECT_EQ(event->key(), "default/n.1");
  EXPECT_EQ(static_cast<const EventFields&>(*event), fields);
  EXPECT_THAT(body, HasSubstr(R"("reportingComponent":"c","reportingInstance":"h")"));
}

TEST(EventTest, OmitsEmptyFields) {
  const std::string body = ToJson(Event{{.reason = "R"}, {.name = "e", .namespace_ = "ns"}});
  EXPECT_EQ(body, R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"ns"},)"
                  R"("involvedObject":{},"reason":"R","source":{},"count":1})");
}

}  // namespace
}  // namespace capstan::api
