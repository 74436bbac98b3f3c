// SPDX-License-Identifier: Apache-2.0
// One open connection of a Server. Internal to httpserver; used on the server's thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capstan/httpserver/server.h"
#include "clientgo/httpserver/socket.h"

namespace capstan::httpserver {

class Protocol;

// Connection is one client's HTTP/1.1 connection, one request at a time. If the client has selected
// HTTP/2 in the TLS handshake, it is the byte stream of a Protocol.
//
// A read is always outstanding, also while a response is sent, so the server notices at once when a
// client leaves. Pipelined requests are kept up to a bound. One timer is the deadline of what the
// connection waits for: the request, the next request, or the client that reads. (Beast's
// tcp_stream timeouts do not fit, because they cannot be re-armed while a read is outstanding.)
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  struct Context {
    IoContext io;
    const ServerOptions& options;  // the server owns options and handler; unused once closed
    const Handler& handler;
    bool from_loopback = false;
    // Called after a response is finished and its first bytes are written. Not during a call of the
    // handler.
    std::function<void()> on_finished;
    std::function<void(Connection*)> on_closed;
  };

  Connection(std::unique_ptr<Socket> socket, Context context);

  void Start();
  void Close();
  // Closes the connection after its current response, or at once if it waits for its next request.
  // A new connection has some seconds for its first request.
  void Drain();
  // Returns since when the connection waits only for its client. Returns nullopt while the handler
  // works on the response. A slow request or a slow reader does not reset the time.
  std::optional<std::chrono::steady_clock::time_point> WaitingSince() const;

  // These are for the Exchange of the current request. They do nothing once the connection is
  // closed.
  void Send(std::string bytes);
  void FinishResponse(bool keep_alive);  // ends the response
  void CloseAfterSend();
  void OnResponseClosed(std::function<void()> callback);
  void WhenDrained(std::function<void()> callback);
  std::size_t pending_bytes() const;
  bool closed() const { return state_ == State::kClosed; }
  bool draining() const { return draining_; }

 private:
  enum class State {
    kHandshaking,
    kIdle,        // between requests
    kReading,     // a part of a request has arrived
    kResponding,  // the handler has the request
    kHttp2,       // the Protocol has the connection
    kLingering,   // finished; waits for the client to close, so that it can read the response
    kClosed,
  };

  void StartHttp2();
  void PumpHttp2();  // writes what it has for the client
  void WakeHttp2();
  void EndHttp2();
  void ReadMore();
  void OnRead(boost::system::error_code ec, std::size_t size);
  void ParseRequest();
  // Sets the limit of the body when the header of a request is complete. Returns false if the
  // announced length is above it.
  bool LimitBody();
  void Dispatch();
  void Reject(int status, const char* text);
  void WriteMore();
  void OnWritten(boost::system::error_code ec, std::size_t size);
  void PostAllWritten();
  void OnAllWritten();
  void NextRequest();
  void Linger();
  void ArmDeadline(std::chrono::milliseconds timeout);
  void ArmDeadlineAt(std::chrono::steady_clock::time_point deadline);
  void DisarmDeadline();
  void ArmFirstRequest();  // arms the deadline of the handshake or of the first request
  void NotifyResponseClosed() {
    if (auto callback = std::exchange(on_response_closed_, nullptr)) callback();
  }

  Context context_;
  std::unique_ptr<Socket> socket_;
  boost::asio::steady_timer deadline_;
  State state_ = State::kHandshaking;
  std::chrono::steady_clock::time_point waiting_since_ = std::chrono::steady_clock::now();

  boost::beast::flat_buffer input_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  bool reading_ = false;
  bool peer_finished_ = false;  // the client ended its stream; the response may still reach it

  std::deque<std::string> output_;
  std::size_t output_offset_ = 0;  // into the first string
  std::size_t pending_bytes_ = 0;
  bool writing_ = false;
  bool response_finished_ = false;
  bool close_after_send_ = false;
  bool keep_alive_ = false;
  bool draining_ = false;
  bool served_ = false;  // a request was dispatched
  std::shared_ptr<Protocol> http2_;
  bool woken_ = false;  // PumpHttp2 runs soon
  std::function<void()> on_response_closed_;
  std::function<void()> on_drained_;
};

}  // namespace capstan::httpserver
