// SPDX-License-Identifier: Apache-2.0
// Tests the client's side of HTTP/2 on any bytes of a server. The first byte selects how the rest
// is split, and when a reader consumes.
// - A stream never buffers more than its window.
// - A stream that has ended or failed stays so.
// - When the connection is over, every stream has an end or an error.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "clientgo/transport/http2_session.h"

namespace {

using capstan::transport::Http2Session;
using capstan::transport::Http2Stream;

class Client {
 public:
  Client() {
    streams_.push_back(session_.Submit({.target = "/list"}).value());
    streams_.push_back(session_.Submit({.target = "/watch", .long_running = true}).value());
    streams_.push_back(session_.Submit({.method = "PATCH", .target = "/x", .body = "{}"}).value());
    streams_.push_back(session_.Submit({.method = "HEAD", .target = "/x"}).value());
    Send();
  }

  // Returns false when the connection is over.
  bool Receive(std::string_view bytes, bool consume) {
    const std::vector<bool> over = Over();
    const bool received = session_.Receive(bytes).has_value();
    if (received) Send();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Http2Stream& stream = *streams_[i];
      CHECK_LE(stream.received.size(), Http2Session::kWindowBytesMax);
      CHECK(!over[i] || IsOver(stream));
      CHECK(!stream.answered || stream.status >= 200);
      if (consume) Consume(stream);
    }
    if (received && consume) Send();
    return received && session_.Finished().value_or(true) == false;
  }

  void End() {
    session_.Fail({.reason = capstan::ErrorReason::kUnexpectedEof, .message = "the end"});
    for (const auto& stream : streams_) CHECK(IsOver(*stream));
    CHECK_EQ(session_.open_streams(), 0U);
  }

  // A new request may follow, and the last one is not read to its end.
  void Renew() {
    session_.Abandon(*streams_.front());
    Send();
    if (!session_.accepts_streams()) return;
    streams_.front() = session_.Submit({.target = "/again"}).value();
    Send();
  }

 private:
  static bool IsOver(const Http2Stream& stream) { return stream.ended || stream.error; }
  std::vector<bool> Over() const {
    std::vector<bool> over;
    for (const auto& stream : streams_) over.push_back(IsOver(*stream));
    return over;
  }
  void Consume(Http2Stream& stream) {
    const std::size_t size = stream.received.size();
    stream.received.clear();
    session_.Consume(stream, size);
  }
  void Send() {
    for (auto bytes = session_.Send(); bytes && !bytes->empty(); bytes = session_.Send()) {
    }
  }

  Http2Session session_{{.tls = true, .host = "10.0.0.1", .port = "6443", .path_prefix = ""}};
  std::vector<std::shared_ptr<Http2Stream>> streams_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned mode = data[0];
  const std::size_t piece_bytes = 1U << (mode & 15U);
  const bool consume = (mode & 16U) != 0;
  const bool renew = (mode & 32U) != 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Client client;
  for (std::size_t pieces = 1; !bytes.empty(); ++pieces) {
    const std::string_view piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    if (!client.Receive(piece, consume)) break;
    if (renew && pieces % 4 == 0) client.Renew();
  }
  client.End();
  return 0;
}
