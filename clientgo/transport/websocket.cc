// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/websocket.h"

#include <glog/logging.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "capstan/base64.h"
#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::transport {
namespace {

// The opcodes of frames (RFC 6455, section 5.2).
enum Opcode : int { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

constexpr int kLastFrame = 0x80;
constexpr int kMasked = 0x80;
constexpr std::size_t kOneByteMax = 125;
constexpr std::size_t kTwoBytes = 126;  // the length follows in two bytes
constexpr std::size_t kEightBytes = 127;
constexpr std::size_t kControlBytesMax = 125;
constexpr std::size_t kKeyBytes = 16;

std::string RandomBytes(std::size_t size) {
  std::string bytes(size, '\0');
  CHECK_EQ(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)), 1);
  return bytes;
}

// Returns what the server answers to the key (section 4.2.2).
std::string AcceptOf(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  CHECK_EQ(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr), 1);
  return Base64Encode({reinterpret_cast<const char*>(digest.data()), size});
}

Error Malformed(const std::string& what) {
  return {.reason = ErrorReason::kTransport, .message = "malformed WebSocket: " + what};
}

void AppendBigEndian(std::string& to, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(value >> (8 * i) & 0xffU);
}

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

struct WebSocket::Frame {
  int opcode = 0;
  bool last = false;
  std::string payload = {};
};

WebSocketHandshake::WebSocketHandshake(std::vector<std::string> protocols)
    : protocols_(std::move(protocols)), key_(Base64Encode(RandomBytes(kKeyBytes))) {}

HttpRequest WebSocketHandshake::Request(std::string target) const {
  return {.target = std::move(target),
          .headers = {{"Sec-WebSocket-Key", key_},
                      {"Sec-WebSocket-Version", "13"},
                      {"Sec-WebSocket-Protocol", Join(protocols_, ", ")}},
          .upgrade = "websocket"};
}

Expected<std::unique_ptr<WebSocket>> WebSocket::Open(const WebSocketHandshake& handshake,
                                                     HttpResponse& response) {
  auto stream = response.TakeUpgraded();
  const Headers& headers = response.headers();
  if (stream == nullptr ||
      FindHeader(headers, "Sec-WebSocket-Accept") != AcceptOf(handshake.key_)) {
    return tl::unexpected(Malformed("the server does not accept one"));
  }
  std::string protocol(FindHeader(headers, "Sec-WebSocket-Protocol"));
  if (!protocol.empty() &&
      std::count(handshake.protocols_.begin(), handshake.protocols_.end(), protocol) == 0) {
    return tl::unexpected(Malformed("the server chooses the protocol " + Quoted(protocol)));
  }
  return std::unique_ptr<WebSocket>(new WebSocket(std::move(stream), std::move(protocol)));
}

WebSocket::~WebSocket() {
  if (!closed_) static_cast<void>(Send(kClose, {}));
}

Expected<void> WebSocket::Send(int opcode, std::string_view payload) {
  const std::string mask = RandomBytes(4);
  std::string frame(1, static_cast<char>(kLastFrame | opcode));
  if (payload.size() <= kOneByteMax) {
    frame += static_cast<char>(kMasked | static_cast<int>(payload.size()));
  } else if (payload.size() <= UINT16_MAX) {
    frame += static_cast<char>(kMasked | static_cast<int>(kTwoBytes));
    AppendBigEndian(frame, payload.size(), 2);
  } else {
    frame += static_cast<char>(kMasked | static_cast<int>(kEightBytes));
    AppendBigEndian(frame, payload.size(), 8);
  }
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % mask.size()]);
  }
  return stream_->Write(frame);
}

Expected<void> WebSocket::Write(std::string_view message) { return Send(kBinary, message); }

Expected<bool> WebSocket::Fill(std::size_t size, Clock::Duration max_silence) {
  while (received_.size() < size) {
    const auto bytes = stream_->Read(max_silence);
    if (!bytes) return Err(bytes.error());
    if (bytes->empty()) return false;
    received_ += *bytes;
  }
  return true;
}

std::string WebSocket::Take(std::size_t size) {
  std::string taken = received_.substr(0, size);
  received_.erase(0, size);
  return taken;
}

Expected<std::optional<WebSocket::Frame>> WebSocket::ReadFrame(Clock::Duration max_silence) {
  const auto ended = [&]() -> Expected<std::optional<Frame>> {
    if (received_.empty()) return std::nullopt;
    return Err(ErrorReason::kUnexpectedEof, "unexpected EOF in a WebSocket frame");
  };
  auto filled = Fill(2, max_silence);
  if (!filled) return Err(filled.error());
  if (!*filled) return ended();
  const int first = static_cast<unsigned char>(received_[0]);
  const int second = static_cast<unsigned char>(received_[1]);
  if ((first & 0x70) != 0 || (second & kMasked) != 0) {
    return tl::unexpected(Malformed("reserved bits, or a mask of the server"));
  }
  const auto short_length = static_cast<std::size_t>(second);
  const std::size_t length_bytes =
      short_length == kTwoBytes ? 2 : (short_length == kEightBytes ? 8 : 0);
  filled = Fill(2 + length_bytes, max_silence);
  if (!filled) return Err(filled.error());
  if (!*filled) return ended();
  const std::uint64_t length = length_bytes == 0
                                   ? short_length
                                   : BigEndian(std::string_view(received_).substr(2, length_bytes));
  Frame frame{.opcode = first & 0x0f, .last = (first & kLastFrame) != 0};
  const bool control = frame.opcode >= kClose;
  if (length > (control ? kControlBytesMax : kMessageBytesMax) || (control && !frame.last)) {
    return tl::unexpected(Malformed("a frame of " + std::to_string(length) + " bytes"));
  }
  filled = Fill(2 + length_bytes + length, max_silence);
  if (!filled) return Err(filled.error());
  if (!*filled) return ended();
  Take(2 + length_bytes);
  frame.payload = Take(length);
  return frame;
}

Expected<std::optional<std::string>> WebSocket::Read(Clock::Duration max_silence) {
  for (;;) {
    auto frame = ReadFrame(max_silence);
    if (!frame) return Err(frame.error());
    if (!*frame) {
      closed_ = true;
      return std::nullopt;
    }
    switch ((*frame)->opcode) {
      case kPing:
        if (auto sent = Send(kPong, (*frame)->payload); !sent) return Err(sent.error());
        continue;
      case kPong:
        continue;
      case kClose:
        if (!closed_.exchange(true)) {
          static_cast<void>(Send(kClose, (*frame)->payload.substr(0, 2)));
        }
        return std::nullopt;
      case kText:
      case kBinary:
      case kContinuation:
        break;
      default:
        return tl::unexpected(Malformed("opcode " + std::to_string((*frame)->opcode)));
    }
    if (((*frame)->opcode == kContinuation) != begun_) {
      return tl::unexpected(Malformed("a frame that does not continue a message"));
    }
    if (message_.size() + (*frame)->payload.size() > kMessageBytesMax) {
      return tl::unexpected(Malformed("a message of more than 16 MiB"));
    }
    message_ += (*frame)->payload;
    begun_ = !(*frame)->last;
    if (!begun_) return std::exchange(message_, {});
  }
}

}  // namespace capstan::transport
