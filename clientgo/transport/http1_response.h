// SPDX-License-Identifier: Apache-2.0
// Http1Response is one request and its response on one connection. It is created before the
// connection is used, so that the stop token ends every step. HttpResponse has the contract of
// reading.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional/optional.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/connection_pool.h"

namespace capstan::transport {

// ReadBody is a Body for Beast's parser. It collects what one call of the parser found, out of any
// number of chunks; the reader then empties it. Differs from Beast's string_body: a Content-Length
// reserves no memory.
struct ReadBody {
  using value_type = std::string;

  // NOLINTNEXTLINE(readability-identifier-naming): Beast requires the names of it and its methods
  class reader {
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>& /*header*/, value_type& body)
        : body_(body) {}
    void init(const boost::optional<std::uint64_t>& /*length*/, boost::beast::error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::beast::error_code& error) {
      error = {};
      std::size_t size = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
        size += buffer.size();
      }
      return size;
    }
    void finish(boost::beast::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

inline constexpr int kSwitchingProtocols = 101;

class Http1Response final : public HttpResponse {
 public:
  Http1Response(std::shared_ptr<ConnectionPool> pool, std::unique_ptr<Connection> connection,
                std::stop_token stop, const ExchangeLimits& limits);
  ~Http1Response() override;

  // Sends the request and reads the head of the response. With a `certificate_check_period` of 0
  // the client certificate is never checked.
  Expected<void> Start(const HttpRequest& request,
                       std::chrono::milliseconds certificate_check_period);
  // Reports whether any byte of a response has arrived. Until then the server may have closed a
  // reused connection.
  bool answered() const { return answered_; }

  // Attempt is the result of one attempt.
  struct Attempt {
    Expected<std::unique_ptr<HttpResponse>> result;
    // The server has closed the idle connection, so the request can be sent on another one.
    bool send_again = false;
  };
  // Sends the request on `connection`. `reused`: the connection has carried a request before.
  static Attempt Exchange(std::shared_ptr<ConnectionPool> pool,
                          std::unique_ptr<Connection> connection, bool reused, std::stop_token stop,
                          const HttpRequest& request, const ExchangeLimits& limits);

  int status() const override { return static_cast<int>(parser_->get().result_int()); }
  const Headers& headers() const override { return headers_; }
  using HttpResponse::Read;
  Expected<std::string_view> Read(Clock::Duration max_silence) override;
  std::unique_ptr<UpgradedStream> TakeUpgraded() override;

 private:
  // Reports whether the connection has another protocol from now on.
  bool is_upgraded() const { return upgrades_ && status() == kSwitchingProtocols; }

  Expected<void> Send(const HttpRequest& request);
  // Returns the error. A deadline's error then names the server and the step.
  Error Explain(Error error, std::string_view step);
  Expected<void> ReadHead();
  Expected<void> Receive();  // reads from the connection and parses
  Expected<void> Parse();
  Expected<void> ParseEnd();
  Expected<void> WatchCertificate();
  Expected<void> CheckCertificate();
  Error Wrap(ErrorReason reason, std::string_view what) const;
  void Release();  // gives the connection back to the pool, or closes it

  const std::shared_ptr<ConnectionPool> pool_;
  const std::stop_token stop_;
  const ExchangeLimits limits_;
  std::unique_ptr<Connection> connection_;  // null once the response is at its end
  std::optional<boost::beast::http::response_parser<ReadBody>> parser_;  // set by ReadHead
  Headers headers_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // [begin_, end_) of the buffer is not parsed yet
  std::size_t end_ = 0;
  bool upgrades_ = false;
  bool head_only_ = false;  // a HEAD request: the response has no body
  bool answered_ = false;
  bool unread_ = true;  // the part of the body that arrived with the head
  std::chrono::milliseconds idle_timeout_{0};
  std::chrono::milliseconds certificate_check_period_{0};
  std::chrono::steady_clock::time_point checked_;
  // Last, so that it is destroyed before the connection.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace capstan::transport
