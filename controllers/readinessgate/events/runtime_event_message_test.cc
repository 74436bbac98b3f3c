// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/events/runtime_event_message.h"

#include <gtest/gtest.h>

#include <string>

namespace controllers::readinessgate {
namespace {

std::string Bytes(const RuntimeEvent& event) {
  const RuntimeEventBytes bytes = EncodeRuntimeEvent(event);
  return {bytes.begin(), bytes.end()};
}

TEST(RuntimeEventMessageTest, EveryEventComesBackAsItWasSent) {
  for (const RuntimeEventType type :
       {RuntimeEventType::kCreated, RuntimeEventType::kDeleted, RuntimeEventType::kFullPass,
        RuntimeEventType::kStreamUp, RuntimeEventType::kStreamDown}) {
    for (const int count : {1, 2, 255, 256, 65535}) {
      const RuntimeEvent event{.type = type, .count = static_cast<std::uint16_t>(count)};

      EXPECT_EQ(DecodeRuntimeEvent(Bytes(event)), event);
    }
  }
}

TEST(RuntimeEventMessageTest, IsTheseBytesOnEveryMachine) {
  EXPECT_EQ(Bytes({.type = RuntimeEventType::kDeleted, .count = 0x1234}),
            std::string("CEV1\x02\0\x12\x34", 8));
}

TEST(RuntimeEventMessageTest, RefusesWhatIsNotOurs) {
  const std::string good = Bytes({.type = RuntimeEventType::kCreated});
  ASSERT_TRUE(DecodeRuntimeEvent(good));

  EXPECT_FALSE(DecodeRuntimeEvent(""));
  EXPECT_FALSE(DecodeRuntimeEvent(good.substr(0, 7)));
  EXPECT_FALSE(DecodeRuntimeEvent(good + "x"));
  EXPECT_FALSE(DecodeRuntimeEvent("CEV2" + good.substr(4)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x00\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x06\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\xff\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x01\x01\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x01\0\0\0", 8))) << "stands for no event";
}

}  // namespace
}  // namespace controllers::readinessgate
