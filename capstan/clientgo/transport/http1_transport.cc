// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/transport/http1_transport.h"

#include <utility>

#include "capstan/clientgo/transport/internal/connection_pool.h"
#include "capstan/clientgo/transport/internal/http1_response.h"

namespace capstan::clientgo::transport {
namespace {

using util::Err;

class Http1Transport final : public HttpTransport {
 public:
  explicit Http1Transport(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                          const HttpRequest& request) override {
    const ExchangeLimits limits(request);
    for (;;) {
      auto material = pool_->Material();
      if (!material) return Err(std::move(material.error()));
      auto connection = pool_->Take(*material);
      const bool reused = connection != nullptr;
      if (!reused) {
        auto opened = pool_->Open(stop, limits, *material);
        if (!opened) return Err(std::move(opened.error()));
        connection = std::move(*opened);
      }
      auto attempt =
          Http1Response::Exchange(pool_, std::move(connection), reused, stop, request, limits);
      if (!attempt.send_again) return std::move(attempt.result);
    }
  }

 private:
  const std::shared_ptr<ConnectionPool> pool_;
};

}  // namespace

util::Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(const Config& config,
                                                                 const TransportOptions& options) {
  Config http1 = config;
  http1.http2 = Http2::kOff;
  auto pool = ConnectionPool::New(http1, options);
  if (!pool) return Err(std::move(pool.error()));
  return std::make_unique<Http1Transport>(std::move(*pool));
}

}  // namespace capstan::clientgo::transport
