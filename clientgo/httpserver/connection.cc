// SPDX-License-Identifier: Apache-2.0
#include "clientgo/httpserver/connection.h"

#include <glog/logging.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>

#include "capstan/httpserver/request.h"
#include "clientgo/httpserver/protocol.h"

namespace capstan::httpserver {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 8U << 10U;
constexpr std::size_t kReadAheadMax = 64U << 10U;
// Small waiting writes are joined, for fewer system calls and TLS records.
constexpr std::size_t kCoalesceBytes = 16U << 10U;
// As in Go's net/http, the time in which a reset does not destroy an unread response.
constexpr std::chrono::milliseconds kLingerTimeout(500);
// As in Go's net/http, the time that a new connection has for its first request during a drain.
constexpr std::chrono::milliseconds kDrainNewTimeout(5000);

void AppendHeader(std::string& head, const std::string& name, const std::string& value) {
  const std::string line = name + ": " + value;
  if (line.find_first_of("\r\n") != std::string::npos) return;  // no input may add a header
  head += line + "\r\n";
}

// Returns the status line and headers with the empty line after them. `length` is the line for
// Content-Length or Transfer-Encoding. A header that contains a line break is left out.
std::string FormatHead(int status, const std::string& content_type, const Headers& headers,
                       bool keep_alive, const std::string& length) {
  const auto reason = http::obsolete_reason(http::int_to_status(unsigned(status)));
  std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
  head.append(reason.data(), reason.size());
  head += "\r\n";
  if (!content_type.empty()) AppendHeader(head, "Content-Type", content_type);
  for (const auto& [name, value] : headers) AppendHeader(head, name, value);
  if (!keep_alive) head += "Connection: close\r\n";
  if (!length.empty()) head += length + "\r\n";
  return head + "\r\n";
}

// ResponseForm is what the request requires of its response.
struct ResponseForm {
  bool head = false;  // a HEAD request: no body is sent
  bool keep_alive = true;
  bool chunked = true;  // HTTP/1.0 has no chunks, so the connection's end is the end
};

// ConnectionExchange writes HTTP/1.1 to a Connection. It may outlive the connection, and then does
// nothing.
class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(std::shared_ptr<Connection> connection, ResponseForm form)
      : connection_(std::move(connection)), form_(form) {}
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;
  ~ConnectionExchange() override {
    if (!finished_) connection_->Close();
  }

  void Respond(int status, std::string content_type, std::string body, Headers headers) override {
    CHECK(!begun_) << "the request already has a response";
    begun_ = true;
    finished_ = true;
    form_.keep_alive = form_.keep_alive && !connection_->draining();
    connection_->Send(FormatHead(status, content_type, headers, form_.keep_alive,
                                 "Content-Length: " + std::to_string(body.size())));
    if (!form_.head) connection_->Send(std::move(body));
    connection_->FinishResponse(form_.keep_alive);
  }

  void Begin(int status, std::string content_type, Headers headers) override {
    CHECK(!begun_) << "the request already has a response";
    begun_ = true;
    form_.keep_alive = form_.keep_alive && form_.chunked && !connection_->draining();
    connection_->Send(FormatHead(status, content_type, headers, form_.keep_alive,
                                 form_.chunked ? "Transfer-Encoding: chunked" : ""));
  }

  void Write(std::string chunk) override {
    CHECK(begun_ && !finished_) << "Write must be between Begin and End";
    if (chunk.empty() || form_.head) return;  // an empty chunk would end the response
    if (form_.chunked) {
      char size[24];
      const int length = std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
      connection_->Send(std::string(size, static_cast<std::size_t>(length)));
      chunk += "\r\n";
    }
    connection_->Send(std::move(chunk));
  }

  void End() override {
    CHECK(begun_ && !finished_) << "End must follow Begin once";
    finished_ = true;
    if (form_.chunked && !form_.head) connection_->Send("0\r\n\r\n");
    connection_->FinishResponse(form_.keep_alive && !connection_->draining());
  }

  void Abort() override {
    finished_ = true;
    connection_->Close();
  }

