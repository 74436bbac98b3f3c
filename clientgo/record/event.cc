// SPDX-License-Identifier: Apache-2.0
#include "clientgo/record/event.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "clientgo/runtime/json.h"
#include "clientgo/util/text.h"

namespace clientgo::record {

runtime::ObjectKey EventRecord::Key() const {
  const std::string& ns = fields.involved_object.namespace_;
  return {.namespace_ = ns.empty() ? "default" : ns, .name = name};
}

std::string EventName(std::string_view object_name, util::Clock::WallTime time) {
  const auto nanos =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  constexpr std::size_t kNameMax = 253;
  std::array<char, 16> hex{};
  const auto end = std::to_chars(hex.begin(), hex.end(), static_cast<std::uint64_t>(nanos), 16).ptr;
  const std::string suffix = "." + std::string(hex.begin(), end);
  std::string name = std::string(object_name) + suffix;
  if (name.size() > kNameMax || !util::IsDnsSubdomain(name)) name = "event" + suffix;
  return name;
}

std::string_view Truncate(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto continues_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
  };
  std::size_t end = bytes_max;
  while (end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

std::string ToPatch(const EventRecord& event) {
  runtime::JsonBuffer buffer;
  runtime::JsonWriter writer(buffer);
  writer.StartObject();
  writer.Key("count");
  writer.Int(event.fields.count);
  writer.Key("lastTimestamp");
  runtime::WriteString(writer, event.fields.last_timestamp);
  writer.Key("message");
  runtime::WriteString(writer, event.fields.message);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace clientgo::record
