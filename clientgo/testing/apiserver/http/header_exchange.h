// SPDX-License-Identifier: Apache-2.0
// HeaderExchange adds headers to whatever response a request gets.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "clientgo/testing/apiserver/http/forwarding_exchange.h"

namespace capstan::testing::apiserver {

class HeaderExchange final : public ForwardingExchange {
 public:
  HeaderExchange(std::shared_ptr<httpserver::Exchange> exchange, httpserver::Headers headers)
      : ForwardingExchange(std::move(exchange)), headers_(std::move(headers)) {}

  void Respond(int status, std::string content_type, std::string body,
               httpserver::Headers headers) override {
    exchange().Respond(status, std::move(content_type), std::move(body), With(std::move(headers)));
  }
  void Begin(int status, std::string content_type, httpserver::Headers headers) override {
    exchange().Begin(status, std::move(content_type), With(std::move(headers)));
  }

 private:
  httpserver::Headers With(httpserver::Headers headers) const {
    headers.insert(headers.end(), headers_.begin(), headers_.end());
    return headers;
  }

  const httpserver::Headers headers_;
};

}  // namespace capstan::testing::apiserver