  void Truncate() override {
    finished_ = true;
    connection_->CloseAfterSend();
  }

  std::size_t PendingBytes() const override { return connection_->pending_bytes(); }

  void WhenDrained(std::function<void()> callback) override {
    connection_->WhenDrained(std::move(callback));
  }
  void OnClose(std::function<void()> callback) override {
    connection_->OnResponseClosed(std::move(callback));
  }

 private:
  const std::shared_ptr<Connection> connection_;
  ResponseForm form_;
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace

Connection::Connection(std::unique_ptr<Socket> socket, Context context)
    : context_(std::move(context)), socket_(std::move(socket)), deadline_(*context_.io) {}

void Connection::Start() {
  ArmFirstRequest();
  socket_->Handshake([self = shared_from_this()](error_code ec) {
    if (self->closed()) return;
    if (ec) return self->Close();
    if (self->socket_->SelectedHttp2()) return self->StartHttp2();
    self->state_ = State::kReading;
    self->parser_.reset();
    self->NextRequest();
    if (!self->served_) self->ArmFirstRequest();
  });
}

void Connection::Close() {
  if (closed()) return;
  const bool speaks_http2 = state_ == State::kHttp2;
  state_ = State::kClosed;
  deadline_.cancel();
  const auto self = shared_from_this();  // the callbacks may drop the last other reference
  if (speaks_http2) EndHttp2();
  socket_->Close();
  output_.clear();
  pending_bytes_ = 0;
  on_drained_ = nullptr;
  NotifyResponseClosed();
  context_.on_closed(this);
}

void Connection::Drain() {
  draining_ = true;
  if (state_ == State::kHttp2) {
    http2_->Drain();
    return WakeHttp2();
  }
  if (state_ == State::kIdle && served_) return Close();
  // Its client may have sent a request that is on its way, and could not know that it is not read.
  if (state_ == State::kHandshaking || state_ == State::kIdle) ArmFirstRequest();
}

void Connection::ArmFirstRequest() {
  const auto timeout = context_.options.read_timeout;
  ArmDeadline(draining_ ? std::min(timeout, kDrainNewTimeout) : timeout);
}

std::optional<std::chrono::steady_clock::time_point> Connection::WaitingSince() const {
  if (state_ == State::kHttp2) return http2_->WaitingSince();
  if (state_ == State::kResponding && !response_finished_) return std::nullopt;
  return waiting_since_;
}

std::size_t Connection::pending_bytes() const {
  return pending_bytes_ + (http2_ == nullptr ? 0 : http2_->PendingBytes());
}

void Connection::ArmDeadline(std::chrono::milliseconds timeout) {
  ArmDeadlineAt(std::chrono::steady_clock::now() + timeout);
}

void Connection::ArmDeadlineAt(std::chrono::steady_clock::time_point deadline) {
  deadline_.expires_at(deadline);
  deadline_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec || self->closed()) return;
    // It may have been re-armed after it expired.
    if (self->deadline_.expiry() > std::chrono::steady_clock::now()) return;
    if (self->state_ != State::kHttp2 || self->writing_) return self->Close();
    self->deadline_.expires_at(std::chrono::steady_clock::time_point::max());
    self->http2_->OnDeadline();
    self->PumpHttp2();
  });
}

// A call that is already queued does nothing then. After cancel() it would find an old deadline.
void Connection::DisarmDeadline() {
  deadline_.expires_at(std::chrono::steady_clock::time_point::max());
}

void Connection::StartHttp2() {
  state_ = State::kHttp2;
  http2_ = context_.options.http2({.options = context_.options,
                                   .handler = context_.handler,
                                   .client = [this] { return socket_->Client(); },
                                   .from_loopback = context_.from_loopback,
                                   .wake =
                                       [weak = weak_from_this()] {
                                         if (const auto self = weak.lock()) self->WakeHttp2();
                                       }});
  if (draining_) http2_->Drain();
  PumpHttp2();
  ReadMore();
}

