// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http1_response.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "clientgo/transport/compression.h"
#include "clientgo/transport/upgraded_stream.h"

namespace capstan::transport {
namespace {

namespace http = boost::beast::http;

void AddHeader(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

// The first byte of a TLS alert, which a TLS server sends in reply to plain HTTP.
constexpr char kTlsAlert = 0x15;

// Returns the request as HTTP/1.1 text, or the error of CheckRequest.
Expected<std::string> FormatRequest(const HttpRequest& request, const Route& route,
                                    const std::optional<Endpoint>& peer) {
  if (auto sound = CheckRequest(request); !sound) return Err(std::move(sound.error()));
  const ServerAddress& server = route.server;
  const bool plain_proxy = route.proxy.has_value() && !server.tls;
  std::string text = request.method + " ";
  text += plain_proxy ? server.Url() : server.path_prefix;
  text += request.target + " HTTP/1.1\r\n";
  AddHeader(text, "Host", server.Authority());
  AddHeader(text, "Accept-Encoding",
            AcceptEncoding(request.compression, peer, route.proxy.has_value()));
  if (plain_proxy && !route.proxy->authorization.empty()) {
    AddHeader(text, "Proxy-Authorization", route.proxy->authorization);
  }
  for (const auto& [name, value] : request.headers) AddHeader(text, name, value);
  if (!request.upgrade.empty()) {
    AddHeader(text, "Connection", "Upgrade");
    AddHeader(text, "Upgrade", request.upgrade);
  }
  if (!request.body.empty() || request.method != "GET") {
    AddHeader(text, "Content-Length", std::to_string(request.body.size()));
  }
  return text + "\r\n" + request.body;
}

}  // namespace

Http1Response::Http1Response(std::shared_ptr<ConnectionPool> pool,
                             std::unique_ptr<Connection> connection, std::stop_token stop,
                             const ExchangeLimits& limits)
    : pool_(std::move(pool)),
      stop_(std::move(stop)),
      limits_(limits),
      connection_(std::move(connection)) {
  on_stop_.emplace(stop_, [connection = connection_.get()] { connection->Cancel(); });
}

Http1Response::~Http1Response() {
  if (parser_ && parser_->is_done() && !is_upgraded()) Release();
}

Error Http1Response::Explain(Error error, std::string_view step) {
  if (error.reason != ErrorReason::kDeadlineExceeded) return error;
  pool_->OnUnanswered(connection_->endpoint(), limits_.begin);
  error.message = limits_.Overrun(pool_->route().server.HostPort(), answered_, step);
  return error;
}

Http1Response::Attempt Http1Response::Exchange(std::shared_ptr<ConnectionPool> pool,
                                               std::unique_ptr<Connection> connection, bool reused,
                                               std::stop_token stop, const HttpRequest& request,
                                               const ExchangeLimits& limits) {
  const auto check = request.long_running ? pool->options().certificate_check_period
                                          : std::chrono::milliseconds(0);
  auto response = std::make_unique<Http1Response>(std::move(pool), std::move(connection),
                                                  std::move(stop), limits);
  const auto before = std::chrono::steady_clock::now();
  auto started = response->Start(request, check);
  if (started) return {.result = std::move(response)};
  // A reused connection may have been closed by the server while it was idle; only GET requests
  // are retried then. Silence for the whole idle timeout does not mean that it was closed.
  const bool was_closed = reused && !response->answered() &&
                          started.error().reason == ErrorReason::kUnexpectedEof &&
                          std::chrono::steady_clock::now() - before < request.idle_timeout;
  return {.result = Err(std::move(started.error())),
          .send_again = was_closed && request.method == "GET"};
}

Expected<void> Http1Response::Send(const HttpRequest& request) {
  auto text = FormatRequest(request, pool_->route(), connection_->endpoint());
  if (!text) return Err(std::move(text.error()));
  // Writing rarely waits, so the deadline is checked here. Nothing is sent after it.
  connection_->set_deadline(limits_.answer);
  connection_->set_idle_timeout(idle_timeout_);
  if (std::chrono::steady_clock::now() >= limits_.answer) {
    return Err(Explain(Wrap(ErrorReason::kDeadlineExceeded, ""), "sending the request"));
  }
  if (auto written = connection_->Write(*text); !written) {
    return Err(Explain(std::move(written.error()), "sending the request"));
  }
  return {};
}

Expected<void> Http1Response::Start(const HttpRequest& request,
                                    std::chrono::milliseconds certificate_check_period) {
  head_only_ = request.method == "HEAD";
  upgrades_ = !request.upgrade.empty();
  idle_timeout_ = request.idle_timeout;
  if (auto sent = Send(request); !sent) return sent;
  // A server may take long to respond. TCP detects whether it is still there.
  connection_->set_idle_timeout(Socket::kNoTimeout);
  certificate_check_period_ = certificate_check_period;
  checked_ = std::chrono::steady_clock::now();

  if (auto read = ReadHead(); !read) {
    return Err(Explain(std::move(read.error()), "waiting for the response"));
  }
  pool_->OnAnswered(connection_->endpoint());
  connection_->set_idle_timeout(idle_timeout_);
  for (const auto& field : parser_->get()) {
    headers_.emplace_back(field.name_string(), field.value());
  }
  if (auto sound = CheckEncoding(headers_, request.compression, pool_->route().server.HostPort());
      !sound) {
    return sound;
  }
  if (parser_->is_done() && parser_->get().body().empty() && !is_upgraded()) Release();
  return {};
}

Expected<void> Http1Response::ReadHead() {
  buffer_.resize(kTlsRecordBytes);
  for (int interim = 0; interim <= kInterimHeadsMax; ++interim) {
    parser_.emplace();
    parser_->eager(true);
    parser_->skip(head_only_);
    parser_->header_limit(kHeadBytesMax);
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    if (auto parsed = Parse(); !parsed) return parsed;  // bytes after the previous head
    while (!parser_->is_header_done()) {
      if (auto received = Receive(); !received) return received;
    }
    if (status() >= 200 || is_upgraded()) return {};
  }
  return Err(Wrap(ErrorReason::kTransport, "too many 1xx responses without a final one"));
}

Error Http1Response::Wrap(ErrorReason reason, std::string_view what) const {
  return {.reason = reason, .message = pool_->route().server.HostPort() + ": " + std::string(what)};
}

Expected<void> Http1Response::Receive() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ == buffer_.size()) {
    return Err(Wrap(ErrorReason::kTransport, "malformed HTTP response: an endless line"));
  }
  if (auto current = WatchCertificate(); !current) return current;
  auto count = connection_->Read(buffer_.data() + end_, buffer_.size() - end_);
  if (!count) return Err(std::move(count.error()));
  if (*count == 0) return ParseEnd();
  if (!std::exchange(answered_, true)) connection_->set_idle_timeout(idle_timeout_);
  end_ += *count;
  return Parse();
}

