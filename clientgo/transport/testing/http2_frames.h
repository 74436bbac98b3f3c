// SPDX-License-Identifier: Apache-2.0
// Frames of an HTTP/2 server as bytes (RFC 9113, RFC 7541), also wrong ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::transport {

enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};

inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndHeaders = 4;

inline std::string Uint32(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xffU);
  return out;
}

// Reads what Uint32 writes. `bytes` has four bytes or more.
inline std::uint32_t ReadUint32(std::string_view bytes) {
  std::uint32_t out = 0;
  for (const char byte : bytes.substr(0, 4)) out = out << 8U | static_cast<unsigned char>(byte);
  return out;
}

inline std::string Frame(FrameType type, std::uint8_t flags, std::uint32_t stream,
                         std::string_view payload) {
  std::string out = Uint32(static_cast<std::uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return out + Uint32(stream) + std::string(payload);
}

// Returns one field as an HPACK literal that is not indexed. Both parts are shorter than 16 KiB.
inline std::string Field(std::string_view name, std::string_view value) {
  const auto text = [](std::string_view part) {
    std::string out;
    if (part.size() < 127) {
      out += static_cast<char>(part.size());
    } else {
      std::size_t rest = part.size() - 127;
      out += static_cast<char>(127);
      for (; rest >= 128; rest /= 128) out += static_cast<char>(rest % 128 + 128);
      out += static_cast<char>(rest);
    }
    return out + std::string(part);
  };
  return std::string(1, '\0') + text(name) + text(value);
}

// A HEADERS frame, and CONTINUATION frames for what does not fit.
inline std::string HeadersFrame(std::uint32_t stream, std::uint8_t flags,
                                const std::vector<std::pair<std::string, std::string>>& fields) {
  constexpr std::size_t kFrameBytesMax = 16384;
  std::string block;
  for (const auto& [name, value] : fields) block += Field(name, value);
  std::string out;
  FrameType type = FrameType::kHeaders;
  do {
    const std::string piece = block.substr(0, kFrameBytesMax);
    block.erase(0, piece.size());
    const int end = block.empty() ? kEndHeaders : 0;
    out += Frame(type, static_cast<std::uint8_t>(flags | end), stream, piece);
    type = FrameType::kContinuation;
    flags = 0;
  } while (!block.empty());
  return out;
}

inline std::string DataFrame(std::uint32_t stream, std::uint8_t flags, std::string_view data) {
  return Frame(FrameType::kData, flags, stream, data);
}

// A SETTINGS frame with one setting; 3 is MAX_CONCURRENT_STREAMS.
inline std::string SettingsFrame(std::uint16_t id = 3, std::uint32_t value = 100) {
  return Frame(
      FrameType::kSettings, 0, 0,
      std::string{static_cast<char>(id >> 8), static_cast<char>(id & 0xff)} + Uint32(value));
}

inline std::string GoAwayFrame(std::uint32_t last_stream, std::uint32_t code = 0) {
  return Frame(FrameType::kGoAway, 0, 0, Uint32(last_stream) + Uint32(code));
}

inline std::string RstStreamFrame(std::uint32_t stream, std::uint32_t code) {
  return Frame(FrameType::kRstStream, 0, stream, Uint32(code));
}

}  // namespace capstan::transport
