// SPDX-License-Identifier: Apache-2.0
// The datagram between capstan-cri-event-broker and the node agent: 8 bytes, nothing else ever.
//
//   0-3  "CEV1"     4  type     5  zero     6-7  count, big endian, 1 to 65535
//
// It carries no name, no id and no time: an event only says "look again", and what the agent then
// believes is what its informer says. Functions without state: thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace controllers::readinessgate {

enum class RuntimeEventType : std::uint8_t {
  kCreated = 1,     // a container or a sandbox was created
  kDeleted = 2,     // ... was deleted
  kFullPass = 3,    // events may have been missed: the stream is new, or they are old
  kStreamUp = 4,    // heartbeat: the runtime's stream is being read
  kStreamDown = 5,  // heartbeat: there is no stream
};

struct RuntimeEvent {
  RuntimeEventType type = RuntimeEventType::kFullPass;
  std::uint16_t count = 1;  // how many it stands for: more than one when its sender was behind
  bool operator==(const RuntimeEvent&) const = default;
};

inline constexpr std::size_t kRuntimeEventBytes = 8;
using RuntimeEventBytes = std::array<char, kRuntimeEventBytes>;

RuntimeEventBytes EncodeRuntimeEvent(const RuntimeEvent& event);
// Nothing: these bytes are not one of ours.
std::optional<RuntimeEvent> DecodeRuntimeEvent(std::string_view bytes);

}  // namespace controllers::readinessgate
