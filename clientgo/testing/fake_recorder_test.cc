// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fake_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace capstan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FakeRecorderTest, KeepsEventsInOrder) {
  FakeRecorder recorder;
  recorder.Event({.kind = "Foo", .name = "a"}, record::kEventTypeWarning, "Failed", "cannot write");
  recorder.Event({.kind = "Foo", .name = "b"}, record::kEventTypeNormal, "Synced", "written");

  const RecordedEvent failed = {.object = {.kind = "Foo", .name = "a"},
                                .type = "Warning",
                                .reason = "Failed",
                                .message = "cannot write"};
  const RecordedEvent synced = {.object = {.kind = "Foo", .name = "b"},
                                .type = "Normal",
                                .reason = "Synced",
                                .message = "written"};
  EXPECT_THAT(recorder.events(), ElementsAre(failed, synced));
  EXPECT_EQ(failed.String(), "Warning Failed cannot write");
}

TEST(FakeRecorderTest, TakeForgetsEvents) {
  FakeRecorder recorder;
  recorder.Event({.name = "a"}, record::kEventTypeNormal, "Synced", "written");

  const auto taken = recorder.Take();

  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].reason, "Synced");
  EXPECT_THAT(recorder.events(), IsEmpty());
  EXPECT_THAT(recorder.Take(), IsEmpty());
}

TEST(FakeRecorderTest, KeepsEventsOfSeveralThreads) {
  FakeRecorder recorder;
  {
    const auto record = [&recorder] {
      for (int i = 0; i < 100; ++i) {
        recorder.Event({.name = "a"}, record::kEventTypeNormal, "Synced", "written");
      }
    };
    const std::jthread one(record);
    const std::jthread two(record);
  }
  EXPECT_EQ(recorder.events().size(), 200U);
}

}  // namespace
}  // namespace capstan::testing
