// SPDX-License-Identifier: Apache-2.0
// ForwardingExchange sends everything through another Exchange. Its subclasses change a part.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "capstan/httpserver/server.h"

namespace capstan::testing::apiserver {

class ForwardingExchange : public httpserver::Exchange {
 public:
  explicit ForwardingExchange(std::shared_ptr<httpserver::Exchange> exchange)
      : exchange_(std::move(exchange)) {}

  void Respond(int status, std::string content_type, std::string body,
               httpserver::Headers headers) override {
    exchange_->Respond(status, std::move(content_type), std::move(body), std::move(headers));
  }
  void Begin(int status, std::string content_type, httpserver::Headers headers) override {
    exchange_->Begin(status, std::move(content_type), std::move(headers));
  }
  void Write(std::string chunk) override { exchange_->Write(std::move(chunk)); }
  void End() override { exchange_->End(); }
  void Abort() override { exchange_->Abort(); }
  void Truncate() override { exchange_->Truncate(); }
  std::size_t PendingBytes() const override { return exchange_->PendingBytes(); }
  void WhenDrained(std::function<void()> callback) override {
    exchange_->WhenDrained(std::move(callback));
  }
  void OnClose(std::function<void()> callback) override { exchange_->OnClose(std::move(callback)); }

 protected:
  httpserver::Exchange& exchange() { return *exchange_; }

 private:
  const std::shared_ptr<httpserver::Exchange> exchange_;
};

}  // namespace capstan::testing::apiserver
