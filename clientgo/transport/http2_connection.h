// SPDX-License-Identifier: Apache-2.0
// Http2Connection carries many streams to one server over one TLS connection.
//
// One thread ("http2") reads it, sends PINGs, and finishes writes that the kernel did not take at
// once. Otherwise the calling thread writes. Nothing waits while the mutex is held. Thread-safe;
// the transport and its responses own it together. Mirrors golang.org/x/net/http2's ClientConn.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/file.h"
#include "capstan/mutex.h"
#include "clientgo/transport/connection_pool.h"
#include "clientgo/transport/http2_keepalive.h"
#include "clientgo/transport/http2_session.h"

namespace capstan::transport {

class Http2Connection {
 public:
  using StreamPtr = std::shared_ptr<Http2Stream>;

  // `connection` is open, and its server has chosen HTTP/2.
  Http2Connection(std::shared_ptr<ConnectionPool> pool, std::unique_ptr<Connection> connection);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Waits until the server has sent its SETTINGS and allows a stream. Errors: kUnexpectedEof if it
  // has not before `until`, or closes the connection; kCanceled.
  Expected<void> AwaitUsable(const std::stop_token& stop, Clock::TimePoint until);
  // Reserves a stream for one call of Start. Returns false if no request may be sent on it now,
  // also because the server is unresponsive.
  bool Reserve();
  // Lets the idle timeout begin without a call of Reserve: nobody waits for this connection any
  // more.
  void Offer();
  // Reports whether it is closed.
  bool IsClosed() const;
  // Accepts no further requests. It is closed after its last stream.
  void Retire();
  // Sends a request on a reserved stream. Returns null if the connection is not usable any more.
  Expected<StreamPtr> Start(const HttpRequest& request);

  struct Head {
    int status = 0;
    Headers headers = {};
  };
  // Waits for the head of the response. Returns nullopt if it has not arrived before `until`.
  Expected<std::optional<Head>> ReadHead(Http2Stream& stream, Clock::TimePoint until);
  // Waits for bytes of the body and replaces `body` with them. The caller has consumed the previous
  // ones. An empty `body` is the end. Returns false if nothing has arrived before `until`.
  Expected<bool> ReadBody(Http2Stream& stream, std::string& body, Clock::TimePoint until);
  // Calls `waker` once, as soon as ReadBody would return. The caller has consumed `body`. Returns
  // false, and does not call it, if ReadBody returns at once.
  bool Suspend(Http2Stream& stream, std::string& body, Waker& waker);
  // Returns when a part of the request was last sent, or nullopt if all of it was sent.
  std::optional<Clock::TimePoint> SendingSince(const Http2Stream& stream) const;
  struct Failure {
    bool refused = false;       // the server has not processed the request
    bool disconnected = false;  // the connection broke, and not because of silence
  };
  Failure FailureOf(const Http2Stream& stream) const;
  // Sends a PING if nothing has arrived for `silence` after `since`, to learn whether the server or
  // only one response is slow.
  void PingAfterSilence(Clock::TimePoint since, Clock::Duration silence);
  // Ends a stream that is not read any more. `error` is what its reader gets.
  void Abandon(Http2Stream& stream, const std::optional<Error>& error = {});

  // The server's address, and the certificates of the connection.
  const std::optional<Endpoint>& endpoint() const { return connection_->endpoint(); }
  const std::shared_ptr<const TlsMaterial>& material() const { return connection_->material(); }

 private:
  void Run(const std::stop_token& stop);
  // Waits for bytes, a timer or Wake. Returns false when the connection is closed.
  bool AwaitWork() CAPSTAN_EXCLUDES(mu_);
  Expected<void> Work() CAPSTAN_REQUIRES(mu_);
  // Returns the bytes of `body` to the stream's window, and clears it. An idle stream keeps buffers
  // of at most `idle_bytes_max`.
  void Consume(Http2Stream& stream, std::string& body, std::size_t idle_bytes_max)
      CAPSTAN_REQUIRES(mu_);
  static bool Readable(const Http2Stream& stream) {
    return !stream.received.empty() || stream.ended || stream.error;
  }
  Expected<void> Receive() CAPSTAN_REQUIRES(mu_);
  Expected<void> Send() CAPSTAN_REQUIRES(mu_);
  Expected<void> KeepAlive() CAPSTAN_REQUIRES(mu_);
  // Sends what a caller has submitted.
  void SendNow() CAPSTAN_REQUIRES(mu_);
  void Close(const Error& error) CAPSTAN_REQUIRES(mu_);
  // Reports whether somebody waits for the server, or is about to send a request.
  bool active() const CAPSTAN_REQUIRES(mu_) {
    return reserved_ > 0 || session_.open_streams() > 0 || !offered_;
  }
  bool usable() const CAPSTAN_REQUIRES(mu_) {
    return !closed_ && !retired_ && session_.accepts_streams(reserved_);
  }
  void Wake() const;
  Error MakeError(std::string_view what) const;

  const std::shared_ptr<ConnectionPool> pool_;
  const FileDescriptor wake_;  // an eventfd that ends the thread's poll(2)
  mutable Mutex mu_;
  // Its socket and TLS are used with mu_ held; the address and certificates do not change.
  const std::unique_ptr<Connection> connection_;
  Http2Session session_ CAPSTAN_GUARDED_BY(mu_);
  Http2Keepalive keepalive_ CAPSTAN_GUARDED_BY(mu_);
  bool retired_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool offered_ CAPSTAN_GUARDED_BY(mu_) = false;         // the request that opened it has it
  std::size_t reserved_ CAPSTAN_GUARDED_BY(mu_) = 0;     // streams
  bool reported_ CAPSTAN_GUARDED_BY(mu_) = false;        // as unresponsive, since its last byte
  std::optional<Error> closed_ CAPSTAN_GUARDED_BY(mu_);  // why it is closed
  CondVar ready_;  // notified about the SETTINGS, and when it is closed
  bool silent_ CAPSTAN_GUARDED_BY(mu_) = false;       // closed because a PING was not answered
  bool more_to_read_ CAPSTAN_GUARDED_BY(mu_) = true;  // the first pass sends the preface
  std::optional<Error> send_error_ CAPSTAN_GUARDED_BY(mu_);  // the thread closes the connection
  std::vector<char> buffer_ CAPSTAN_GUARDED_BY(mu_);
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace capstan::transport
