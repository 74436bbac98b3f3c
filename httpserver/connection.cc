// SPDX-License-Identifier: Apache-2.0
#include "httpserver/connection.h"

#include <algorithm>
#include <utility>

#include "httpserver/exchange.h"
#include "httpserver/request.h"

namespace httpserver {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 8U << 10U;
constexpr std::size_t kReadAheadMax = 64U << 10U;
// Small writes that wait together leave together: fewer system calls and TLS records.
constexpr std::size_t kCoalesceBytes = 16U << 10U;
// Go's net/http: how long it avoids the reset that would destroy an answer not yet read.
constexpr std::chrono::milliseconds kLingerTimeout(500);

}  // namespace

Connection::Connection(std::unique_ptr<Socket> socket, Context context)
    : context_(std::move(context)), socket_(std::move(socket)), deadline_(*context_.io) {}

void Connection::Start() {
  ArmDeadline(context_.options.read_timeout);
  socket_->Handshake([self = shared_from_this()](error_code ec) {
    if (self->closed()) return;
    if (ec) return self->Close();
    self->state_ = State::kReading;
    self->parser_.reset();
    self->NextRequest();
    self->ArmDeadline(self->context_.options.read_timeout);  // who connects has something to ask
  });
}

void Connection::Close() {
  if (closed()) return;
  state_ = State::kClosed;
  deadline_.cancel();
  socket_->Close();
  output_.clear();
  pending_bytes_ = 0;
  on_drained_ = nullptr;
  const auto self = shared_from_this();  // the two callbacks may drop the last other reference
  NotifyAnswerClosed();
  context_.on_closed(this);
}

void Connection::ArmDeadline(std::chrono::milliseconds timeout) {
  deadline_.expires_after(timeout);
  deadline_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec || self->closed()) return;
    // Re-armed between its expiry and now?
    if (self->deadline_.expiry() > std::chrono::steady_clock::now()) return;
    self->Close();
  });
}

void Connection::NextRequest() {
  state_ = State::kIdle;
  waiting_since_ = std::chrono::steady_clock::now();
  answer_finished_ = false;
  parser_.emplace();
  parser_->eager(true);
  parser_->header_limit(static_cast<std::uint32_t>(context_.options.header_bytes_max));
  parser_->body_limit(context_.options.body_bytes_max);
  ArmDeadline(context_.options.idle_timeout);
  if (input_.size() > 0) return ParseRequest();
  ReadMore();
}

void Connection::ReadMore() {
  if (reading_ || closed() || peer_finished_) return;
  if (state_ == State::kAnswering && input_.size() >= kReadAheadMax) return;
  reading_ = true;
  socket_->ReadSome(
      input_.prepare(kReadBytes),
      [self = shared_from_this()](error_code ec, std::size_t size) { self->OnRead(ec, size); });
}

void Connection::OnRead(error_code ec, std::size_t size) {
  reading_ = false;
  if (closed()) return;
  if (ec) {
    // A client may close its sending side and still read the answer that is on its way.
    peer_finished_ = true;
    const bool answer_on_its_way = state_ == State::kAnswering && answer_finished_;
    if (ec != boost::asio::error::eof || !answer_on_its_way) Close();
    return;
  }
  input_.commit(size);
  switch (state_) {
    case State::kIdle:
    case State::kReading:
      return ParseRequest();
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
  if (ec == http::error::need_more) return ReadMore();
  if (ec == http::error::header_limit) return Reject(431, "request header fields too large");
  if (ec == http::error::body_limit) return Reject(413, "request entity too large");
  if (ec) return Reject(400, "malformed HTTP request");
  if (!parser_->is_done()) return ReadMore();
  Dispatch();
}

void Connection::Dispatch() {
  AnswerForm form{.head = parser_->get().method() == http::verb::head,
                  .keep_alive = parser_->keep_alive(),
                  .chunked = parser_->get().version() >= 11};
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
  state_ = State::kAnswering;
  deadline_.cancel();
  const auto self = shared_from_this();  // the handler may close this connection
  context_.handler(std::move(request), NewExchange(self, form));
  ReadMore();
}

void Connection::Reject(int status, const char* text) {
  state_ = State::kAnswering;
  parser_.reset();
  NewExchange(shared_from_this(), {.keep_alive = false})
      ->Respond(status, "text/plain; charset=utf-8", std::string(text) + "\n", {});
}

void Connection::Send(std::string bytes) {
  if (closed() || bytes.empty()) return;
  pending_bytes_ += bytes.size();
  // The front may be with the socket: only a string behind it may still grow.
  const bool can_grow = output_.size() > 1 || (output_.size() == 1 && !writing_);
  if (can_grow && output_.back().size() + bytes.size() <= kCoalesceBytes) {
    output_.back() += bytes;
  } else {
    output_.push_back(std::move(bytes));
  }
  if (writing_) return;
  writing_ = true;
  // Posted, so that all that one handler call sends goes out in as few writes as possible.
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
  if (state_ == State::kAnswering) deadline_.cancel();
  OnAllWritten();
}

void Connection::FinishAnswer(bool keep_alive) {
  if (closed()) return;
  keep_alive_ = keep_alive;
  answer_finished_ = true;
  waiting_since_ = std::chrono::steady_clock::now();
  if (!writing_) PostAllWritten();
}

void Connection::CloseAfterSend() {
  if (closed()) return;
  close_after_send_ = true;
  if (!writing_) PostAllWritten();
}

void Connection::OnAllWritten() {
  if (close_after_send_) return Close();
  if (auto callback = std::exchange(on_drained_, nullptr)) return callback();
  if (!answer_finished_) return;
  NotifyAnswerClosed();
  if (closed()) return;
  if (peer_finished_) return Close();
  if (keep_alive_) return NextRequest();
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

// Posted, since what it calls must not run inside the call of a handler.
void Connection::PostAllWritten() {
  boost::asio::post(*context_.io, [self = shared_from_this()] {
    if (!self->closed() && !self->writing_) self->OnAllWritten();
  });
}

void Connection::OnAnswerClosed(std::function<void()> callback) {
  on_answer_closed_ = std::move(callback);
  if (closed()) NotifyAnswerClosed();
}

}  // namespace httpserver
