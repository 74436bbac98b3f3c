// SPDX-License-Identifier: Apache-2.0
// Http2Response is one request and its response on a stream of an Http2Connection. HttpResponse has
// the contract of reading.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/connection_pool.h"
#include "clientgo/transport/http2_connection.h"

namespace capstan::transport {

class Http2Response final : public HttpResponse {
 public:
  // `stream` was started on `connection` with `request`.
  Http2Response(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<Http2Connection> connection,
                std::shared_ptr<Http2Stream> stream, std::stop_token stop,
                const HttpRequest& request, const ExchangeLimits& limits);
  ~Http2Response() override;

  // Waits for the head.
  Expected<void> Start();
  // Reports how the stream failed.
  Http2Connection::Failure failure() const { return connection_->FailureOf(*stream_); }

  int status() const override { return head_.status; }
  const Headers& headers() const override { return head_.headers; }
  using HttpResponse::Read;
  Expected<std::string_view> Read(Clock::Duration max_silence) override;
  bool CanSuspend() const override { return true; }
  std::optional<Clock::TimePoint> Suspend(Waker& waker) override;

 private:
  Expected<bool> ReadHeadOnce();
  Error MakeError(ErrorReason reason, std::string_view what) const;
  // Returns the error for a response that took too long. The caller has waited since `since`.
  Error Unanswered(std::string_view step, Clock::TimePoint since);
  // Returns how long the connection may be silent before a PING, so that the answer is known when
  // `limit` has passed.
  static Clock::Duration SilenceMax(Clock::Duration limit);
  Expected<void> CheckCertificate();
  Clock::TimePoint next_check() const;
  // Returns when the server will have been idle for too long. The time counts from the first wait
  // for the next bytes.
  Clock::TimePoint idle_end();

  const std::shared_ptr<ConnectionPool> pool_;
  const std::shared_ptr<Http2Connection> connection_;
  const std::shared_ptr<Http2Stream> stream_;
  const std::stop_token stop_;
  const ExchangeLimits limits_;
  const std::chrono::milliseconds idle_timeout_;
  const bool long_running_;
  const Compression compression_;
  const Clock::TimePoint begin_;       // of the stream
  const Clock::Duration silence_max_;  // until the head; max(): no limit
  Http2Connection::Head head_;
  bool answered_ = false;
  std::string body_;  // what the last Read has returned
  std::optional<Clock::TimePoint> waiting_since_;
  std::optional<Error> error_;
  Clock::TimePoint checked_;
  // Last, so that it is destroyed first.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace capstan::transport
