// SPDX-License-Identifier: Apache-2.0
// Http2Session is the client's side of HTTP/2 on one connection, without I/O: bytes of the server
// in, bytes for the server out. nghttp2 parses and writes the frames (RFC 9113).
//
// Each stream buffers what its reader has not consumed. Its window is the limit: the server gets
// more of it only for consumed bytes (nghttp2's automatic window updates are off). A window begins
// with 16 KiB, so that hundreds of quiet watches cost little. While the reader keeps up it grows to
// what a server at this distance sends in a round trip at 1 Gbit/s, 256 KiB to 4 MiB: a stream
// receives one window in each round trip. The windows above 256 KiB together stay within this size;
// each stream may always have 256 KiB. The window of the connection is refilled on arrival, so that
// a stalled stream holds back no other one.
//
// Not thread-safe: Http2Connection guards a session and its streams. Mirrors the frames of
// golang.org/x/net/http2's Transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/server_address.h"

struct nghttp2_session;

namespace capstan::transport {

// Http2Stream is one request and what has been received of its response.
struct Http2Stream {
  std::int32_t id = 0;

  std::string body = {};  // of the request, until it was sent
  std::size_t body_sent = 0;
  bool head_sent = false;
  bool sent = false;                  // the whole request
  Clock::TimePoint progress_at = {};  // when a part of the request was last sent

  int status = 0;
  Headers headers = {};
  std::size_t header_bytes = 0;
  int interim_heads = 0;
  bool answered = false;      // the head is complete
  std::string received = {};  // of the body, not consumed yet
  std::size_t window = 0;     // the most that the server may send beyond what was consumed
  std::size_t kept_up = 0;  // bytes consumed since `window` last changed, or the reader was behind
  bool ended = false;       // the whole response has been received
  bool reset = false;       // by the server
  bool abandoned = false;   // by the caller
  // Set once the stream has failed. Bytes in `received` came before it.
  std::optional<Error> error = {};
  // The server has not processed the request (REFUSED_STREAM, GOAWAY), so it can be sent again.
  bool refused = false;
  // The stream failed together with its connection.
  bool disconnected = false;

  // The most that `received` may hold.
  std::size_t BufferMax() const;

  // Call when a member has changed that a reader waits for.
  void Notify();

  CondVar changed;
  Waker* waker = nullptr;  // of a suspended reader
};

class Http2Session {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{16} * 1024;
  static constexpr std::size_t kNearWindowBytes = std::size_t{256} * 1024;
  static constexpr std::size_t kWindowBytesMax = std::size_t{4} * 1024 * 1024;

  // `server` is the authority of all requests.
  explicit Http2Session(ServerAddress server, Clock& clock = Clock::Real());
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Reports whether Submit may be called: no GOAWAY, and fewer streams than the server allows, with
  // `reserved` more.
  bool accepts_streams(std::size_t reserved = 0) const;
  // Reports whether the server's SETTINGS have arrived. Its limit on streams is not known before.
  bool has_settings() const { return has_settings_; }
  std::size_t open_streams() const { return streams_.size(); }
  // Begins a stream. REQUIRES: accepts_streams(), and CheckRequest accepts the request.
  Expected<std::shared_ptr<Http2Stream>> Submit(const HttpRequest& request,
                                                std::string_view accept_encoding = "identity");
  // Returns `bytes` of the stream's window to the server.
  void Consume(Http2Stream& stream, std::size_t bytes);
  // Ends the stream with RST_STREAM if it is open. Its reader is not notified.
  void Abandon(Http2Stream& stream);
  void Ping();

  // Takes bytes of the server. An error (kTransport) is the end of the connection.
  Expected<void> Receive(std::string_view bytes);
  // Returns the next bytes for the server, or "" if there are none. They are valid until the next
  // call of any method.
  Expected<std::string_view> Send();
  // Reports whether the connection has no further use. After a protocol error of the server:
  // returns that error.
  Expected<bool> Finished() const;
  // Ends all streams with this error.
  void Fail(const Error& error);

 private:
  struct Callbacks;  // nghttp2's view of the session

  Error MakeError(ErrorReason reason, std::string_view what) const;
  std::shared_ptr<Http2Stream> Find(std::int32_t id) const;
  // Returns the largest window that the stream may have beside the other ones.
  std::size_t WindowMax(const Http2Stream& stream) const;
  void OnSettingsAnswered();
  void OnHead(Http2Stream& stream);
  void OnClose(std::int32_t id, std::uint32_t code);
  void RefuseQueued();

  const ServerAddress server_;
  Clock& clock_;
  const Clock::TimePoint begin_;
  std::size_t window_max_ =
      kNearWindowBytes;  // of a stream, and of all above kNearWindowBytes together
  nghttp2_session* session_ = nullptr;
  using Streams = std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>>;

  Streams streams_;   // open ones
  Streams canceled_;  // abandoned before they were sent; nghttp2 still has pointers to them
  bool has_settings_ = false;
  bool goaway_ = false;                  // received
  std::optional<Error> protocol_error_;  // the server's, for which we have sent GOAWAY
};

}  // namespace capstan::transport