void Connection::PumpHttp2() {
  if (state_ != State::kHttp2 || writing_) return;
  std::string bytes = http2_->Take();
  if (closed()) return;
  if (context_.options.unsent_bytes_max > 0) context_.on_finished();
  if (!bytes.empty()) return Send(std::move(bytes));
  if (http2_->Ended()) {
    http2_->Close();
    if (!closed()) Linger();
    return;
  }
  const auto deadline = http2_->Deadline();
  if (deadline != deadline_.expiry()) ArmDeadlineAt(deadline);
}

// Posted, so that a call of the handler causes as few writes as possible.
void Connection::WakeHttp2() {
  if (!closed() && !std::exchange(woken_, true)) PostAllWritten();
}

// The last bytes are sent if the kernel has room for them.
void Connection::EndHttp2() {
  const auto last = std::make_shared<std::string>(http2_->Close());
  if (writing_ || last->empty()) return;
  socket_->WriteSome(boost::asio::buffer(*last), [self = shared_from_this(), last](auto, auto) {});
}

void Connection::NextRequest() {
  state_ = State::kIdle;
  waiting_since_ = std::chrono::steady_clock::now();
  response_finished_ = false;
  parser_.emplace();
  parser_->eager(false);  // the limit of the body depends on the header
  parser_->header_limit(static_cast<std::uint32_t>(context_.options.header_bytes_max));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // until LimitBody
  ArmDeadline(context_.options.idle_timeout);
  if (input_.size() > 0) return ParseRequest();
  ReadMore();
}

void Connection::ReadMore() {
  if (reading_ || closed() || peer_finished_) return;
  if (state_ == State::kResponding && input_.size() >= kReadAheadMax) return;
  reading_ = true;
  socket_->ReadSome(
      input_.prepare(kReadBytes),
      [self = shared_from_this()](error_code ec, std::size_t size) { self->OnRead(ec, size); });
}

void Connection::OnRead(error_code ec, std::size_t size) {
  reading_ = false;
  if (closed()) return;
  if (ec) {
    // A client may end its sending side and still read the response.
    peer_finished_ = true;
    const bool answer_on_its_way = state_ == State::kResponding && response_finished_;
    if (ec != boost::asio::error::eof || !answer_on_its_way) Close();
    return;
  }
  input_.commit(size);
  switch (state_) {
    case State::kIdle:
    case State::kReading:
      return ParseRequest();
    case State::kHttp2: {
      const auto data = input_.data();
      http2_->Receive({static_cast<const char*>(data.data()), data.size()});
      input_.clear();
      PumpHttp2();
      return ReadMore();
    }
    case State::kLingering:
      input_.clear();
      return ReadMore();
    default:
      return ReadMore();
  }
}

void Connection::ParseRequest() {
  if (state_ == State::kIdle) {
    state_ = State::kReading;
    ArmDeadline(context_.options.read_timeout);
  }
  error_code ec;
  input_.consume(parser_->put(input_.data(), ec));
  if (!ec && !parser_->eager()) {
    if (!LimitBody()) return Reject(413, "request entity too large");
    parser_->eager(true);
    if (!parser_->is_done() && input_.size() > 0) {
      input_.consume(parser_->put(input_.data(), ec));
    }
  }
  if (ec == http::error::need_more) return ReadMore();
  if (ec == http::error::header_limit) return Reject(431, "request header fields too large");
  if (ec == http::error::body_limit) return Reject(413, "request entity too large");
  if (ec) return Reject(400, "malformed HTTP request");
  if (!parser_->is_done()) return ReadMore();
  Dispatch();
}

bool Connection::LimitBody() {
  const auto target = parser_->get().target();
  const std::size_t limit = BodyBytesMax(context_.options, {target.data(), target.size()});
  parser_->body_limit(limit);
  const auto length = parser_->content_length();
  return !length || *length <= limit;
}

void Connection::Dispatch() {
  ResponseForm form{.head = parser_->get().method() == http::verb::head,
                    .keep_alive = parser_->keep_alive(),
                    .chunked = parser_->get().version() >= 11};
  served_ = true;
  auto message = parser_->release();
  parser_.reset();
  Request request;
  const auto target = message.target();
  if (!ParseTarget({target.data(), target.size()}, request)) {
    return Reject(400, "malformed request target");
  }
  request.method = std::string(message.method_string());
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  request.client = socket_->Client();
  request.from_loopback = context_.from_loopback;
  state_ = State::kResponding;
  DisarmDeadline();
  const auto self = shared_from_this();  // the handler may close this connection
  context_.handler(std::move(request), std::make_shared<ConnectionExchange>(self, form));
  ReadMore();
}

