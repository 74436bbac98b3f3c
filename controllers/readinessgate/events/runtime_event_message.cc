// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/events/runtime_event_message.h"

#include <algorithm>

namespace controllers::readinessgate {
namespace {

constexpr std::string_view kMagic = "CEV1";

}  // namespace

RuntimeEventBytes EncodeRuntimeEvent(const RuntimeEvent& event) {
  RuntimeEventBytes bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  bytes[4] = static_cast<char>(event.type);
  bytes[6] = static_cast<char>(event.count >> 8);
  bytes[7] = static_cast<char>(event.count & 0xff);
  return bytes;
}

std::optional<RuntimeEvent> DecodeRuntimeEvent(std::string_view bytes) {
  if (bytes.size() != kRuntimeEventBytes || bytes.substr(0, kMagic.size()) != kMagic) return {};
  const auto type = static_cast<std::uint8_t>(bytes[4]);
  const auto count = static_cast<std::uint16_t>(static_cast<std::uint8_t>(bytes[6]) << 8 |
                                                static_cast<std::uint8_t>(bytes[7]));
  if (type < static_cast<std::uint8_t>(RuntimeEventType::kCreated) ||
      type > static_cast<std::uint8_t>(RuntimeEventType::kStreamDown) || bytes[5] != 0 ||
      count == 0) {
    return {};
  }
  return RuntimeEvent{.type = static_cast<RuntimeEventType>(type), .count = count};
}

}  // namespace controllers::readinessgate
