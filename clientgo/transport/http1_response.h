// SPDX-License-Identifier: Apache-2.0
// Http1Response: one request and its response on one connection. Made before the connection is
// used, so that the stop token reaches every step; see HttpResponse for the contract of reading.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/transport/connection_pool.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/transport/taken_body.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

// When an exchange began, and when its parts must be over.
struct Http1Limits {
  explicit Http1Limits(const HttpRequest& request);
  util::Clock::TimePoint begin;
  util::Clock::TimePoint answer;  // the head
  util::Clock::TimePoint end;     // the body
};

class Http1Response final : public HttpResponse {
 public:
  Http1Response(std::shared_ptr<ConnectionPool> pool, std::unique_ptr<Connection> connection,
                std::stop_token stop, const Http1Limits& limits);
  ~Http1Response() override;

  // For a fresh connection.
  util::Expected<void> Open();
  // Sends the request and reads the head of the response. `certificate_check_period` 0: never.
  util::Expected<void> Start(const HttpRequest& request,
                             std::chrono::milliseconds certificate_check_period);
  // Anything of an answer has come. Until then a reused connection may just have been closed.
  bool answered() const { return answered_; }

  int status() const override { return static_cast<int>(parser_->get().result_int()); }
  const Headers& headers() const override { return headers_; }
  using HttpResponse::Read;
  util::Expected<std::string_view> Read(util::Clock::Duration max_silence) override;

 private:
  util::Expected<void> Send(const HttpRequest& request);
  // The same error; one of a deadline names the server and what was waited for.
  util::Error Explain(util::Error error, std::string_view step);
  util::Expected<void> ReadHead();
  util::Expected<void> Receive();  // from the connection, until the parser has got on
  util::Expected<void> Parse();
  util::Expected<void> ParseEnd();
  util::Expected<void> WatchCertificate();
  util::Expected<void> CheckCertificate();
  util::Error Wrap(util::ErrorReason reason, std::string_view what) const;
  void Release();  // the connection, which may serve another request

  const std::shared_ptr<ConnectionPool> pool_;
  const std::stop_token stop_;
  const Http1Limits limits_;
  std::unique_ptr<Connection> connection_;  // null once the response is at its end
  std::optional<boost::beast::http::response_parser<TakenBody>> parser_;  // set by ReadHead
  Headers headers_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is not parsed: [begin_, end_) of the buffer
  std::size_t end_ = 0;
  bool head_only_ = false;  // a HEAD: what announces a body has none
  bool answered_ = false;
  bool unread_ = true;  // the part of the body that came with the head
  std::chrono::milliseconds idle_timeout_{0};
  std::chrono::milliseconds certificate_check_period_{0};
  std::chrono::steady_clock::time_point checked_;
  // Last, so that it is gone before the connection is.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace clientgo::transport
