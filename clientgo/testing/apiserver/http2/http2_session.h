// SPDX-License-Identifier: Apache-2.0
// Http2Session is the server's side of HTTP/2 on one connection, without I/O: bytes of the client
// in, bytes for the client out. nghttp2 parses and writes the frames (RFC 9113). It mirrors what
// kube-apiserver gets of golang.org/x/net/http2, with its limits.
//
// A response waits in its stream until the client's windows have room for it. A watch writes more
// only when less than its limit waits (Exchange::PendingBytes), so a slow reader costs a bounded
// amount, and delays no other stream. A client that reads nothing of a stream for the server's idle
// timeout loses that stream. Breaking the connection of a request (Exchange::Abort, Truncate)
// resets its stream, as a proxy does, and leaves the others alone.
//
// Differs: the bodies of all unfinished requests of a connection share one limit, and a request of
// which no whole body arrives within the read timeout is reset.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/httpserver/protocol.h"

struct nghttp2_session;

namespace capstan::testing::apiserver {

// Http2Stream is one request and its response.
struct Http2Stream {
  std::int32_t id = 0;
  httpserver::Protocol::TimePoint progress_at = {};  // when it began, or bytes were last sent

  httpserver::Request request = {};
  std::size_t header_bytes = 0;
  std::size_t body_bytes_max = 0;
  int refusal = 0;        // the code for a request with a limit that it does not keep
  bool received = false;  // the request is complete, or nothing more of it is needed
  bool is_head = false;   // a HEAD request: no body is sent

  std::deque<std::string> output = {};  // of the response
  std::size_t offset = 0;               // into the first string
  std::size_t pending = 0;              // the bytes in `output` that are not sent
  bool begun = false;
  bool finished = false;
  bool truncated = false;  // reset the stream after `output`
  bool closed = false;
  std::function<void()> on_drained = {};
  std::function<void()> on_closed = {};
};

class Http2Session final : public httpserver::Protocol,
                           public std::enable_shared_from_this<Http2Session> {
 public:
  static constexpr std::uint32_t kStreamsMax = 100;  // as kube-apiserver
  static constexpr std::int32_t kWindowBytes = 256 << 10;

  // This is for ServerOptions::http2.
  static std::shared_ptr<httpserver::Protocol> New(httpserver::ProtocolContext context);

  explicit Http2Session(httpserver::ProtocolContext context);
  ~Http2Session() override;
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  void Receive(std::string_view bytes) override;
  std::string Take() override;
  bool Ended() const override;
  void Drain() override;
  std::string Close() override;
  TimePoint Deadline() const override;
  void OnDeadline() override;
  std::optional<TimePoint> WaitingSince() const override;
  std::size_t PendingBytes() const override;

  // These are for the Exchange of a stream. They do nothing once the stream is closed.
  // Sends the head. Without a body, it is the end.
  void Begin(Http2Stream& stream, int status, const std::string& content_type,
             const httpserver::Headers& headers, bool has_body);
  void Write(Http2Stream& stream, std::string bytes);
  void Finish(Http2Stream& stream);
  void Truncate(Http2Stream& stream);
  void Reset(Http2Stream& stream);
  void Wake() { context_.wake(); }

 private:
  struct Callbacks;  // nghttp2's view of the session
  using StreamPtr = std::shared_ptr<Http2Stream>;

  StreamPtr Find(std::int32_t id) const;
  TimePoint DeadlineOf(const Http2Stream& stream) const;
  void OnHeader(Http2Stream& stream, std::string_view name, std::string_view value);
  void OnHead(const StreamPtr& stream);  // the headers are complete
  void OnBody(const StreamPtr& stream, std::string_view bytes);
  void OnRequest(const StreamPtr& stream);  // it is complete, or refused
  void OnClosed(std::int32_t id);
  void Dispatch(const StreamPtr& stream);
  // Notifies the owners of closed streams, and those whose output is sent. Returns whether it did.
  bool Notify();
  std::string Collect(std::size_t bytes_max);
  std::size_t BodyBytes() const;  // of all unfinished requests

  httpserver::ProtocolContext context_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, StreamPtr> streams_;  // the open ones
  std::vector<StreamPtr> ready_;               // complete requests
  std::vector<StreamPtr> closed_;              // whose owners do not know yet
  std::string early_;                          // goes before what nghttp2 has queued
  TimePoint waiting_since_ = std::chrono::steady_clock::now();
  bool greeted_ = false;  // the client has sent its SETTINGS
  bool failed_ = false;   // the client's bytes are not HTTP/2, or the connection is closed
};

}  // namespace capstan::testing::apiserver
