// SPDX-License-Identifier: Apache-2.0
// Connection: one client's HTTP/1.1 conversation, one request at a time. Internal to httpserver;
// lives on the server's thread.
//
// A read is always outstanding, also while an answer is being sent, so a client that leaves is
// noticed at once; what it sends ahead (pipelining) is kept, up to a bound. One timer is the
// deadline of whatever the connection waits for: the request, the next request, or the client
// taking what it is sent. (Beast's tcp_stream timeouts do not fit: they cannot be re-armed while a
// read is outstanding.)
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

#include "httpserver/server.h"
#include "httpserver/socket.h"

namespace httpserver {

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  struct Context {
    IoContext io;
    const ServerOptions& options;  // these two are the server's, and not used once closed
    const Handler& handler;
    bool from_loopback = false;
    std::function<void(Connection*)> on_closed;
  };

  Connection(std::unique_ptr<Socket> socket, Context context);

  void Start();
  void Close();
  // Since when the connection waits for its client and for nothing else; nullopt: the handler still
  // works on the answer. A request that arrives slowly, or an answer that is taken slowly, changes
  // nothing about it.
  std::optional<std::chrono::steady_clock::time_point> WaitingSince() const {
    if (state_ == State::kAnswering && !answer_finished_) return std::nullopt;
    return waiting_since_;
  }

  // For the Exchange of the request being answered. Nothing happens once the connection is closed.
  void Send(std::string bytes);
  void FinishAnswer(bool keep_alive);  // what was sent is the whole answer
  void CloseAfterSend();
  void OnAnswerClosed(std::function<void()> callback);
  void WhenDrained(std::function<void()> callback);
  std::size_t pending_bytes() const { return pending_bytes_; }
  bool closed() const { return state_ == State::kClosed; }

 private:
  enum class State {
    kHandshaking,
    kIdle,       // between requests
    kReading,    // a part of a request is here
    kAnswering,  // the handler has it
    kLingering,  // done; waiting for the client to close, so that it surely read the answer
    kClosed,
  };

  void ReadMore();
  void OnRead(boost::system::error_code ec, std::size_t size);
  void ParseRequest();
  void Dispatch();
  void Reject(int status, const char* text);
  void WriteMore();
  void OnWritten(boost::system::error_code ec, std::size_t size);
  void PostAllWritten();
  void OnAllWritten();
  void NextRequest();
  void Linger();
  void ArmDeadline(std::chrono::milliseconds timeout);
  void NotifyAnswerClosed() {
    if (auto callback = std::exchange(on_answer_closed_, nullptr)) callback();
  }

  Context context_;
  std::unique_ptr<Socket> socket_;
  boost::asio::steady_timer deadline_;
  State state_ = State::kHandshaking;
  std::chrono::steady_clock::time_point waiting_since_ = std::chrono::steady_clock::now();

  boost::beast::flat_buffer input_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  bool reading_ = false;
  bool peer_finished_ = false;  // it sent its end of stream; the answer may still reach it

  std::deque<std::string> output_;
  std::size_t output_offset_ = 0;  // into the front
  std::size_t pending_bytes_ = 0;
  bool writing_ = false;
  bool answer_finished_ = false;
  bool close_after_send_ = false;
  bool keep_alive_ = false;
  std::function<void()> on_answer_closed_;
  std::function<void()> on_drained_;
};

}  // namespace httpserver
