// SPDX-License-Identifier: Apache-2.0
// Tests DecodeBody on any bytes:
// - The text and the error do not depend on how the body is split.
// - It decodes what zlib decodes in one step, and accepts the same bodies.
// - No read is larger than its limit.
// - A compressed text is decoded to itself.
#include <glog/logging.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/testing/gzip.h"
#include "clientgo/transport/compression.h"

namespace {

using capstan::ErrorReason;
using capstan::Expected;
using capstan::transport::Headers;
using capstan::transport::HttpResponse;

constexpr std::size_t kReadBytesMax = std::size_t{16} * 1024;

// SplitResponse returns its body in pieces of 1 to `size_max` bytes.
class SplitResponse final : public HttpResponse {
 public:
  SplitResponse(std::string_view body, std::size_t size_max) : body_(body), size_max_(size_max) {}
  int status() const override { return 200; }
  const Headers& headers() const override { return headers_; }
  Expected<std::string_view> Read(capstan::Clock::Duration) override {
    state_ = state_ * 1664525U + 1013904223U;
    piece_ = body_.substr(0, 1 + (state_ >> 8U) % size_max_);
    body_.remove_prefix(piece_.size());
    return std::string_view(piece_);
  }

 private:
  std::string_view body_;
  std::string piece_;  // a copy, so that a sanitizer finds reads beyond it
  const std::size_t size_max_;
  std::uint32_t state_ = 1;
  const Headers headers_ = {{"Content-Encoding", "gzip"}};
};

struct Decoded {
  std::string text = {};
  ErrorReason error = ErrorReason::kUnknown;  // of a complete body
  bool operator==(const Decoded&) const = default;
};

Decoded Decode(std::string_view body, std::size_t size_max) {
  const auto response =
      capstan::transport::DecodeBody(std::make_unique<SplitResponse>(body, size_max), "server");
  Decoded decoded;
  for (;;) {
    const auto bytes = response->Read();
    if (!bytes) {
      CHECK(response->Read().error().reason == bytes.error().reason);
      decoded.error = bytes.error().reason;
      return decoded;
    }
    if (bytes->empty()) return decoded;
    CHECK_LE(bytes->size(), kReadBytesMax);
    decoded.text += *bytes;
  }
}

// Decodes with zlib alone, and a new state for each member.
Decoded Oracle(std::string_view body) {
  std::string input(body);
  Decoded decoded;
  std::size_t at = 0;
  while (at < input.size()) {
    z_stream stream = {};
    CHECK_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(input.data() + at);
    stream.avail_in = static_cast<uInt>(input.size() - at);
    int code = Z_OK;
    while (code == Z_OK) {
      char bytes[1000];
      stream.next_out = reinterpret_cast<Bytef*>(bytes);
      stream.avail_out = sizeof bytes;
      code = inflate(&stream, Z_SYNC_FLUSH);
      decoded.text.append(bytes, sizeof bytes - stream.avail_out);
    }
    at = input.size() - stream.avail_in;
    inflateEnd(&stream);
    if (code == Z_STREAM_END) continue;
    decoded.error = code == Z_BUF_ERROR ? ErrorReason::kUnexpectedEof : ErrorReason::kDecode;
    return decoded;
  }
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const Decoded whole = Oracle(body);
  for (const std::size_t size_max : {std::size_t{1}, std::size_t{16}, size + 1}) {
    CHECK(Decode(body, size_max) == whole) << "pieces of up to " << size_max << " bytes";
  }
  const std::string members = capstan::testing::Gzip(body.substr(0, size / 2)) +
                              capstan::testing::Gzip(body.substr(size / 2));
  CHECK(Decode(members, 64) == Decoded{.text = std::string(body)});
  return 0;
}