Expected<void> Http1Response::Parse() {
  // The parser would wait for the end of this line, but the server sends nothing more.
  if (begin_ < end_ && buffer_[begin_] == kTlsAlert && !parser_->is_header_done()) {
    return Err(Wrap(ErrorReason::kTransport,
                    "malformed HTTP response: the server speaks TLS, is it https://?"));
  }
  boost::beast::error_code error;
  while (begin_ < end_ && !parser_->is_done()) {
    begin_ +=
        parser_->put(boost::asio::const_buffer(buffer_.data() + begin_, end_ - begin_), error);
    if (error == http::error::need_more) break;
    if (error) {
      return Err(Wrap(ErrorReason::kTransport, "malformed HTTP response: " + error.message()));
    }
  }
  return {};
}

Expected<void> Http1Response::ParseEnd() {
  boost::beast::error_code error;
  // After a 1xx the parser is a new one, which has received nothing yet.
  const bool begun = parser_->got_some();
  if (begun) parser_->put_eof(error);  // the end of the connection may end the body
  if (begun && !error) return {};
  return Err(Wrap(ErrorReason::kUnexpectedEof, "unexpected EOF"));
}

// Returns when there is something to read, and checks the certificate while a watch is silent.
// Reading before waiting would cost a quiet watch one more system call for each event. It would
// save a busy one less than 1 us for each 16 KiB.
Expected<void> Http1Response::WatchCertificate() {
  if (certificate_check_period_.count() == 0 || !connection_->material()) return {};
  const auto longest = answered_ ? idle_timeout_ : Socket::kNoTimeout;
  const auto silent_since = std::chrono::steady_clock::now();
  for (;;) {
    if (auto current = CheckCertificate(); !current) return current;
    const auto ready = connection_->AwaitInput(std::min(certificate_check_period_, longest));
    if (!ready) return Err(ready.error());
    if (*ready) return {};
    if (std::chrono::steady_clock::now() - silent_since >= longest) {
      return Err(Wrap(ErrorReason::kUnexpectedEof, kIdleTooLong));
    }
  }
}

Expected<void> Http1Response::CheckCertificate() {
  const auto now = std::chrono::steady_clock::now();
  if (now - checked_ < certificate_check_period_) return {};
  checked_ = now;
  const auto current = pool_->Material();
  if (!current || (*current)->SameClient(*connection_->material())) return {};
  return Err(Wrap(ErrorReason::kUnexpectedEof, "closed because the client certificate changed"));
}

Expected<std::string_view> Http1Response::Read(Clock::Duration max_silence) {
  if (stop_.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  std::string& body = parser_->get().body();
  if (!std::exchange(unread_, false)) body.clear();
  if (connection_) {
    connection_->set_deadline(std::min(limits_.end, Clock::Real().After(max_silence)));
  }
  while (body.empty()) {
    if (parser_->is_done()) {
      Release();
      return std::string_view();
    }
    if (auto received = Receive(); !received) {
      return Err(Explain(std::move(received.error()), "reading the body"));
    }
  }
  return std::string_view(body);
}

std::unique_ptr<UpgradedStream> Http1Response::TakeUpgraded() {
  if (!is_upgraded() || !connection_) return nullptr;
  on_stop_.reset();
  return NewUpgradedStream(std::move(connection_),
                           std::string(buffer_.data() + begin_, end_ - begin_), stop_);
}

void Http1Response::Release() {
  if (!connection_) return;
  on_stop_.reset();
  const bool reusable = parser_->keep_alive() && begin_ == end_ && !stop_.stop_requested();
  if (reusable) pool_->Put(std::move(connection_));
  connection_.reset();
}

}  // namespace capstan::transport