void Connection::Reject(int status, const char* text) {
  state_ = State::kResponding;
  parser_.reset();
  ConnectionExchange(shared_from_this(), {.keep_alive = false})
      .Respond(status, "text/plain; charset=utf-8", std::string(text) + "\n", {});
}

void Connection::Send(std::string bytes) {
  if (closed() || bytes.empty()) return;
  pending_bytes_ += bytes.size();
  // The socket may be writing the first string, so only later ones may grow.
  const bool can_grow = output_.size() > 1 || (output_.size() == 1 && !writing_);
  if (can_grow && output_.back().size() + bytes.size() <= kCoalesceBytes) {
    output_.back() += bytes;
  } else {
    output_.push_back(std::move(bytes));
  }
  if (writing_) return;
  writing_ = true;
  DisarmDeadline();  // until WriteMore
  // Posted, so that one call of the handler causes as few writes as possible.
  boost::asio::post(*context_.io, [self = shared_from_this()] { self->WriteMore(); });
}

void Connection::WriteMore() {
  if (closed()) return;
  ArmDeadline(context_.options.idle_timeout);
  const std::string& front = output_.front();
  socket_->WriteSome(
      boost::asio::buffer(front.data() + output_offset_, front.size() - output_offset_),
      [self = shared_from_this()](error_code ec, std::size_t size) { self->OnWritten(ec, size); });
}

void Connection::OnWritten(error_code ec, std::size_t size) {
  if (closed()) return;
  if (ec) return Close();
  pending_bytes_ -= size;
  output_offset_ += size;
  if (output_offset_ == output_.front().size()) {
    output_.pop_front();
    output_offset_ = 0;
  }
  if (!output_.empty()) return WriteMore();
  writing_ = false;
  if (state_ == State::kResponding) DisarmDeadline();
  OnAllWritten();
}

void Connection::FinishResponse(bool keep_alive) {
  if (closed()) return;
  keep_alive_ = keep_alive;
  response_finished_ = true;
  waiting_since_ = std::chrono::steady_clock::now();
  if (!writing_) return PostAllWritten();
  boost::asio::post(*context_.io, [self = shared_from_this()] {
    if (!self->closed()) self->context_.on_finished();
  });
}

void Connection::CloseAfterSend() {
  if (closed()) return;
  close_after_send_ = true;
  if (!writing_) PostAllWritten();
}

void Connection::OnAllWritten() {
  if (state_ == State::kHttp2) return PumpHttp2();
  if (close_after_send_) return Close();
  if (auto callback = std::exchange(on_drained_, nullptr)) callback();
  if (closed() || writing_ || !response_finished_) return;
  NotifyResponseClosed();
  if (closed()) return;
  if (peer_finished_) return Close();
  if (keep_alive_ && !draining_) return NextRequest();
  Linger();
}

void Connection::Linger() {
  state_ = State::kLingering;
  ArmDeadline(kLingerTimeout);
  socket_->ShutdownSend([self = shared_from_this()](error_code ec) {
    if (ec) self->Close();
  });
  input_.clear();
  ReadMore();
}

void Connection::WhenDrained(std::function<void()> callback) {
  if (closed()) return;
  on_drained_ = std::move(callback);
  if (!writing_) PostAllWritten();
}

// Posted, because callbacks must not run inside the call of a handler.
void Connection::PostAllWritten() {
  boost::asio::post(*context_.io, [self = shared_from_this()] {
    self->woken_ = false;
    if (!self->closed() && !self->writing_) self->OnAllWritten();
  });
}

void Connection::OnResponseClosed(std::function<void()> callback) {
  on_response_closed_ = std::move(callback);
  if (closed()) NotifyResponseClosed();
}

}  // namespace capstan::httpserver
